import {
  isSolanaError,
  SOLANA_ERROR__TRANSACTION__INVOKED_PROGRAMS_MUST_NOT_BE_WRITABLE,
  type Transaction,
} from '@solana/kit';
import type { Ledger } from '../../src/sandbox/index.ts';
import { TransactionDecodingError } from '../../src/sandbox/transaction-decoding.ts';
import type { TransactionError } from '../../src/sandbox/transaction-error.ts';
import type { Situation } from './situation.ts';
import { compileTransactionOf, signTransaction } from './transaction.ts';
import type { Witness } from './witness.ts';

/** What came of a transaction: it landed, or where it came to its end. */
export type Outcome =
  | { kind: 'landed'; unitsConsumed: number }
  | {
      kind: 'failed';
      error: TransactionError;
      logs: readonly string[];
      failedProgram: 'creation' | 'transfer' | undefined;
    }
  | { kind: 'too_large' }
  | { kind: 'program_would_be_written' }
  | { kind: 'hook_unresolvable'; reason: string };

/** Signs and sends what the libraries made of a world's request, and tells what came of it. */
export function sendWitness(ledger: Ledger, situation: Situation, { instructions, budget }: Witness): Outcome {
  if ('unresolvable' in instructions) return { kind: 'hook_unresolvable', reason: instructions.unresolvable };
  const transaction = compile(ledger, situation, { instructions, budget });
  // The library refuses it, and so would the network. Here: the System program given as the nonce account.
  if (transaction === undefined) return { kind: 'program_would_be_written' };
  const isVersion1 = situation.world.options.transactionVersion === 1;
  const settings = isVersion1
    ? []
    : [budget.computeUnitLimit, budget.computeUnitPrice].filter((each) => each !== undefined);
  const nonceAdvances = situation.nonceAccount === undefined ? 0 : 1;
  const transferIndex = nonceAdvances + settings.length + instructions.length - 1;
  return send(ledger, signTransaction(transaction, situation.signers), { transferIndex });
}

function compile(...parameters: Parameters<typeof compileTransactionOf>): Transaction | undefined {
  try {
    return compileTransactionOf(...parameters);
  } catch (error) {
    if (isSolanaError(error, SOLANA_ERROR__TRANSACTION__INVOKED_PROGRAMS_MUST_NOT_BE_WRITABLE)) return undefined;
    throw error;
  }
}

/** Sends signed bytes. `transferIndex` is the place of the transfer among the instructions, right after what it needs. */
export function send(ledger: Ledger, bytes: Uint8Array, { transferIndex }: { transferIndex: number }): Outcome {
  try {
    const { error, logs, unitsConsumed } = ledger.sendTransaction(bytes);
    if (error === null) return { kind: 'landed', unitsConsumed: Number(unitsConsumed) };
    const index = typeof error === 'object' && 'InstructionError' in error ? error.InstructionError[0] : undefined;
    const failedProgram = index === undefined ? undefined : index === transferIndex ? 'transfer' : 'creation';
    return { kind: 'failed', error, logs, failedProgram };
  } catch (error) {
    if (error instanceof TransactionDecodingError && error.message.includes('too large')) return { kind: 'too_large' };
    throw error;
  }
}
