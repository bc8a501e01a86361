import type { Instruction, Transaction } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { TransactionDecodingError } from '../../packages/sandbox/src/ledger/transaction-decoding.ts';
import type { TransactionError } from '../../packages/sandbox/src/ledger/transaction-error.ts';
import { isMpp, isX402, type PaymentName } from './asked.ts';
import type { Budget } from './budget.ts';
import type { Situation } from './situation.ts';
import { compileIfAllowed, executeProposal, maxSize, signTransaction, sizeOf } from './transaction.ts';
import type { Witness } from './witness.ts';

/** What came of a transaction: it landed, or where it came to its end. */
export type Outcome =
  | { kind: 'landed'; unitsConsumed: number }
  | {
      kind: 'failed';
      error: TransactionError;
      logs: readonly string[];
      failedProgram: 'creation' | 'transfer' | undefined;
      /** Where that is known: the payment that the failed instruction belongs to. */
      failedPayment: PaymentName | undefined;
    }
  /** `leaner` is what came of the same without what it can do without, where that fits. */
  | { kind: 'too_large'; leaner?: Outcome }
  | { kind: 'program_would_be_written' }
  | { kind: 'hook_unresolvable'; reason: string }
  /** There is no such amount, and so no transaction. */
  | { kind: 'no_base_units' };

/** What an instruction does, and for which payment. */
interface InstructionPurpose {
  program: 'creation' | 'transfer';
  payment: PaymentName;
}

/** Signs and sends what the libraries made of a world's request, and tells what came of it. */
export function sendWitness(ledger: Ledger, situation: Situation, { instructions, budget }: Witness): Outcome {
  if (instructions === 'no_base_units') return { kind: 'no_base_units' };
  if ('unresolvable' in instructions) return { kind: 'hook_unresolvable', reason: instructions.unresolvable };
  const outcome = sendWithBudget(ledger, situation, instructions, budget);
  if (outcome.kind !== 'too_large') return outcome;
  const leaner = leanerBudget(situation, budget);
  if (leaner.computeUnitLimit === budget.computeUnitLimit && leaner.computeUnitPrice === budget.computeUnitPrice) {
    return outcome;
  }
  const outcomeOfLeaner = sendWithBudget(ledger, situation, instructions, leaner);
  return outcomeOfLeaner.kind === 'too_large' ? outcome : { ...outcome, leaner: outcomeOfLeaner };
}

// A price of zero is as good as none; without a price a compute limit is needed only by what takes more than is granted.
// The x402 and MPP layouts can do without none of what they have.
function leanerBudget({ world }: Situation, budget: Budget): Budget {
  if (isX402(world) || isMpp(world)) return budget;
  const { priorityFee, transactionVersion } = world.options;
  const isLimitOptional = transactionVersion !== 1 && priorityFee?.kind !== 'level' && !budget.computeUnitPrice;
  return {
    ...budget,
    computeUnitLimit: isLimitOptional ? undefined : budget.computeUnitLimit,
    computeUnitPrice: budget.computeUnitPrice || undefined,
  };
}

function sendWithBudget(
  ledger: Ledger,
  situation: Situation,
  instructions: readonly Instruction[],
  budget: Budget,
): Outcome {
  const transaction = compileIfAllowed(ledger, situation, { instructions, budget });
  if (transaction === 'program_would_be_written') return { kind: transaction };
  if (typeof transaction === 'string') return { kind: 'too_large' };
  const isVersion1 = situation.world.options.transactionVersion === 1;
  const settings = isVersion1
    ? []
    : [budget.computeUnitLimit, budget.computeUnitPrice].filter((each) => each !== undefined);
  const nonceAdvances = situation.nonceAccount === undefined ? 0 : 1;
  const purposes = purposesOf(situation, instructions, nonceAdvances + settings.length);
  return send(ledger, situation, transaction, purposes);
}

// Of a token program; others wrap and unwrap.
const transferChecked = 12;

/** What each instruction of a transaction is for: these are its last ones, after so many others. */
export function purposesOf(
  { tokenProgram, payments }: Situation,
  instructions: readonly Instruction[],
  precedingCount: number,
): (InstructionPurpose | undefined)[] {
  const purposes = new Array<InstructionPurpose | undefined>(precedingCount).fill(undefined);
  // Each transfer is the last instruction of its payment.
  let paid = 0;
  for (const { programAddress, data } of instructions) {
    const payment = payments[paid]?.payee.name ?? 'to';
    const isTransfer = programAddress === tokenProgram && data?.[0] === transferChecked;
    if (isTransfer) paid += 1;
    purposes.push({ program: isTransfer ? 'transfer' : 'creation', payment });
  }
  return purposes;
}

/** Signs and sends a transaction, whose instructions are for these purposes: one of a vault as what its program calls. */
export function send(
  ledger: Ledger,
  situation: Situation,
  transaction: Transaction,
  purposes: readonly (InstructionPurpose | undefined)[],
): Outcome {
  const isFromVault = situation.world.senderWallet === 'vault';
  // What executes it may be larger, and what is imported may not.
  if (isFromVault && sizeOf(transaction) > maxSize(situation)) return { kind: 'too_large' };
  try {
    const bytes = isFromVault ? executeProposal(ledger, transaction) : signTransaction(transaction, situation.signers);
    const { error, logs, unitsConsumed } = ledger.sendTransaction(bytes);
    if (error === null) return { kind: 'landed', unitsConsumed: Number(unitsConsumed) };
    const outer = typeof error === 'object' && 'InstructionError' in error ? error.InstructionError[0] : undefined;
    const calls = logs.filter((line) => line.endsWith(' invoke [2]'));
    const index = outer !== undefined && isFromVault ? calls.length - 1 : outer;
    const purpose = index === undefined ? undefined : purposes[index];
    const failedProgram = index === undefined ? undefined : (purpose?.program ?? 'creation');
    return { kind: 'failed', error, logs, failedProgram, failedPayment: purpose?.payment };
  } catch (error) {
    if (error instanceof TransactionDecodingError && error.message.includes('too large')) return { kind: 'too_large' };
    throw error;
  }
}
