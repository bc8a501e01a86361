import { type Pause, transfersPerTurn } from './pause.ts';
import { TransfersLeft, type Worth } from './transfers-left.ts';
import { TransactionLoad } from './weights/transaction-load.ts';
import { type Kind, ofEachLimit, type WeighedBatch, type Weight } from './weights/weigh-batch.ts';

/** How transactions are filled. */
export interface Filling extends Worth {
  /** What a unit of each limit costs. */
  prices: Weight;
  /** Of each limit, where a limit costs more in a transaction that has little left of it; `undefined` where it does not. */
  capacities: Weight | undefined;
  /** When there is room for fewer than this many of the smallest transfer, those that fill it best are chosen together. */
  chosenTogether: number;
}

/** Transactions that have all transfers of a batch, and the work that it took to fill them. */
export interface FilledTransactions {
  loads: TransactionLoad[];
  units: number;
}

// How much work it is to begin a transaction, and to look at what a transfer would add to it.
const unitsPerTransaction = 1_000;
const unitsPerLook = 3;
// How many transfers may turn out not to fit, because one makes a compute limit necessary, before the transaction counts as full.
const maxMisfits = 8;
// So that a limit of which nothing is left has a price.
const leastLeft = 0.02;

/**
 * Fills one transaction after another: the largest transfer that is left goes first, then what is worth most for what it adds, so that
 * transfers which share accounts come together. The last few are chosen together, to leave little room empty.
 *
 * `kinds`: the largest first. `undefined` when it would take more than `maxUnits` of work.
 */
export async function fillTransactions(
  batch: WeighedBatch,
  kinds: readonly Kind[],
  filling: Filling,
  maxUnits: number,
  pause: Pause,
): Promise<FilledTransactions | undefined> {
  const left = new TransfersLeft(batch, kinds, filling);
  const loads: TransactionLoad[] = [];
  let units = 0;
  let filledInTurn = 0;
  for (let load = new TransactionLoad(batch); left.begin(load); load = new TransactionLoad(batch)) {
    fill(load, left, filling);
    loads.push(load);
    units = loads.length * unitsPerTransaction + left.looks * unitsPerLook;
    if (units > maxUnits) return undefined;
    filledInTurn += load.transfers.length;
    if (filledInTurn < transfersPerTurn) continue;
    await pause();
    filledInTurn = 0;
  }
  return { loads, units };
}

function fill(load: TransactionLoad, left: TransfersLeft, filling: Filling): void {
  let isChosenTogether = false;
  for (let misfits = 0; misfits < maxMisfits; ) {
    const room = load.room();
    const best = left.best(room, pricesIn(room, filling));
    if (!best) return;
    if (!isChosenTogether && best.roomFor <= filling.chosenTogether && left.hasPartsOf(best.kind)) {
      isChosenTogether = true;
      for (const kind of left.bestTogether(room)) left.put(kind, load);
    } else if (!left.put(best.kind, load)) {
      misfits += 1;
    }
  }
}

// Transfers that take much of one limit come next to those which take much of another.
function pricesIn(room: Weight, { prices, capacities }: Filling): Weight {
  if (!capacities) return prices;
  return ofEachLimit((limit) => prices[limit] / Math.max(leastLeft, room[limit] / capacities[limit]));
}
