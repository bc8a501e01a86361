import { pino } from 'pino';
import type { Config } from '../config.ts';
import { buildApp } from '../http/build-app.ts';
import { RequestsInFlight } from '../http/in-flight.ts';
import { createAuthenticator } from '../keys/authenticator.ts';
import { maskApiKeys } from '../keys/mask-api-keys.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { sandboxApiKey, sandboxKeyId } from '../keys/sandbox-key.ts';
import { UsageRecorder } from '../keys/usage-recorder.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { TransferBuilder } from '../service/transfer-builder.ts';
import { openListener } from './listen.ts';
import { assertOneCluster, createChainReader } from './start-chain-reader.ts';
import { startLimiter } from './start-limiter.ts';
import { startMetrics } from './start-metrics.ts';

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

/**
 * Starts the whole service from its configuration.
 *
 * Throws a `ListenError`, a `ClusterError`, or a `KeyStoreError` when the key store cannot be opened; nothing is left running
 * then.
 */
export async function startService(
  config: Config,
  version: string,
  logLine: (line: string) => void,
): Promise<RunningService> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const store = await openKeyStore(config.databaseUrl, { use: 'service' });
    closers.push(() => store.close());
    const sandbox = config.solanaRpcUrls.length === 0 ? await listenSandbox(config) : undefined;
    if (sandbox) closers.push(() => sandbox.close());

    const logger = pino({ level: config.logLevel }, { write: (line: string) => logLine(maskApiKeys(line)) });
    const served = await startMetrics(config, logger);
    if (served) closers.push(served.close);
    const urls = sandbox ? [sandbox.rpcUrl] : config.solanaRpcUrls;
    const reader = createChainReader(urls, config, logger, served?.metrics.chain);
    closers.push(() => reader.close());
    await assertOneCluster(reader);
    const { limiter, close: closeLimiter } = await startLimiter(config, logger);
    closers.push(async () => closeLimiter());
    const authenticator = createAuthenticator({
      store,
      acceptsSandboxKey: sandbox !== undefined,
      graceMilliseconds: config.keyStoreGraceMilliseconds,
      now: () => Date.now(),
      elapsed: () => performance.now(),
      onOutage: (error) => logger.error({ reason: messageOf(error) }, 'the key store does not answer'),
      onRecovery: () => logger.info('the key store answers again'),
    });
    const usage = new UsageRecorder({
      store,
      now: () => Date.now(),
      onFailure: (error) => logger.warn({ reason: messageOf(error) }, 'the usage of API keys is not saved yet'),
      onLoss: (requests) => logger.error({ requests }, 'the usage of API keys was lost'),
    });
    closers.push(() => usage.close());
    const inFlight = new RequestsInFlight();
    served?.metrics.watch({ upstreams: () => reader.upstreams, requestsInFlight: () => inFlight.count });
    const maximumPriorityFee = BigInt(config.priorityFeeMaximumLamports);
    const app = buildApp({
      builder: new TransferBuilder(reader, { maximumPriorityFee, observer: served?.metrics.builds }),
      authenticator,
      countUsage: ({ id }, outcome) => id !== sandboxKeyId && usage.count(id, outcome),
      logger,
      limiter,
      version,
      config,
      inFlight,
      observer: served?.metrics.http,
      checkUpstreams: (deadline) => reader.checkHealth(deadline),
      readinessChecks: {
        keys: async () => {
          // Out of rotation, the keys that still work would not.
          if (!authenticator.isInGrace) await store.hasActiveKey(new Date());
        },
      },
      ...(sandbox && { sandboxWorld: { api_key: sandboxApiKey, rpc_url: sandbox.rpcUrl, ...sandbox.world } }),
    });
    closers.push(() => app.close());
    const { host, port } = config;
    const url = await openListener({ variable: 'PORT', port, hostVariable: 'HOST', host }, () =>
      app.listen({ host, port }),
    );
    return { url, sandbox, hasActiveKey: await store.hasActiveKey(new Date()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

// An error of a database driver may hold the whole connection, password included: only its message is for the log.
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Loaded only where it is used: the programs of the ledger take time and memory that a service on a real network can spare.
async function listenSandbox(config: Config): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/index.ts');
  const { sandboxRpcPort: port, host } = config;
  return openListener({ variable: 'SANDBOX_RPC_PORT', port, hostVariable: 'HOST', host }, () =>
    startSandbox({ rpcPort: port }),
  );
}
