import assert from 'node:assert/strict';
import { getTransactionDecoder } from '@solana/kit';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { signWith } from './wallets.ts';

/** Signs a transaction, in base64 where it is a text, by wallets of the sandbox's world: those that it needs, unless they are named. */
export function signInWorld(
  { world }: Sandbox,
  transaction: Uint8Array | string,
  signers?: readonly string[],
): Promise<Uint8Array> {
  const bytes = typeof transaction === 'string' ? Buffer.from(transaction, 'base64') : transaction;
  const needed = signers ?? Object.keys(getTransactionDecoder().decode(bytes).signatures);
  const secretKeyOf = (signer: string) => world.wallets.find(({ address }) => address === signer)?.secret_key;
  return signWith(bytes, needed.map(secretKeyOf));
}

/** Signs a transaction as `signInWorld` does, and lets it land: what the ledger says of it. Throws where it does not land. */
export async function landInWorld(sandbox: Sandbox, transaction: Uint8Array | string, signers?: readonly string[]) {
  const outcome = sandbox.ledger.sendTransaction(await signInWorld(sandbox, transaction, signers));
  assert.equal(outcome.error, null, outcome.logs.join('\n'));
  return outcome;
}
