import type { Address } from '../core/address.ts';
import type { ChainObserver } from './chain-observer.ts';
import type { AccountsAtSlot, Deadline } from './chain-reader.ts';
import { type DeadlineWatch, SharedAnswer } from './shared-answer.ts';

/** The accounts of a call, and which of them need to be read whole. */
export interface SlicedAccounts extends AccountsAtSlot {
  /** The places of mints and token accounts of which a part is missing. */
  cut: ReadonlySet<number>;
}

/** What a batcher stands on. */
export interface AccountBatcherOptions {
  /** Reads accounts in one upstream call, of each no more than a part of its data. */
  call: (addresses: readonly Address[], deadline: Deadline) => Promise<SlicedAccounts>;
  /** Reads whole accounts in one upstream call. */
  callWhole: (addresses: readonly Address[], deadline: Deadline) => Promise<AccountsAtSlot>;
  watch: DeadlineWatch;
  observer: ChainObserver;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/** The most accounts that one `getMultipleAccounts` takes (agave `MAX_MULTIPLE_ACCOUNTS`). */
const mostAddresses = 100;

// A batch waits for more requests only while another call is under way, and then for no more than this part of a round trip.
const waitedPartOfRoundTrip = 1 / 20;

// What one more round trip weighs in their running mean.
const newestWeight = 1 / 8;

interface Batch {
  /** Where each address stands in the call. */
  places: Map<Address, number>;
  answer: SharedAnswer<SlicedAccounts>;
  isSent: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Lets requests that arrive together share upstream calls: up to 100 addresses a call, each of them once.
 *
 * A request that comes alone is sent at the end of the turn of the event loop. While a call is under way, later ones gather
 * until it returns, until they fill a call, or for a twentieth of a round trip, whichever comes first.
 */
export class AccountBatcher {
  readonly #options: AccountBatcherOptions;
  #open: Batch | undefined;
  #underWay = 0;
  #roundTripMilliseconds = 0;

  constructor(options: AccountBatcherOptions) {
    this.#options = options;
  }

  /** Reads up to 100 accounts as of one slot. Throws what the upstream call throws, or `upstream_timeout`. */
  read(addresses: readonly Address[], deadline: Deadline): Promise<AccountsAtSlot> {
    const batch = this.#batchFor(addresses);
    const places = addresses.map((address) => placeOf(batch, address));
    const read = batch.answer.wait(deadline, ({ slot, accounts, cut }) =>
      // By itself, so that nobody else waits for what is that large.
      cut.size > 0 && places.some((place) => cut.has(place))
        ? this.#options.callWhole(addresses, deadline)
        : { slot, accounts: places.map((place) => accounts[place] ?? null) },
    );
    if (batch.places.size >= mostAddresses) this.#send(batch);
    return read;
  }

  #batchFor(addresses: readonly Address[]): Batch {
    if (this.#open && !hasRoom(this.#open, addresses)) this.#send(this.#open);
    this.#open ??= this.#newBatch();
    return this.#open;
  }

  #newBatch(): Batch {
    const batch: Batch = {
      places: new Map(),
      answer: new SharedAnswer(this.#options.watch),
      isSent: false,
      timer: undefined,
    };
    const send = (): void => this.#send(batch);
    if (this.#underWay === 0) setImmediate(send);
    else batch.timer = setTimeout(send, this.#roundTripMilliseconds * waitedPartOfRoundTrip);
    return batch;
  }

  #send(batch: Batch): void {
    if (batch.isSent) return;
    batch.isSent = true;
    clearTimeout(batch.timer);
    if (this.#open === batch) this.#open = undefined;
    if (batch.answer.waiting === 0) batch.answer.reject(undefined);
    else void this.#call(batch);
  }

  async #call({ places, answer }: Batch): Promise<void> {
    const startedAt = this.#options.now();
    this.#options.observer.batchSent(answer.waiting, places.size);
    this.#underWay += 1;
    try {
      const read = await this.#options.call([...places.keys()], answer.latestDeadline);
      this.#returned(startedAt);
      answer.resolve(read);
    } catch (error) {
      this.#returned(startedAt);
      answer.reject(error);
    }
  }

  // Those who gathered meanwhile go before the answer is worked on: the upstream works on theirs at the same time.
  #returned(startedAt: number): void {
    this.#underWay -= 1;
    this.#roundTripMilliseconds += (this.#options.now() - startedAt - this.#roundTripMilliseconds) * newestWeight;
    if (this.#open) this.#send(this.#open);
  }
}

function placeOf({ places }: Batch, address: Address): number {
  const known = places.get(address);
  if (known !== undefined) return known;
  places.set(address, places.size);
  return places.size - 1;
}

function hasRoom({ places }: Batch, addresses: readonly Address[]): boolean {
  if (places.size + addresses.length <= mostAddresses) return true;
  const added = new Set(addresses.filter((address) => !places.has(address)));
  return places.size + added.size <= mostAddresses;
}
