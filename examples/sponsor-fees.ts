import * as kit from '@solana/kit';
import { SplwrightClient } from 'splwright-client';
import { readWorld, service, type World } from './sandbox.ts';

// The sandbox names its wallets and an API key; on a real network they come from your configuration.
const kora = process.env.KORA_URL ?? 'http://127.0.0.1:8080';
const world = await readWorld();
const client = new SplwrightClient({ url: service, apiKey: world.api_key });

const [, , recipient = 'bob', amount = '12.5'] = process.argv;
const sender = walletOf('alice');

// Kora says which of its wallets pays, and pays with that one when it is asked to.
const { signer_address: sponsor } = await ask<{ signer_address: string }>('getPayerSigner');
const built = await client.buildTransfer({
  from_address: sender.address,
  to_address: walletOf(recipient).address,
  token_mint_address: world.mints[0].address,
  amount_decimal: amount,
  memo: 'sponsored',
  fee_payer: sponsor,
});
// The client has verified it: docs/verify.md says what that means.
const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(sender.secret_key));
const decoded = kit.getTransactionDecoder().decode(built.transaction);
const signed = await kit.partiallySignTransaction([keyPair], decoded);

// It adds the other signature and sends it.
const sent = await ask<{ signed_transaction: string }>('signAndSendTransaction', {
  transaction: kit.getBase64EncodedWireTransaction(signed),
  signer_key: sponsor,
});
const transaction = Uint8Array.from(kit.getBase64Encoder().encode(sent.signed_transaction));
const {
  outcome,
  signature,
  network_fee: fee,
} = await client.waitForOutcome({
  transaction,
  ...built.lifetime,
});
console.log(outcome, signature, `${fee} lamports paid by ${sponsor}`);

async function ask<Result>(method: string, params?: object): Promise<Result> {
  const key = process.env.KORA_API_KEY;
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = (await (await fetch(kora, { method: 'POST', headers, body })).json()) as {
    result: Result;
    error?: { message: string };
  };
  if (answer.error) throw new Error(`Kora refused: ${answer.error.message}`);
  return answer.result;
}

function walletOf(name: string): World['wallets'][number] {
  const found = world.wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`there is no wallet ${name}`);
  return found;
}
