// A stranger's program: builds one transfer with the service at the URL of its first argument, signs it, sees it land.
import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions, toBase64, toKit } from 'splwright-client';

const service = process.argv[2];
const world = await (await fetch(`${service}/sandbox/world`)).json();
const [alice, bob] = world.wallets;
const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const transfer = await client.buildTransfer({
  from_address: alice.address,
  to_address: bob.address,
  token_mint_address: world.mints[0].address,
  amount: 1_500_000n,
});
const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
const signed = await kit.signTransaction([keyPair], toKit(kit, transfer));
const bytes = new Uint8Array(kit.getTransactionEncoder().encode(signed));
await kit
  .createSolanaRpc(world.rpc_url)
  .sendTransaction(toBase64(bytes), { ...sendOptions, encoding: 'base64' })
  .send();
const { outcome } = await client.waitForOutcome({
  transaction: bytes,
  ...transfer.lifetime,
});
console.log(outcome);
