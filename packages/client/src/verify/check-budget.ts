import { computeBudgetProgram } from './addresses.ts';
import type { Expectation, VerifyOptions } from './expectation.ts';
import type { Instructions } from './instructions.ts';
import type { MessageBudget } from './message.ts';
import { expectSame, VerificationError } from './verification-error.ts';

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
const setLimit = 2;
const setPrice = 3;

/** Takes compute limit and price, and compares them with the request and with the most that the caller allows. */
export function checkBudget(
  instructions: Instructions,
  header: MessageBudget | undefined,
  { price, isX402, isMpp }: Expectation,
  { maxPriorityFeeLamports = 1_000_000n }: VerifyOptions,
): CheckedBudget {
  const max = BigInt(maxPriorityFeeLamports);
  if (header) {
    const { computeUnitLimit, priorityFee } = header;
    expectLimit(computeUnitLimit);
    const expected = price === 'level' ? priorityFee : feeOf(price, computeUnitLimit);
    expectSame('wrong_compute_budget', 'priority fee', expected, priorityFee);
    return { computeUnitLimit, priorityFeeLamports: bounded(priorityFee, max) };
  }
  const asks = isX402 || price !== 0n;
  const hasLimit = asks || isMpp || instructions.isNext(computeBudgetProgram);
  const computeUnitLimit = hasLimit ? Number(takeSetting(instructions, setLimit, 4)) : undefined;
  if (computeUnitLimit !== undefined) expectLimit(computeUnitLimit);
  const hasPrice = isX402 || (price === 'level' ? instructions.isNext(computeBudgetProgram) : asks);
  const found = hasPrice ? takeSetting(instructions, setPrice, 8) : 0n;
  expectSame('wrong_compute_budget', 'price of a compute unit', price === 'level' ? found : price, found);
  if (hasPrice && !isX402 && found === 0n) throw tooMuch('price of a compute unit', 'none', found);
  if ((isX402 || isMpp) && found > maxPaidPrice)
    throw tooMuch('price of a compute unit', `at most ${maxPaidPrice}`, found);
  if (isMpp && (computeUnitLimit ?? 0) > maxMppUnits) {
    throw tooMuch('compute limit', `at most ${maxMppUnits}`, computeUnitLimit);
  }
  return { computeUnitLimit, priorityFeeLamports: bounded(feeOf(found, computeUnitLimit ?? 0), max) };
}

function takeSetting(instructions: Instructions, kind: number, length: number): bigint {
  const part = kind === setLimit ? 'compute limit' : 'price of a compute unit';
  const { data, accounts } = instructions.take(part, computeBudgetProgram);
  expectSame('wrong_compute_budget', `${part}, kind`, kind, data[0]);
  expectSame('wrong_compute_budget', `${part}, bytes`, 1 + length, data.length);
  expectSame('wrong_account', `${part}, number of accounts`, 0, accounts.length);
  return data.subarray(1).reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
}

function expectLimit(units: number): void {
  if (units < 1 || units > maxComputeUnits) throw tooMuch('compute limit', `1 to ${maxComputeUnits}`, units);
}

// Rounded up, as the runtime does.
function feeOf(microLamports: bigint, units: number): bigint {
  return (microLamports * BigInt(units) + 999_999n) / 1_000_000n;
}

/** Returns a priority fee, in lamports. Throws where it is more than the most that the caller allows. */
export function bounded(lamports: bigint, max: bigint, part = 'priority fee'): bigint {
  if (lamports <= max) return lamports;
  throw new VerificationError('priority_fee_too_high', part, `at most ${max} lamports`, lamports);
}

function tooMuch(part: string, expected: string, actual: unknown): VerificationError {
  return new VerificationError('wrong_compute_budget', part, expected, actual);
}
