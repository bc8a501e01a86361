import { computeBudgetProgram } from '../../addresses/programs.ts';
import { budgetBytesOf, limitInstructionBytes, limitsOf, weightOfFrame } from './transaction-load.ts';
import { addressLength, type Limit, nothing, type WeighedBatch, type Weight } from './weigh-batch.ts';

/** Of each transfer of a batch the least part of a transaction that it takes: those in one transaction sum up to 1 at most. */
export type Parts = readonly number[];

/** What floating point may add to a sum of parts. */
export const tolerance = 1e-6;

/** A shared part as one limit sees it. */
interface Common {
  /** What it takes of the limit, once in a transaction. */
  weight: number;
  /** The transfers that need it. */
  members: number[];
  /** No transaction has more of them. */
  mostTogether: number;
  /** Whether it is taken off the capacity instead of being divided among those that need it. */
  isReserved: boolean;
}

/**
 * Returns the least part that each transfer takes of one limit of its transaction, whichever others are in there.
 *
 * Proof that those in one transaction sum up to 1 at most. Let it have the transfers `i` with own weights `o(i)` and the shared
 * parts `t` with weights `c(t)`, each needed by `s(t)` of its transfers. It fits: the sum of all `o(i)` and `c(t)` is no more than
 * the capacity `C`. Some parts are reserved: for each `i` the reserved ones that it needs, `r(i)`, leave `C - r(i)` or less to the
 * rest of any transaction that it is in. The other parts are divided among those that need them: `i` is charged
 * `o(i)` and the sum of `c(t) / s(t)`, and all charges together are what the rest takes. So the sum over `i` of
 * `charge(i) / (C - r(i))` is 1 at most. And a charge is at least what is returned for it, times `C - r(i)`, because `s(t)` is at most as
 * many of the smallest that need `t` as fit next to it.
 *
 * Next to a hook a memo needs a compute limit, unless its transfer is alone; who is alone takes 1 at most.
 */
export function leastPartsOf(batch: WeighedBatch, limit: Limit): Parts {
  const capacity = capacityOf(batch, limit);
  const own = batch.transfers.map((transfer) => transfer[limit]);
  const commons = commonsOf(batch, limit, own, capacity);
  const charges = own.slice();
  const capacities = own.map(() => capacity);
  for (const { weight, members, mostTogether, isReserved } of commons) {
    for (const member of members) {
      if (isReserved) capacities[member] = (capacities[member] ?? 0) - weight;
      else charges[member] = (charges[member] ?? 0) + weight / mostTogether;
    }
  }
  return charges.map((charge, index) => Math.min(1, charge / (capacities[index] ?? capacity)));
}

/**
 * Returns of each transfer the mean of the parts that it takes of all limits: those in one transaction sum up to 1 at most.
 *
 * `parts`: of each limit, of all transfers. `power`: how much more the scarce limits count.
 */
export function meanParts(parts: readonly Parts[], power: number): Parts {
  const totals = parts.map((ofLimit) => ofLimit.reduce((sum, part) => sum + part, 0));
  const highest = Math.max(...totals);
  const weights = totals.map((total) => (total / highest) ** power);
  const sumOfWeights = weights.reduce((sum, weight) => sum + weight, 0);
  return (parts[0] ?? []).map((_, index) => {
    let mean = 0;
    for (const [limit, ofLimit] of parts.entries()) mean += (ofLimit[index] ?? 0) * (weights[limit] ?? 0);
    return mean / sumOfWeights;
  });
}

/** Returns how many of the smallest numbers fit into a room together. `sorted`: the smallest first. */
export function countOfSmallest(sorted: ArrayLike<number>, room: number): number {
  let left = room + tolerance;
  let count = 0;
  for (; count < sorted.length; count++) {
    left -= sorted[count] ?? 0;
    if (left < 0) break;
  }
  return count;
}

/** Returns numbers in their order, the smallest first. */
export function sortedNumbers(numbers: readonly number[]): Float64Array {
  const sorted = Float64Array.from(numbers);
  // In most batches all are the same.
  for (let index = 1; index < sorted.length; index++) {
    if ((sorted[index - 1] ?? 0) > (sorted[index] ?? 0)) return sorted.sort();
  }
  return sorted;
}

/** What the transfers of a transaction may take of a limit together, at most. */
export function capacityOf({ frame, shared }: WeighedBatch, limit: Limit): number {
  const capacity = limitsOf(frame)[limit] - weightOfFrame(frame)[limit];
  const budgetBytes = budgetBytesOf(frame);
  // The program of a limit that every transaction has, unless a transfer names it: then that one has it as a shared part.
  const hasProgram = budgetBytes > 0 && !frame.accounts.includes(computeBudgetProgram);
  const programs = hasProgram && !shared.some(({ isLimitProgram }) => isLimitProgram) ? 1 : 0;
  if (limit === 'bytes') return capacity - budgetBytes - programs * addressLength;
  return limit === 'accounts' ? capacity - programs : capacity;
}

/**
 * What the compute limit takes that a transaction needs where memos are next to hooks, unless there is one transfer alone.
 *
 * Nothing without hooks, and where every transaction has a limit anyway.
 */
function limitOfHookedMemo({ frame, shared }: WeighedBatch): Readonly<Weight> {
  if (!frame.isHooked || frame.version === 1 || budgetBytesOf(frame) !== 0) return nothing;
  const accounts = shared.some(({ isLimitProgram }) => isLimitProgram) ? 0 : 1;
  return { ...nothing, bytes: limitInstructionBytes + accounts * addressLength, accounts };
}

function commonsOf(batch: WeighedBatch, limit: Limit, own: readonly number[], capacity: number): readonly Common[] {
  const { transfers, shared } = batch;
  const commons = shared.map((part): Common => {
    return { weight: part[limit], members: [], mostTogether: 1, isReserved: false };
  });
  for (const transfer of transfers) for (const part of transfer.shared) commons[part]?.members.push(transfer.index);
  const weight = limitOfHookedMemo(batch)[limit];
  if (weight > 0) {
    const withMemo = transfers.filter(({ memoComputeUnits }) => memoComputeUnits !== undefined);
    const members = withMemo.map(({ index }) => index);
    commons.push({ weight, members, mostTogether: 1, isReserved: false });
  }
  for (const common of commons) {
    if (common.weight === 0) continue;
    const weights = sortedNumbers(common.members.map((member) => own[member] ?? 0));
    common.mostTogether = Math.max(1, countOfSmallest(weights, capacity - common.weight));
    // Either is right; of the many that fill transactions by themselves reserving asks more.
    const filled = weights.reduce((sum, weight) => sum + weight, 0) / capacity;
    common.isReserved = filled > common.members.length / common.mostTogether;
  }
  return commons;
}
