import { bestFill } from './best-fill.ts';
import type { FewestTransactions } from './weights/fewest-transactions.ts';
import type { Kind } from './weights/kinds-of-transfers.ts';
import { capacityOf } from './weights/least-parts.ts';
import type { Pace, Steps } from './weights/steps.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import { isWithin, type Limit, ofEachLimit, type WeighedBatch, type Weight } from './weights/weigh-batch.ts';

/**
 * How a transaction is filled.
 *
 * - `by_worth`: with those that are worth most for what they add, so that transfers which share accounts come together; and at last with
 *   those few that fill the rest best
 * - `balanced`: the same, and a limit costs more in a transaction that has little left of it
 * - `thorough`: with those that fill the rest best, of all that there are
 */
export type FillingWay = 'by_worth' | 'balanced' | 'thorough';

/**
 * Fills one transaction after another as far as possible, each after the largest transfer that is left.
 *
 * `kinds`: what is to be filled in, which is taken out. `values`: what each transfer is worth. Throws a `RangeError` for a transfer that
 * fits into no transaction by itself.
 */
export function* fillTransactions(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  fewest: FewestTransactions,
  values: readonly number[],
  way: FillingWay,
  pace: Pace,
): Steps<TransactionLoad[]> {
  const filling = {
    isThorough: way === 'thorough',
    values,
    scarcest: fewest.scarcest,
    prices: pricesOf(batch, fewest),
    capacities: way === 'balanced' ? ofEachLimit((limit) => capacityOf(batch, limit)) : undefined,
  };
  let left = kinds.filter(({ transfers }) => transfers.length > 0);
  const loads: TransactionLoad[] = [];
  for (let [largest] = left; largest; [largest] = left) {
    const load = new TransactionLoad(batch);
    if (!put(largest, load)) throw new RangeError(`transfer ${largest.one.index} fits into no transaction`);
    yield* fill(load, left, filling, pace);
    loads.push(load);
    left = left.filter(({ transfers }) => transfers.length > 0);
  }
  return loads;
}

interface Filling {
  isThorough: boolean;
  values: readonly number[];
  scarcest: Limit;
  /** What a unit of each limit costs. */
  prices: Weight;
  /** Of each limit; `undefined` where it costs the same whatever is left of it. */
  capacities: Weight | undefined;
}

// By how much all transfers together take of each limit: what is not scarce costs next to nothing.
function pricesOf(batch: WeighedBatch, { totals, scarcest }: FewestTransactions): Weight {
  return ofEachLimit((limit) => (totals[limit] / totals[scarcest]) ** 4 / capacityOf(batch, limit));
}

// So that what is all taken has a price, too.
const leastLeft = 0.02;

// What is left least of costs most, so that transfers which take much of one limit come next to those which take much of another.
function pricesIn(room: Weight, { prices, capacities }: Filling): Weight {
  if (!capacities) return prices;
  return ofEachLimit((limit) => prices[limit] / Math.max(leastLeft, room[limit] / capacities[limit]));
}

// As few as are left to choose when the last ones are chosen together.
const chosenTogether = 3;
// How many choices are looked at, so that no batch takes long.
const maxChoices = 300;
const maxThoroughChoices = 3_000;

// How much work it is to weigh a kind, and to look at a choice.
const unitsPerWeighing = 0.03;
const unitsPerChoice = 0.1;

function* fill(load: TransactionLoad, left: readonly Kind[], filling: Filling, pace: Pace): Steps<void> {
  const { values, scarcest, isThorough } = filling;
  let candidates = left;
  let isChosenTogether = false;
  for (;;) {
    const room = load.room();
    const { fitting, best, smallest } = chooseBest(load, candidates, room, {
      ...filling,
      prices: pricesIn(room, filling),
    });
    if (!best) return;
    if (pace.isStepOver(candidates.length * unitsPerWeighing)) yield;
    candidates = fitting;
    if (!isChosenTogether && (isThorough || room[scarcest] < chosenTogether * smallest)) {
      isChosenTogether = true;
      const most = isThorough ? maxThoroughChoices : maxChoices;
      const { chosen, choices } = bestFill(fitting, room[scarcest], values, most);
      for (const kind of chosen) put(kind, load);
      if (pace.isStepOver(choices * unitsPerChoice)) yield;
    } else if (!put(best, load)) {
      candidates = fitting.filter((kind) => kind !== best);
    }
  }
}

interface Choice {
  /** The kinds that there is room for. */
  fitting: readonly Kind[];
  /** The one that is worth most for what it adds, of equals the largest. */
  best: Kind | undefined;
  /** What the smallest adds to the scarcest limit. */
  smallest: number;
}

// Not in the generator, and not by an iterator: each of a million steps would allocate there.
function chooseBest(
  load: TransactionLoad,
  candidates: readonly Kind[],
  room: Weight,
  { values, scarcest, prices }: Filling,
): Choice {
  const added: Weight = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };
  const fitting: Kind[] = [];
  let best: Kind | undefined;
  let bestWorth = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < candidates.length; index++) {
    const kind = candidates[index];
    if (!kind || kind.transfers.length === 0) continue;
    load.weigh(kind.one, added);
    if (!isWithin(added, room)) continue;
    fitting.push(kind);
    kind.weight = added[scarcest];
    smallest = Math.min(smallest, kind.weight);
    const worth = (values[kind.one.index] ?? 0) / costOf(added, prices);
    if (!best || worth > bestWorth + margin || (worth > bestWorth - margin && kind.weight > best.weight)) {
      best = kind;
      bestWorth = worth;
    }
  }
  return { fitting, best, smallest };
}

const margin = 1e-9;

function costOf(weight: Weight, prices: Weight): number {
  return (
    weight.bytes * prices.bytes +
    weight.accounts * prices.accounts +
    weight.instructions * prices.instructions +
    weight.computeUnits * prices.computeUnits
  );
}

function put(kind: Kind, load: TransactionLoad): boolean {
  const transfer = kind.transfers.at(-1);
  if (!transfer || !load.add(transfer)) return false;
  kind.transfers.pop();
  return true;
}
