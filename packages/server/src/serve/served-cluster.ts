import { UpstreamFault } from '../chain/upstream-faults.ts';
import { assertOfSandbox, claimForNetwork } from '../store/cluster.ts';
import type { Store } from './store/store.ts';

/** Where a service finds which cluster it serves. */
interface ServedClusterOptions {
  /** Asks the upstreams; absent with an embedded sandbox. Throws an `UpstreamFault`. */
  readGenesisHash: (() => Promise<string>) | undefined;
  store: Pick<Store, 'database'>;
}

/**
 * The cluster whose records a database holds, compared with the one that a service serves.
 *
 * Found at the start if the upstreams answer, otherwise when records are needed.
 */
export class ServedCluster {
  readonly #options: ServedClusterOptions;
  #confirmed: Promise<void> | undefined;

  constructor(options: ServedClusterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the records are of the cluster that is served; concurrent calls share one query.
   *
   * Throws a `KeyStoreError` when they are of another one, an `UpstreamFault` while no upstream says which it is, or what the database
   * throws; the next call asks again.
   */
  confirm(): Promise<void> {
    const { readGenesisHash, store } = this.#options;
    // Asked each time: a service on a network takes over what was a sandbox's.
    if (!readGenesisHash) return assertOfSandbox(store.database);
    this.#confirmed ??= readGenesisHash()
      .then((genesisHash) => claimForNetwork(store.database, genesisHash))
      .catch((error: unknown) => {
        this.#confirmed = undefined;
        throw error;
      });
    return this.#confirmed;
  }

  /** As `confirm`, but resolves while no upstream answers: a service starts without one. */
  async confirmIfKnown(): Promise<void> {
    await this.confirm().catch((error: unknown) => {
      if (!(error instanceof UpstreamFault)) throw error;
    });
  }
}
