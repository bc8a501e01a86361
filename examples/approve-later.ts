import { readFileSync, writeFileSync } from 'node:fs';
import * as kit from '@solana/kit';
import { SplwrightClient, sendOptions, toBase64 } from 'splwright-client';
import { readWorld, service, type World } from './sandbox.ts';

// With KEYPAIR_FILE the payer's own key; otherwise a wallet of the sandbox.
const world = await readWorld();
const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const rpc = kit.createSolanaRpc(world.rpc_url);

const [, , step, file = 'approval.txt', approver = ''] = process.argv;
if (step === 'prepare') await prepare();
else if (step === 'approve') await approve(walletOf(approver));
else if (step === 'send') await send();
else throw new Error('use: approve-later.ts prepare|approve|send FILE [WALLET]');

/** Builds the payment and writes it into a file, which waits for as long as it takes. */
async function prepare(): Promise<void> {
  const [alice, bob] = [walletOf('alice'), walletOf('bob')];
  const built = await client.buildTransfer(
    {
      from_address: alice.address,
      to_address: walletOf('carol').address,
      token_mint_address: world.mints[0].address,
      amount_decimal: '250',
      memo: 'grant 2026-11',
      fee_payer: bob.address,
      nonce_account: world.nonce_accounts[0].address,
    },
    { idempotencyKey: 'grant-2026-11' },
  );
  writeFileSync(file, toBase64(built.transaction));
  console.log(`${built.signers.length} approvals are needed`);
}

/** Adds the signature of one approver, whenever and wherever that happens, and in any order. */
async function approve({ secret_key: secretKey }: World['wallets'][number]): Promise<void> {
  const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(secretKey));
  // The client has verified it: docs/verify.md says what that means.
  const approved = await kit.partiallySignTransaction([keyPair], read());
  writeFileSync(file, kit.getBase64EncodedWireTransaction(approved));
  const missing = Object.values(approved.signatures).filter((signature) => signature === null).length;
  console.log(missing === 0 ? 'approved by all' : `${missing} more`);
}

/** Sends the payment, and follows it to the end. The nonce lets it land once, however often it is sent. */
async function send(): Promise<void> {
  const transaction = read();
  kit.assertIsFullySignedTransaction(transaction);
  const encoded = kit.getBase64EncodedWireTransaction(transaction);
  await rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();
  const bytes = Uint8Array.from(kit.getTransactionEncoder().encode(transaction));
  const { outcome, signature } = await client.waitForOutcome({ transaction: bytes });
  console.log(outcome, signature);
}

function read() {
  return kit.getTransactionDecoder().decode(kit.getBase64Encoder().encode(readFileSync(file, 'utf8')));
}

function walletOf(name: string): World['wallets'][number] {
  const found = world.wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`there is no wallet ${name}`);
  return found;
}
