import { createNoopSigner, type Instruction } from '@solana/kit';
import { faucet } from '../../src/sandbox/faucet.ts';
import type { Ledger } from '../../src/sandbox/index.ts';
import type { Keypair } from '../../src/sandbox/keypair.ts';
import { signedTransaction } from '../../src/sandbox/signed-transaction.ts';

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
