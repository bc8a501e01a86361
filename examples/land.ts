import { readFileSync } from 'node:fs';
import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions } from 'splwright-client';

interface Reply {
  data?: {
    transaction: string;
    lifetime: { last_valid_block_height: string };
    signers: [string];
    summary: { recipient: string; recipient_token_account: string };
  };
  detail?: string;
}

interface World {
  api_key: string;
  rpc_url: string;
  wallets: { name: string; address: string; secret_key: string }[];
}

// Signs the reply to POST /v1/transfers that is in a file, with the key that the sandbox gives its wallet, and lands it.
const [file = 'reply.json'] = process.argv.slice(2);
const { data, detail } = JSON.parse(readFileSync(file, 'utf8')) as Reply;
if (!data) throw new Error(detail ?? `${file} is not the reply to a transfer`);
const service = process.env.SPLWRIGHT_URL ?? 'http://127.0.0.1:3000';
const world = (await (await fetch(`${service}/sandbox/world`)).json()) as World;
const signer = world.wallets.find(({ address }) => address === data.signers[0]);
if (!signer) throw new Error('the sender is none of the wallets at /sandbox/world');

// These keys are public. A program of yours has the request too, and verifies the reply first: docs/verify.md.
const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(signer.secret_key));
const transaction = kit.getTransactionDecoder().decode(kit.getBase64Encoder().encode(data.transaction));
const signed = await kit.signTransaction([keyPair], transaction);
const rpc = kit.createSolanaRpc(world.rpc_url);
const encoded = kit.getBase64EncodedWireTransaction(signed);
await rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();

const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const bytes = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
const { outcome, signature } = await client.waitForOutcome({ transaction: bytes, ...data.lifetime }, { everyMs: 200 });
const recipientTokenAccount = kit.address(data.summary.recipient_token_account);
const { value } = await rpc.getTokenAccountBalance(recipientTokenAccount, { commitment: 'confirmed' }).send();
const name = world.wallets.find(({ address }) => address === data.summary.recipient)?.name ?? 'the recipient';
console.log(`${outcome}: ${signature}\n${name} now has ${value.uiAmountString}`);
