import { pino } from 'pino';
import type { Sandbox } from 'splwright-sandbox';
import { maskApiKeys } from '../app/api-key.ts';
import type { Drain } from '../app/drain.ts';
import type { RequestCounter } from '../app/limits/rate-limiter.ts';
import { RequestsInFlight } from '../app/overload.ts';
import type { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import type { Config } from '../config.ts';
import { KeyedRequests, type KeyedRequestsOptions } from '../idempotency/keyed-requests.ts';
import { sandboxApiKey, sandboxKeyId } from '../keys/authenticated-key.ts';
import { Authenticator } from '../keys/authentication/authenticator.ts';
import { createDailyAmounts } from '../keys/usage/daily-amounts.ts';
import { createKeyTodayReader } from '../keys/key-routes.ts';
import { UsageRecorder } from '../keys/usage/usage-recorder.ts';
import { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import { claimForSandbox } from '../store/cluster.ts';
import { storeFaultOf } from '../store/store-faults.ts';
import { BatchBuilder } from '../transfers/batch-builder.ts';
import { MintHints } from '../transfers/decide-from-chain.ts';
import { TransferBuilder } from '../transfers/transfer-builder.ts';
import { buildApp } from './build-app.ts';
import { createPaymentLinks } from './create-payment-links.ts';
import { openListener } from './listen.ts';
import { type RunningMetrics, startMetrics } from './metrics-server.ts';
import { startRetention } from './retention.ts';
import { ServedCluster } from './served-cluster.ts';
import { assertOneCluster, createChainReader } from './start-chain-reader.ts';
import { startLimiter } from './start-limiter.ts';
import { endpointOf, listenSandbox, type SandboxEndpoint } from './start-sandbox.ts';
import { openKeyStore } from './store/open-key-store.ts';
import type { Store } from './store/store.ts';

/** What is known of a service once it listens. */
export interface Listening {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Whether any stored key is active. */
  hasActiveKey: boolean;
}

/** A service that listens. */
export interface RunningService extends Listening {
  /** The embedded sandbox, when no upstream is configured. */
  sandbox: Sandbox | undefined;
  /** Begins to stop: from now on `/readyz` fails and connections are told to close; `drainMs` is logged. */
  drain(drainMs: number): void;
  /** Finishes the requests in flight, then releases everything. */
  close(): Promise<void>;
}

/** The parts that a service shares with other processes, instead of its own. */
export interface SharedParts {
  /** The sandbox to use when no upstream is configured. */
  sandbox: SandboxEndpoint | undefined;
  /** Counts the requests of all processes for the rate limits, unless Redis does. */
  counter: RequestCounter | undefined;
  /** Metrics that another process serves; `undefined`: they are off. */
  metrics: RunningMetrics | undefined;
}

/**
 * Starts the whole service from its configuration; `shared` has the parts that other processes have started.
 *
 * Throws a `ListenError`, a `ClusterError`, a `SandboxMissingError`, or a `KeyStoreError` when the database cannot be opened or is of another cluster;
 * then nothing is left running.
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
    const embedded = sandbox ? endpointOf(sandbox) : shared?.sandbox;

    const logger = pino({ level: config.logLevel }, { write: (line: string) => logLine(maskApiKeys(line)) });
    const served = shared ? shared.metrics : await startMetrics(config, logger);
    if (served) closers.push(served.close);
    const urls = embedded ? [embedded.rpcUrl] : config.solanaRpcUrls;
    const reader = createChainReader(urls, config, logger, served?.metrics.chain);
    closers.push(() => reader.close());
    await assertOneCluster(reader);
    if (sandbox) await claimForSandbox(store.database);
    const cluster = new ServedCluster({
      store,
      readGenesisHash: embedded
        ? undefined
        : () => reader.readGenesisHash(performance.now() + config.requestDeadlineMs),
    });
    await cluster.confirmIfKnown();
    const limits = await startLimiter(config, logger, shared?.counter);
    closers.push(async () => limits.close());
    const authenticator = new Authenticator({
      store,
      acceptsSandboxKey: embedded !== undefined,
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
    const inFlight = new RequestsInFlight();
    const drain: Drain = { isDraining: false };
    served?.metrics.watch({
      upstreams: () => reader.upstreams,
      consensus: () => {
        // A scrape does not wait for a node: the next one has it.
        void reader.readConsensus();
        return reader.consensus;
      },
      standstillMs: () => reader.standstillMs,
      requestsInFlight: () => inFlight.count,
      isRedisReachable: limits.isRedisReachable,
    });
    const outcomes = new OutcomeFinder(reader.history);
    const hints = new MintHints();
    const builder = new TransferBuilder(reader, { maxPriorityFeeLamports, hints, observer: served?.metrics.builds });
    const links = createPaymentLinks({
      config,
      store,
      cluster,
      reader,
      builder,
      isOnSandbox: embedded !== undefined,
    });
    const retention = startRetention({ config, store, cluster, links: links.payments.links, logger });
    closers.push(() => retention.close());
    const app = buildApp({
      builder,
      payments: links.payments,
      batchBuilder: new BatchBuilder(reader, { maxPriorityFeeLamports, hints }),
      outcomes,
      keyedRequests: createKeyedRequests({ config, store, reader, outcomes, confirmCluster: () => cluster.confirm() }),
      authenticator,
      countUsage: ({ id }, outcome) => id !== sandboxKeyId && usage.count(id, outcome),
      readKeyToday: createKeyTodayReader(store, () => Date.now()),
      dailyAmounts: createDailyAmounts({ store, now: () => Date.now() }),
      logger,
      limiter: limits.limiter,
      version,
      config,
      inFlight,
      drain,
      observer: served?.metrics.http,
      checkUpstreams: (deadline) => reader.checkHealth(deadline),
      readConsensus: () => reader.readConsensus(),
      readinessChecks: {
        keys: async () => {
          // During the grace time it stays in rotation, since cached keys work. But a database that is gone must be reported, and
          // one that takes no writes, such as a primary after a failover: keyed requests need them.
          if (!store.isGone && authenticator.isInGrace) return;
          await store.assertWritable();
          await cluster.confirmIfKnown();
        },
      },
      ...(embedded && {
        sandboxWorld: {
          api_key: sandboxApiKey,
          rpc_url: embedded.rpcUrl,
          websocket_url: embedded.webSocketUrl,
          ...embedded.world,
        },
      }),
    });
    closers.push(() => app.close());
    const { host, port } = config;
    const url = await openListener({ variable: 'PORT', port, hostVariable: 'HOST', host }, () =>
      app.listen({ host, port }),
    );
    links.setListenUrl(url);
    return {
      url,
      sandbox,
      hasActiveKey: await store.hasActiveKey(new Date()),
      drain: (drainMs) => {
        logger.info({ drain_ms: drainMs }, 'stopping');
        drain.isDraining = true;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What requests with an `Idempotency-Key` are answered with. */
export interface KeyedRequestsParts extends Pick<KeyedRequestsOptions, 'outcomes' | 'confirmCluster'> {
  config: Config;
  store: Pick<Store, 'idempotency'>;
  reader: Pick<RpcChainReader, 'readBlockhash' | 'readSlotMs'>;
}

/** A build ends with its deadline; storing its reply takes some time more. */
const leaseReserveMs = 2000;
/** How many blocks after that of its blockhash a transaction can land (`MAX_PROCESSING_AGE`). */
const blockhashLifetimeBlocks = 150n;
/** How long the reply to a request with an `Idempotency-Key` is kept. */
const replyRetentionMs = 24 * 3_600_000;
/** What the priority fee of one transaction may cost; the client's own check takes no more, either. */
const maxPriorityFeeLamports = 1_000_000n;

/** Makes what answers requests with an `Idempotency-Key`. */
function createKeyedRequests({ config, store, reader, ...parts }: KeyedRequestsParts): KeyedRequests {
  return new KeyedRequests({
    ...parts,
    records: store.idempotency,
    // The newest blockhash is read for every build, so that this costs no call of its own.
    readBlockHeight: async (deadline) =>
      (await reader.readBlockhash(deadline)).lastValidBlockHeight - blockhashLifetimeBlocks,
    readSlotMs: () => reader.readSlotMs(),
    now: () => Date.now(),
    leaseReserveMs,
    timeLeftMs: (deadline) => deadline - performance.now(),
    retentionMs: replyRetentionMs,
    maxStoredBytes: config.maxStoredReplyBytes,
  });
}
