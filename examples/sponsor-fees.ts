import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions } from 'splwright-client';
import { readWorld, service, type World } from './sandbox.ts';

// With KEYPAIR_FILE the payer's own key; otherwise a wallet of the sandbox.
const world = await readWorld();
const client = new SplwrightClient({ url: service, apiKey: world.api_key });

const [, , recipient = 'bob', amount = '12.5', maxFee = '0'] = process.argv;
const sender = walletOf('alice');

// The client has verified it, and the signature and the fee of the sponsor: docs/verify.md says what that means.
const built = await client.buildTransfer({
  from_address: sender.address,
  to_address: walletOf(recipient).address,
  token_mint_address: world.mints[0].address,
  amount_decimal: amount,
  memo: 'sponsored',
  fee_payer: 'sponsor',
  max_sponsor_fee: maxFee,
});
console.log(built.verified?.sentence);

const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(sender.secret_key));
const signed = await kit.signTransaction([keyPair], kit.getTransactionDecoder().decode(built.transaction));
const rpc = kit.createSolanaRpc(world.rpc_url);
await rpc.sendTransaction(kit.getBase64EncodedWireTransaction(signed), { ...sendOptions, encoding: 'base64' }).send();

const transaction = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
const landed = await client.waitForOutcome({ transaction, ...built.lifetime });
console.log(`${landed.outcome} ${landed.signature} ${landed.network_fee} lamports paid by ${built.summary.fee_payer}`);

function walletOf(name: string): World['wallets'][number] {
  const found = world.wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`there is no wallet ${name}`);
  return found;
}
