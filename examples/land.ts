import { readFileSync } from 'node:fs';
import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions } from 'splwright-client';
import { verifyTransfer } from 'splwright-client/verify';

interface Reply {
  data?: { lifetime: { last_valid_block_height: string }; signers: [string] };
  detail?: string;
}

interface World {
  api_key: string;
  rpc_url: string;
  wallets: { name: string; address: string; secret_key: string }[];
}

// Compares the reply to POST /v1/transfers with its request, signs it with the sandbox's key of the sender, and lands it.
const [requestFile = 'request.json', replyFile = 'reply.json'] = process.argv.slice(2);
const request = JSON.parse(readFileSync(requestFile, 'utf8'));
const reply = JSON.parse(readFileSync(replyFile, 'utf8')) as Reply;
if (!reply.data) throw new Error(reply.detail ?? `${replyFile} is not the reply to a transfer`);
const { lifetime, signers } = reply.data;
const verified = await verifyTransfer(request, reply, { operation: '/v1/transfers', decimals: 6 });
console.log(verified.sentence);

const service = process.env.SPLWRIGHT_URL ?? 'http://127.0.0.1:3000';
const world = (await (await fetch(`${service}/sandbox/world`)).json()) as World;
const signer = world.wallets.find(({ address }) => address === signers[0]);
if (!signer) throw new Error('the sender is none of the wallets at /sandbox/world');

const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(signer.secret_key));
const signed = await kit.signTransaction([keyPair], kit.getTransactionDecoder().decode(verified.transaction));
const rpc = kit.createSolanaRpc(world.rpc_url);
const encoded = kit.getBase64EncodedWireTransaction(signed);
await rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();

const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const transaction = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
const { outcome, signature } = await client.waitForOutcome({ transaction, ...lifetime }, { everyMs: 200 });
console.log(`${outcome}: ${signature}`);
