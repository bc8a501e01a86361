import type { Address } from 'splwright-core';
import type { AccountsAtSlot, Deadline } from './chain-reader.ts';
import { byDeadline } from './shared-calls.ts';
import type { ChainObserver } from './upstream-faults.ts';

/** The accounts of a call, and which of them need to be read whole. */
export interface SlicedAccounts extends AccountsAtSlot {
  /** The indices of mints and token accounts whose data is longer than what was read. */
  cut: ReadonlySet<number>;
}

/** The upstream calls of a batcher, and what it shares with the rest of the reader. */
export interface AccountBatcherOptions {
  /** Reads accounts in one upstream call, each up to a first part of its data. */
  call: (addresses: readonly Address[], deadline: Deadline) => Promise<SlicedAccounts>;
  /** Reads whole accounts in one upstream call. */
  callWhole: (addresses: readonly Address[], deadline: Deadline) => Promise<AccountsAtSlot>;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** The most accounts that one `getMultipleAccounts` takes (agave `MAX_MULTIPLE_ACCOUNTS`). */
const maxAddresses = 100;

// A batch waits for more requests only while another call is under way, and then for no more than this part of a round trip.
const waitFraction = 1 / 20;

// The weight of the newest round trip in their running mean.
const newestWeight = 1 / 8;

interface Batch {
  /** The index of each address in the call. */
  indices: Map<Address, number>;
  requests: number;
  /** The latest of the requests. */
  deadline: Deadline;
  answer: PromiseWithResolvers<SlicedAccounts>;
  isSent: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Combines requests that arrive together into upstream calls of up to 100 distinct addresses.
 *
 * A single request is sent at the end of the turn of the event loop. While a call is under way, later requests are collected
 * until the end of the turn in which it returns, until they fill a call, or for a twentieth of a round trip, whichever comes first.
 */
export class AccountBatcher {
  readonly #options: AccountBatcherOptions;
  #open: Batch | undefined;
  #underWay = 0;
  #roundTripMs = 0;

  constructor(options: AccountBatcherOptions) {
    this.#options = options;
  }

  /** Reads up to 100 accounts as of one slot. Throws what the upstream call throws, or `upstream_timeout`. */
  read(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot> {
    const batch = this.#batchFor(addresses);
    const indices = addresses.map((address) => indexIn(batch, address));
    batch.requests += 1;
    batch.deadline = Math.max(batch.deadline, deadline);
    const read = batch.answer.promise.then(({ slot, accounts, cut }) =>
      // Large accounts get a call of their own, so that other requests do not wait for it.
      cut.size > 0 && indices.some((index) => cut.has(index))
        ? this.#options.callWhole(addresses, deadline)
        : { slot, accounts: indices.map((index) => accounts[index] ?? null) },
    );
    if (batch.indices.size >= maxAddresses) this.#send(batch);
    return byDeadline(read, deadline, this.#options.now);
  }

  #batchFor(addresses: readonly Address[]): Batch {
    if (this.#open && !hasRoom(this.#open, addresses)) this.#send(this.#open);
    this.#open ??= this.#newBatch();
    return this.#open;
  }

  #newBatch(): Batch {
    const batch: Batch = {
      indices: new Map(),
      requests: 0,
      deadline: Number.NEGATIVE_INFINITY,
      answer: Promise.withResolvers(),
      isSent: false,
      timer: undefined,
    };
    const send = (): void => this.#send(batch);
    if (this.#underWay === 0) setImmediate(send);
    else batch.timer = setTimeout(send, this.#roundTripMs * waitFraction);
    return batch;
  }

  #send(batch: Batch): void {
    if (batch.isSent) return;
    batch.isSent = true;
    clearTimeout(batch.timer);
    if (this.#open === batch) this.#open = undefined;
    void this.#call(batch);
  }

  async #call({ indices, requests, deadline, answer }: Batch): Promise<void> {
    const startedAt = this.#options.now();
    this.#options.observer.batchSent(requests, indices.size);
    this.#underWay += 1;
    const call = this.#options.call([...indices.keys()], deadline);
    await call.then(answer.resolve, answer.reject);
    this.#returned(startedAt);
  }

  // The next batch is sent at the end of this turn of the event loop: the requests that arrive in it share the call.
  #returned(startedAt: number): void {
    this.#underWay -= 1;
    this.#roundTripMs += (this.#options.now() - startedAt - this.#roundTripMs) * newestWeight;
    const open = this.#open;
    if (open) setImmediate(() => this.#send(open));
  }
}

function indexIn({ indices }: Batch, address: Address): number {
  const known = indices.get(address);
  if (known !== undefined) return known;
  indices.set(address, indices.size);
  return indices.size - 1;
}

function hasRoom({ indices }: Batch, addresses: readonly Address[]): boolean {
  if (indices.size + addresses.length <= maxAddresses) return true;
  const added = new Set(addresses.filter((address) => !indices.has(address)));
  return indices.size + added.size <= maxAddresses;
}
