import { computeBudgetProgram } from './addresses.ts';
import type { Expectation, VerifyOptions } from './expectation.ts';
import { type DataLayout, type Instructions, integerOf } from './instructions.ts';
import type { MessageBudget } from './message.ts';
import { expectAtMost, expectSame, VerificationError } from './verification-error.ts';

/** What a transaction may spend. */
export interface CheckedBudget {
  /** Compute units; undefined where the transaction sets no limit. */
  computeUnitLimit: number | undefined;
  /** Lamports that the fee payer pays beyond the 5,000 of each signature. */
  priorityFeeLamports: bigint;
}

const maxComputeUnits = 1_400_000;
// Of facilitators of x402 and of servers of MPP, in micro-lamports per compute unit.
const maxPaidPrice = 5_000_000n;
// Of servers of MPP.
const maxMppUnits = 200_000;
const setLimit: DataLayout = { kind: [2], length: 5 };
const setPrice: DataLayout = { kind: [3], length: 9 };
const priceName = 'price of a compute unit';
const limitName = 'compute limit';

/** Takes compute limit and price, and compares them with the request and with the most that the caller allows. */
export function checkBudget(
  instructions: Instructions,
  header: MessageBudget | undefined,
  { price, isX402, isMpp }: Expectation,
  { maxPriorityFeeLamports: max = 1_000_000n }: VerifyOptions,
): CheckedBudget {
  if (header) {
    const { computeUnitLimit, priorityFee } = header;
    expectBetween(limitName, computeUnitLimit, 1, maxComputeUnits);
    const expected = price === 'level' ? priorityFee : feeOf(price, computeUnitLimit);
    expectSame('wrong_compute_budget', 'priority fee', expected, priorityFee);
    return { computeUnitLimit, priorityFeeLamports: bounded(priorityFee, max) };
  }
  const asks = isX402 || price !== 0n;
  const hasLimit = asks || isMpp || instructions.isNext(computeBudgetProgram);
  const computeUnitLimit = hasLimit ? Number(takeSetting(instructions, limitName, setLimit)) : undefined;
  if (computeUnitLimit !== undefined)
    expectBetween(limitName, computeUnitLimit, 1, isMpp ? maxMppUnits : maxComputeUnits);
  const hasPrice = asks && (isX402 || price !== 'level' || instructions.isNext(computeBudgetProgram));
  const found = hasPrice ? takeSetting(instructions, priceName, setPrice) : 0n;
  expectSame('wrong_compute_budget', priceName, price === 'level' ? found : price, found);
  expectBetween(priceName, found, hasPrice && !isX402 ? 1n : 0n, isX402 || isMpp ? maxPaidPrice : found);
  return { computeUnitLimit, priorityFeeLamports: bounded(feeOf(found, computeUnitLimit ?? 0), max) };
}

function takeSetting(instructions: Instructions, part: string, layout: DataLayout): bigint {
  const setting = instructions.take(part, computeBudgetProgram);
  instructions.expectAccounts(part, setting, []);
  return integerOf(setting, part, layout, 'wrong_compute_budget');
}

function expectBetween<Quantity extends number | bigint>(
  part: string,
  found: Quantity,
  least: Quantity,
  most: Quantity,
): void {
  if (found >= least && found <= most) return;
  throw new VerificationError('wrong_compute_budget', part, `${least} to ${most}`, found);
}

// Rounded up, as the runtime does.
function feeOf(microLamports: bigint, units: number): bigint {
  return (microLamports * BigInt(units) + 999_999n) / 1_000_000n;
}

/** Returns a priority fee, in lamports. Throws where it is more than the most that the caller allows. */
export function bounded(lamports: bigint, max: bigint | number): bigint {
  expectAtMost('priority_fee_too_high', 'priority fee in lamports', max, lamports);
  return lamports;
}
