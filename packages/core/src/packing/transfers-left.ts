import type { TransactionLoad } from './weights/transaction-load.ts';
import { type Kind, type Limit, limits, type WeighedBatch, type Weight } from './weights/weigh-batch.ts';

/** What decides which transfer goes into a transaction next. */
export interface Worth {
  /** What each transfer is worth, by its index in the batch. */
  values: readonly number[];
  /** The limit of which the transfers take most. Of those that are worth the same the one that takes most of it goes first. */
  scarcest: Limit;
}

/** The kind that goes into a transaction next. */
export interface Choice {
  kind: number;
  /** There is room for fewer than this many of the smallest kind that fits. */
  roomFor: number;
}

// What two numbers may differ by and count as equal.
const margin = 1e-9;
// How many choices of the last transfers of a transaction are looked at, and how many looks at a kind one takes as long as.
const maxChoices = 300;
const looksPerChoice = 5;

/**
 * The transfers that are left to be packed, by kinds, and what one of each kind would add to the transaction that is being filled.
 *
 * These weights are kept: a shared part that the transaction gets is taken off the weights of the kinds that need it. To weigh every kind
 * again for every transfer that goes in would take several times as long.
 */
export class TransfersLeft {
  readonly #kinds: readonly Kind[];
  readonly #shared: WeighedBatch['shared'];
  readonly #values: Float64Array;
  readonly #scarcest: Limit;
  // How many transfers of each kind are left.
  readonly #counts: Uint16Array;
  readonly #alone: WeightsOfKinds;
  readonly #added: WeightsOfKinds;
  // The kinds that need each shared part. Those of which nothing is left are taken out on the way.
  readonly #kindsWith: readonly number[][];
  // Which shared parts the transaction has.
  readonly #isPresent: Uint8Array;
  // The kinds that may still fit into the transaction.
  readonly #candidates: Int32Array;
  #candidateCount = 0;
  #largest = 0;
  #looks = 0;

  /** `kinds`: the largest first. */
  constructor({ shared }: WeighedBatch, kinds: readonly Kind[], { values, scarcest }: Worth) {
    this.#kinds = kinds;
    this.#shared = shared;
    this.#values = Float64Array.from(kinds, ({ one }) => values[one.index] ?? 0);
    this.#scarcest = scarcest;
    this.#counts = Uint16Array.from(kinds, ({ transfers }) => transfers.length);
    this.#alone = weightsOf(kinds);
    this.#added = weightsOf(kinds);
    this.#kindsWith = shared.map(() => []);
    this.#isPresent = new Uint8Array(shared.length);
    this.#candidates = new Int32Array(kinds.length);
    for (const [kind, { parts }] of kinds.entries()) {
      for (const part of parts) this.#kindsWith[part]?.push(kind);
      this.#looks += parts.length;
    }
  }

  /** How many weights were looked at: that is the work that was done. */
  get looks(): number {
    return this.#looks;
  }

  /** Puts the largest transfer into an empty transaction; `false` where no transfer is left. Throws a `RangeError` where it does not fit. */
  begin(load: TransactionLoad): boolean {
    while (this.#counts[this.#largest] === 0) this.#largest++;
    const largest = this.#kinds[this.#largest];
    if (!largest) return false;
    this.#isPresent.fill(0);
    for (const limit of limits) this.#added[limit].set(this.#alone[limit]);
    this.#candidateCount = 0;
    for (let kind = this.#largest; kind < this.#kinds.length; kind++) this.#candidates[this.#candidateCount++] = kind;
    this.#looks += this.#candidateCount;
    if (!this.put(this.#largest, load)) throw new RangeError(`transfer ${largest.one.index} fits into no transaction`);
    return true;
  }

  /** Puts a transfer of a kind into the transaction, and returns whether there was room. Throws a `RangeError` where none is left. */
  put(kind: number, load: TransactionLoad): boolean {
    const { transfers = [], parts = [] } = this.#kinds[kind] ?? {};
    const left = this.#counts[kind] ?? 0;
    const transfer = transfers[transfers.length - left];
    if (!transfer) throw new RangeError(`no transfer of kind ${kind} is left`);
    if (!load.add(transfer)) {
      const at = this.#candidates.indexOf(kind);
      this.#candidates.copyWithin(at, at + 1, this.#candidateCount--);
      return false;
    }
    this.#counts[kind] = left - 1;
    for (const part of parts) if (!this.#isPresent[part]) this.#addPart(part);
    return true;
  }

  /** Returns the kind that fits and is worth most for what it adds, of equals the largest; `undefined` where none fits. `prices`: of a unit of each limit. */
  best(room: Weight, prices: Weight): Choice | undefined {
    const { bytes, accounts, instructions, computeUnits } = this.#added;
    const sizes = this.#added[this.#scarcest];
    const values = this.#values;
    const counts = this.#counts;
    const candidates = this.#candidates;
    const candidateCount = this.#candidateCount;
    let best: number | undefined;
    let bestWorth = 0;
    let bestSize = 0;
    let smallest = Number.POSITIVE_INFINITY;
    let fittingCount = 0;
    this.#looks += candidateCount;
    for (let at = 0; at < candidateCount; at++) {
      const kind = candidates[at] ?? 0;
      const ofBytes = bytes[kind] ?? 0;
      const ofAccounts = accounts[kind] ?? 0;
      const ofInstructions = instructions[kind] ?? 0;
      const ofUnits = computeUnits[kind] ?? 0;
      if (counts[kind] === 0 || ofBytes > room.bytes || ofAccounts > room.accounts) continue;
      if (ofInstructions > room.instructions || ofUnits > room.computeUnits) continue;
      candidates[fittingCount++] = kind;
      const cost =
        ofBytes * prices.bytes +
        ofAccounts * prices.accounts +
        ofInstructions * prices.instructions +
        ofUnits * prices.computeUnits;
      const worth = (values[kind] ?? 0) / cost;
      const size = sizes[kind] ?? 0;
      if (size < smallest) smallest = size;
      if (best === undefined || worth > bestWorth + margin || (worth > bestWorth - margin && size > bestSize)) {
        best = kind;
        bestWorth = worth;
        bestSize = size;
      }
    }
    this.#candidateCount = fittingCount;
    if (best === undefined) return undefined;
    return { kind: best, roomFor: Math.floor(room[this.#scarcest] / smallest) + 1 };
  }

  /** Whether the transaction has all shared parts that a kind needs. */
  hasPartsOf(kind: number): boolean {
    return (this.#kinds[kind]?.parts ?? []).every((part) => this.#isPresent[part] === 1);
  }

  /** Returns the kinds that fit by the scarcest limit and are worth most together, of those that `best` found to fit. */
  bestTogether(room: Weight): readonly number[] {
    const sizes = this.#added[this.#scarcest];
    const items = Array.from(this.#candidates.subarray(0, this.#candidateCount), (kind) => {
      return { kind, size: sizes[kind] ?? 0, value: this.#values[kind] ?? 0, count: this.#counts[kind] ?? 0 };
    });
    const { chosen, choices } = bestFill(items, room[this.#scarcest], maxChoices);
    this.#looks += (items.length + choices) * looksPerChoice;
    return chosen.map(({ kind }) => kind);
  }

  #addPart(index: number): void {
    const part = this.#shared[index];
    const kinds = this.#kindsWith[index];
    if (!part || !kinds) throw new RangeError(`there is no shared part ${index}`);
    this.#isPresent[index] = 1;
    this.#looks += kinds.length;
    const { bytes, accounts, instructions, computeUnits } = this.#added;
    let count = 0;
    for (let at = 0; at < kinds.length; at++) {
      const kind = kinds[at] ?? 0;
      if (this.#counts[kind] === 0) continue;
      kinds[count++] = kind;
      bytes[kind] = (bytes[kind] ?? 0) - part.bytes;
      accounts[kind] = (accounts[kind] ?? 0) - part.accounts;
      instructions[kind] = (instructions[kind] ?? 0) - part.instructions;
      computeUnits[kind] = (computeUnits[kind] ?? 0) - part.computeUnits;
    }
    kinds.length = count;
  }
}

type WeightsOfKinds = Readonly<Record<Limit, Float64Array>>;

function weightsOf(kinds: readonly Kind[]): WeightsOfKinds {
  const weightsBy = (limit: Limit): Float64Array => Float64Array.from(kinds, ({ alone }) => alone[limit]);
  return {
    bytes: weightsBy('bytes'),
    accounts: weightsBy('accounts'),
    instructions: weightsBy('instructions'),
    computeUnits: weightsBy('computeUnits'),
  };
}

/** Something that a room is filled with. */
export interface Item {
  size: number;
  value: number;
  /** How often it can be taken. */
  count: number;
}

/** What fills a room best of all that was looked at. */
export interface BestFill<Each> {
  /** Each as often as it is taken. */
  chosen: readonly Each[];
  /** How many choices were looked at. */
  choices: number;
}

/** Returns the items that fit into a room together and are worth most; after `maxChoices` the best so far. */
function bestFill<Each extends Item>(items: readonly Each[], room: number, maxChoices: number): BestFill<Each> {
  const sorted = items.toSorted((a, b) => b.size - a.size);
  const highestWorth = sorted.reduce((most, { value, size }) => Math.max(most, value / size), 0);
  const chosen: Each[] = [];
  let best: readonly Each[] = [];
  let bestValue = 0;
  let choices = 0;
  const choose = (from: number, left: number, value: number): void => {
    if (value > bestValue + 1e-9) {
      bestValue = value;
      best = chosen.slice();
    }
    for (let at = Math.max(from, firstWithin(sorted, left)); at < sorted.length; at++) {
      const item = sorted[at];
      if (!item || choices >= maxChoices || value + left * highestWorth <= bestValue + 1e-9) return;
      if (chosen.filter((each) => each === item).length === item.count) continue;
      choices += 1;
      chosen.push(item);
      choose(at, left - item.size, value + item.value);
      chosen.pop();
    }
  };
  choose(0, room, 0);
  return { chosen: best, choices };
}

// The index of the largest one that is no larger than `room`.
function firstWithin(sorted: readonly Item[], room: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.size ?? 0) > room) low = middle + 1;
    else high = middle;
  }
  return low;
}
