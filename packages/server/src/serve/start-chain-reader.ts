import type { Logger } from 'pino';
import { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import { type ChainObserver, silentObserver, UpstreamFault } from '../chain/upstream-faults.ts';
import type { Config } from '../config.ts';

/** Upstreams of different clusters; the message is a sentence with the variable to change. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

/** Makes a reader of the chain. The log gets every change of which upstreams are used, never their URLs. */
export function createChainReader(
  urls: readonly string[],
  config: Config,
  logger: Logger,
  observer: ChainObserver = silentObserver,
): RpcChainReader {
  return new RpcChainReader({
    urls,
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
