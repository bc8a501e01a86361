import { createNoopSigner, type Instruction } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import type { Keypair } from '../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';

/** Stands for the faucet in instructions: it pays for everything, and is every authority of every mint. */
export const issuer = createNoopSigner(faucet.address);

/** Sends a transaction that the faucet pays for. Throws when it fails: a situation that cannot be made is a fault of the test. */
export function runSetup(
  ledger: Ledger,
  instructions: readonly Instruction[],
  cosigners: readonly Keypair[] = [],
): void {
  const bytes = signedTransaction(instructions, [faucet, ...cosigners], ledger.latestBlockhash());
  const { error, logs } = ledger.sendTransaction(bytes);
  if (error !== null) throw new Error(`set-up: ${JSON.stringify(error)}\n${logs.join('\n')}`);
}
