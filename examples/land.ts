import { existsSync, readFileSync } from 'node:fs';
import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions } from 'splwright-client';
import { verifyTransfer } from 'splwright-client/verify';
import { endWith, readWorld, service } from './sandbox.ts';

interface Reply {
  data?: { lifetime: { last_valid_block_height: string }; signers: [string] };
  detail?: string;
}

// Compares the reply to POST /v1/transfers with its request, signs it with the sandbox's key of the sender, and lands it.
const world = await readWorld();
const [requestFile = 'request.json', replyFile = 'reply.json'] = process.argv.slice(2);
const request = readJson(requestFile);
const reply: Reply = readJson(replyFile);
if (!reply.data) endWith(reply.detail ?? `${replyFile} is not the reply to a transfer.`);
const { lifetime, signers } = reply.data;
const verified = await verifyTransfer(request, reply, { operation: '/v1/transfers', decimals: 6 });
console.log(verified.sentence);

const signer = world.wallets.find(({ address }) => address === signers[0]);
if (!signer) endWith('The sender is not a wallet of the sandbox.');

const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(signer.secret_key));
const signed = await kit.signTransaction([keyPair], kit.getTransactionDecoder().decode(verified.transaction));
const rpc = kit.createSolanaRpc(world.rpc_url);
const encoded = kit.getBase64EncodedWireTransaction(signed);
await rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();

const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const transaction = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
const { outcome, signature } = await client.waitForOutcome({ transaction, ...lifetime }, { everyMs: 200 });
console.log(`${outcome}: ${signature}`);

function readJson(file: string) {
  if (!existsSync(file)) endWith(`There is no ${file}. The README's commands write it.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}
