import { type Address, toAddress } from 'splwright-core';
import type { AccountsAtSlot, Consensus, Deadline } from './chain-reader.ts';
import { UpstreamFault } from './upstream-faults.ts';

/**
 * The account with the certificate of the first block of Alpenglow, empty before (SIMD-0326; agave `votor`, seed `carlgration`).
 *
 * Every node has it; `getAgGenesisCert` says the same, and nodes before agave 4.2 do not know it.
 */
export const alpenglowCertificate: Address = toAddress('42Ym56TQ7AKFThRv5nyoSABq5ZPgE2TLKo8BALZEtoU1');

/** Returns the consensus that the account `alpenglowCertificate` tells of. */
function consensusOf([certificate]: AccountsAtSlot['accounts']): Consensus {
  return certificate && certificate.data.length > 0 ? 'alpenglow' : 'tower_bft';
}

/** What the consensus is read with. */
export interface ConsensusWatchOptions {
  readAccounts: (addresses: readonly Address[], deadline: Deadline) => Promise<AccountsAtSlot>;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

const timeoutMs = 1_000;
// Alpenglow is for good. A cluster without it may migrate.
const recheckMs = 3_600_000;
const retryMs = 10_000;

/** The consensus of the cluster: asked for when it is needed, and not again once it is Alpenglow. */
export class ConsensusWatch {
  readonly #options: ConsensusWatchOptions;
  #known: Consensus | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Consensus | undefined> | undefined;

  constructor(options: ConsensusWatchOptions) {
    this.#options = options;
  }

  /** What is known of it; sends nothing. */
  get known(): Consensus | undefined {
    return this.#known;
  }

  /** Resolves with the consensus within a second; with `undefined` while no node has told it. */
  async read(): Promise<Consensus | undefined> {
    if (this.#known === 'alpenglow' || this.#options.now() < this.#dueAt) return this.#known;
    this.#reading ??= this.#ask().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #ask(): Promise<Consensus | undefined> {
    const { readAccounts, now } = this.#options;
    try {
      const { accounts } = await readAccounts([alpenglowCertificate], now() + timeoutMs);
      this.#known = consensusOf(accounts);
      this.#dueAt = now() + recheckMs;
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      this.#dueAt = now() + retryMs;
    }
    return this.#known;
  }
}
