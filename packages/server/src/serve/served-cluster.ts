import type { Logger } from 'pino';
import { RpcChainReader, type RpcChainReaderOptions } from '../chain/rpc-chain-reader.ts';
import { type ChainObserver, silentObserver, UpstreamFault } from '../chain/upstream-faults.ts';
import type { Config } from '../config.ts';
import { assertOfSandbox, claimForNetwork } from '../store/cluster.ts';
import type { Store } from './store/store.ts';

/** Upstreams of different clusters; the message is a sentence with the variable to change. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

/** Makes a reader of the chain. The log gets every change of which upstreams are used, never their URLs. */
export function createChainReader(
  { urls, genesisHash }: Pick<RpcChainReaderOptions, 'urls' | 'genesisHash'>,
  config: Config,
  logger: Logger,
  observer: ChainObserver = silentObserver,
): RpcChainReader {
  return new RpcChainReader({
    urls,
    genesisHash,
    timeoutMs: config.rpcTimeoutMs,
    proxy: config.proxy,
    quorum: config.upstreamQuorum,
    blockhashMaxAgeMs: config.blockhashMaxAgeMs,
    observer: {
      ...observer,
      usageChanged: (upstream, fault) => {
        if (fault) logger.warn({ upstream, kind: fault.kind, reason: fault.reason }, 'upstream not used');
        else logger.info({ upstream }, 'upstream used again');
        observer.usageChanged(upstream, fault);
      },
    },
    now: () => performance.now(),
  });
}

/** Compares the clusters of the upstreams that answer. Throws a `ClusterError` when they differ. */
export async function assertOneCluster(reader: RpcChainReader): Promise<void> {
  try {
    await reader.compareClusters();
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new ClusterError(`SOLANA_RPC_URLS names different clusters: of one upstream, ${error.reason}.`);
  }
}

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
