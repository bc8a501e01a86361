import { type Logger, pino } from 'pino';
import { silentObserver } from '../chain/chain-observer.ts';
import { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import type { Config } from '../config.ts';
import { buildApp } from '../http/build-app.ts';
import { createAuthenticator } from '../keys/authenticator.ts';
import { maskApiKeys } from '../keys/mask-api-keys.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { sandboxApiKey, sandboxKeyId } from '../keys/sandbox-key.ts';
import { storeFaultOf } from '../keys/store-fault.ts';
import { UsageRecorder } from '../keys/usage-recorder.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { TransferBuilder } from '../service/transfer-builder.ts';
import { ClusterError, inPort } from './start-errors.ts';
import { type SharedLeases, startLimiter } from './start-limiter.ts';
import { listenSandbox, type SandboxEndpoint } from './start-sandbox.ts';

/** A service that listens. */
export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The embedded sandbox, when no upstream is configured. */
  sandbox: Sandbox | undefined;
  /** Whether any stored key would be accepted now. */
  hasActiveKey: boolean;
  /** Finishes what is in flight, then releases everything. */
  close(): Promise<void>;
}

/** What a service shares with other processes, instead of having its own. */
export interface SharedParts {
  /** The sandbox to use when no upstream is configured. */
  sandbox: SandboxEndpoint | undefined;
  /** The budgets of rate limits, and how many processes share them. */
  leases: SharedLeases;
}

/**
 * Starts the whole service from its configuration; `shared` is what other processes have started for it.
 *
 * Throws a `ListenError`, a `ClusterError`, or a `KeyStoreError` when the key store cannot be opened; nothing is left running
 * then.
 */
export async function startService(
  config: Config,
  version: string,
  logLine: (line: string) => void,
  shared?: SharedParts,
): Promise<RunningService> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const store = await openKeyStore(config.databaseUrl, { use: 'service' });
    closers.push(() => store.close());
    const sandbox = config.solanaRpcUrls.length === 0 && !shared ? await listenSandbox(config) : undefined;
    if (sandbox) closers.push(() => sandbox.close());
    const ledger = sandbox ?? shared?.sandbox;

    const logger = pino({ level: config.logLevel }, { write: (line: string) => logLine(maskApiKeys(line)) });
    const reader = new RpcChainReader({
      urls: ledger ? [ledger.rpcUrl] : config.solanaRpcUrls,
      timeoutMilliseconds: config.rpcTimeoutMilliseconds,
      maximumSlotLag: config.upstreamMaxSlotLag,
      blockhashMaxAgeMilliseconds: config.blockhashMaxAgeMilliseconds,
      observer: { ...silentObserver, usageChanged: (upstream, fault) => logUsage(logger, upstream, fault) },
      now: () => performance.now(),
    });
    closers.push(() => reader.close());
    await compareClusters(reader);
    const { limiter, close: closeLimiter } = await startLimiter(config, logger, shared?.leases);
    closers.push(async () => closeLimiter());
    const authenticator = createAuthenticator({
      store,
      acceptsSandboxKey: ledger !== undefined,
      graceMilliseconds: config.keyStoreGraceMilliseconds,
      now: () => Date.now(),
      elapsed: () => performance.now(),
      onOutage: (error) => logger.error({ reason: storeFaultOf(error) }, 'the key store does not answer'),
      onRecovery: () => logger.info('the key store answers again'),
    });
    closers.push(() => authenticator.close());
    const usage = new UsageRecorder({
      store,
      now: () => Date.now(),
      onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'the usage of API keys is not saved yet'),
      onLoss: (requests) => logger.error({ requests }, 'the usage of API keys was lost'),
    });
    closers.push(() => usage.close());
    const app = buildApp({
      builder: new TransferBuilder(reader, { maximumPriorityFee: BigInt(config.priorityFeeMaximumLamports) }),
      authenticator,
      countUsage: ({ id }, outcome) => id !== sandboxKeyId && usage.count(id, outcome),
      logger,
      limiter,
      version,
      config,
      readinessChecks: {
        upstream: (deadline) => reader.checkHealth(deadline),
        keys: async () => {
          // Out of rotation, the keys that still work would not.
          if (!authenticator.isInGrace) await store.hasActiveKey(new Date());
        },
      },
      ...(ledger && { sandboxWorld: { api_key: sandboxApiKey, rpc_url: ledger.rpcUrl, ...ledger.world } }),
    });
    closers.push(() => app.close());
    const url = await inPort('PORT', config, () => app.listen({ host: config.host, port: config.port }));
    return { url, sandbox, hasActiveKey: await store.hasActiveKey(new Date()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function compareClusters(reader: RpcChainReader): Promise<void> {
  try {
    await reader.compareClusters();
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new ClusterError(
      `SOLANA_RPC_URLS has an upstream that cannot be used: ${error.reason}. Name one cluster only.`,
    );
  }
}

function logUsage(logger: Logger, upstream: string, fault: UpstreamFault | undefined): void {
  if (fault) logger.warn({ upstream, kind: fault.kind, reason: fault.reason }, 'upstream not used');
  else logger.info({ upstream }, 'upstream used again');
}
