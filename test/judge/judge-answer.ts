import { type BuiltTransfer, summarizeTransfer } from '../../packages/core/src/decide/transfer-summary.ts';
import type { TransferPlan } from '../../packages/core/src/plan/transfer-plan.ts';
import { decodeMessage } from '../../packages/sandbox/src/ledger/transaction-decoding.ts';
import { isX402 } from './asked.ts';
import { balancesOf, judgeBalances } from './balances.ts';
import { compareTransactions } from './compare-transactions.ts';
import { type Court, passTime } from './court.ts';
import { holdsWithoutChecks } from './judge-refusal.ts';
import { judgeWarnings } from './judge-warnings.ts';
import { type Outcome, purposesOf, send } from './outcome.ts';
import { fittingCodes } from './reason-fits.ts';
import type { Situation } from './situation.ts';
import { compileTransactionOf, readTransaction, signTransaction } from './transaction.ts';
import type { Witness } from './witness.ts';

// A blockhash lives 150 blocks.
const slotsUntilBlockhashesExpire = 151;

// What the service says that it adds to what a transfer takes, in compute units.
const headroom = { always: 50_000, hook: 120_000, hookAccount: 8_000, split: 8_000 };

/** Signs an answer, lets the chain run it, and says where it is not what it promises. */
export function judgeAnswer(
  court: Court,
  situation: Situation,
  witness: Witness,
  built: BuiltTransfer,
): { outcome: Outcome; faults: string[] } {
  const { ledger } = court;
  const { plan } = built;
  const transaction = readTransaction(built.bytes);
  let purposes: ReturnType<typeof purposesOf> = [];
  const faults = [...judgeSigners(situation, Object.entries(transaction.signatures)), ...judgePrice(witness, plan)];
  if (witness.instructions === 'no_base_units') faults.push('answered, and the amount has no base units');
  else if ('unresolvable' in witness.instructions) faults.push('answered, and the libraries cannot resolve the hook');
  else {
    const { instructions, budget } = witness;
    const expected = compileTransactionOf(ledger, situation, { instructions, budget });
    faults.push(...compareTransactions(transaction, expected, { ...budget, isFixed: isX402(situation.world) }));
    const { length } = decodeMessage(Uint8Array.from(transaction.messageBytes)).instructions;
    purposes = purposesOf(situation, instructions, Math.max(0, length - instructions.length));
  }

  if (situation.world.options.nonceAccount?.sentLate) passTime(court, slotsUntilBlockhashesExpire);
  const before = balancesOf(ledger, situation);
  const { warnings, transferFee, splits } = summarizeTransfer(built);
  const withheld = splits.reduce((sum, split) => sum + split.transferFee, transferFee);
  const warningFaults = judgeWarnings(ledger, warnings, { ...situation, transferFee: withheld });
  const outcome = send(ledger, signTransaction(transaction, situation.signers), purposes);
  if (outcome.kind === 'landed') {
    faults.push(...warningFaults, ...judgeBalances(situation, plan, before, balancesOf(ledger, situation)));
    faults.push(...judgeComputeUnits(court, situation, plan, outcome.unitsConsumed));
  } else faults.push(...judgeFailure(situation, outcome));
  return { outcome, faults };
}

// Without checks a transfer may be answered that does not land yet, but none that never will.
function judgeFailure({ world }: Situation, outcome: Outcome): string[] {
  if (world.options.checks !== 'none') return ['answered, and it does not land'];
  const codes = fittingCodes(outcome, world);
  const isForEver = codes !== undefined && codes.length > 0 && codes.every(holdsWithoutChecks);
  return isForEver ? [`answered without checks, and it never lands: ${codes.join(', ')}`] : [];
}

function judgeSigners({ sender, feePayer }: Situation, slots: readonly [string, Uint8Array | null][]): string[] {
  const expected = [...new Set([feePayer, sender])].join(', ');
  const signers = slots.map(([signer]) => signer).join(', ');
  if (slots.some(([, signature]) => signature !== null)) return ['answered with a signature'];
  return signers === expected ? [] : [`${signers} must sign, instead of ${expected}`];
}

function judgePrice({ budget }: Witness, plan: TransferPlan): string[] {
  const expected = budget.computeUnitPrice ?? 0n;
  return plan.computeUnitPrice === expected ? [] : [`the price should be ${expected} and is ${plan.computeUnitPrice}`];
}

function judgeComputeUnits({ rules }: Court, { world }: Situation, plan: TransferPlan, used: number): string[] {
  const { computeUnitLimit: limit, memo } = plan;
  const { priorityFee, transactionVersion } = world.options;
  const isPriced = priorityFee !== undefined && plan.computeUnitPrice > 0n;
  const isLimited = transactionVersion === 1 || isPriced || isX402(world);
  if (limit === undefined) return isLimited ? ['a compute limit was asked for, and there is none'] : [];
  if (used > limit) return [`${used} compute units were used, more than the limit of ${limit}`];
  // A memo's cost is that of the dearest Memo program.
  if (!isLimited || (memo && !rules.classicMemoProgram)) return [];
  const hook = [plan, ...plan.splits].reduce((sum, { hookAccounts }) => {
    return hookAccounts.length > 0 ? sum + headroom.hook + headroom.hookAccount * hookAccounts.length : sum;
  }, 0);
  const max = 2 * used + headroom.always + hook + headroom.split * plan.splits.length;
  return limit <= max ? [] : [`the compute limit is ${limit}, and ${used} were used: more than ${max}`];
}
