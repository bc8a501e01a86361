import { pino } from 'pino';
import type { Sandbox } from 'splwright-sandbox';
import { maskApiKeys } from '../app/api-key.ts';
import type { Drain } from '../app/drain.ts';
import type { RequestCounter } from '../app/limits/rate-limiter.ts';
import { RequestsInFlight } from '../app/overload.ts';
import type { Config } from '../config.ts';
import { KeyedRequests } from '../idempotency/keyed-requests.ts';
import { OutcomeWatcher } from '../idempotency/outcome-watcher.ts';
import { IncomingWatcher } from '../incoming/incoming-watcher.ts';
import { unknownAuthor } from '../keys/api-key-record.ts';
import { sandboxApiKey, sandboxKeyId } from '../keys/authenticated-key.ts';
import { Authenticator } from '../keys/authentication/authenticator.ts';
import { createKeyTodayReader } from '../keys/key-routes.ts';
import { createDailyAmounts } from '../keys/usage/daily-amounts.ts';
import { UsageRecorder } from '../keys/usage/usage-recorder.ts';
import { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import { KoraClient } from '../sponsor/kora-client.ts';
import { Sponsor } from '../sponsor/sponsor.ts';
import { SponsorBalance } from '../sponsor/sponsor-balance.ts';
import { claimForSandbox } from '../store/cluster.ts';
import { storeFaultOf } from '../store/store-faults.ts';
import { BatchBuilder } from '../transfers/batch-builder.ts';
import type { SponsorParts } from '../transfers/build-sponsored.ts';
import { MintHints } from '../transfers/decide-from-chain.ts';
import { TransferBuilder } from '../transfers/transfer-builder.ts';
import { publicInternet } from '../webhooks/connect.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';
import { buildApp } from './build-app.ts';
import { createPaymentLinks } from './create-payment-links.ts';
import { openListener } from './listen.ts';
import { type RunningMetrics, startMetrics } from './metrics-server.ts';
import { startRetention } from './retention.ts';
import { assertOneCluster, createChainReader, ServedCluster } from './served-cluster.ts';
import { startLimiter } from './start-limiter.ts';
import { endpointOf, listenSandbox, type SandboxEndpoint } from './start-sandbox.ts';
import { openKeyStore } from './store/open-key-store.ts';

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
  const stack = new AsyncDisposableStack();
  try {
    const base = await startBase({ config, logLine, shared }, stack);
    const drain: Drain = { isDraining: false };
    const { app, links } = await startApp(base, { version, drain, counter: shared?.counter }, stack);
    const { host, port } = config;
    const url = await openListener({ variable: 'PORT', port, hostVariable: 'HOST', host }, () =>
      app.listen({ host, port }),
    );
    links.setListenUrl(url);
    return {
      url,
      sandbox: base.sandbox,
      // Only what the greeting suggests depends on it: while the database does not answer, a service that listens goes on.
      hasActiveKey: await base.store.hasActiveKey(new Date()).catch((error) => {
        base.logger.warn({ reason: storeFaultOf(error) }, 'whether there is an active API key cannot be read');
        return true;
      }),
      drain: (drainMs) => {
        base.logger.info({ drain_ms: drainMs }, 'stopping');
        drain.isDraining = true;
      },
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The parts that all others are made with: the database, the chain, and those who are told of them. */
type Base = Awaited<ReturnType<typeof startBase>>;

/** Opens the database and the log, starts the sandbox and the metrics, and reads which cluster is served. */
async function startBase(
  { config, logLine, shared }: { config: Config; logLine: (line: string) => void; shared: SharedParts | undefined },
  stack: AsyncDisposableStack,
) {
  const opened = await openKeyStore(config.databaseUrl, {
    use: 'service',
    author: { ...unknownAuthor, user: 'ADMIN_KEY' },
  });
  const store = stack.adopt(opened, () => opened.close());
  const sandbox = config.solanaRpcUrls.length === 0 && !shared ? await listenSandbox(config) : undefined;
  if (sandbox) stack.defer(() => sandbox.close());
  const embedded = sandbox ? endpointOf(sandbox) : shared?.sandbox;
  const logger = pino({ level: config.logLevel }, { write: (line: string) => logLine(maskApiKeys(line)) });
  const served = shared ? shared.metrics : await startMetrics(config, logger);
  if (served) stack.defer(() => served.close());
  const upstreams = { urls: embedded ? [embedded.rpcUrl] : config.solanaRpcUrls, genesisHash: embedded?.genesisHash };
  const reader = createChainReader(upstreams, config, logger, served?.metrics.chain);
  stack.defer(() => reader.close());
  await assertOneCluster(reader);
  if (sandbox) await claimForSandbox(store.database);
  const cluster = new ServedCluster({
    store,
    readGenesisHash: embedded ? undefined : () => reader.readGenesisHash(performance.now() + config.requestDeadlineMs),
  });
  await cluster.confirmIfKnown();
  return { config, store, sandbox, embedded, logger, metrics: served?.metrics, reader, cluster };
}

/** Starts what checks and counts API keys. */
function startKeys({ store, embedded, logger }: Base, stack: AsyncDisposableStack) {
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey: embedded !== undefined,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onOutage: (error) => logger.error({ reason: storeFaultOf(error) }, 'the key store does not answer'),
    onRecovery: () => logger.info('the key store answers again'),
  });
  stack.defer(() => authenticator.close());
  const usage = new UsageRecorder({
    store,
    now: () => Date.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'the usage of API keys is not saved yet'),
    onLoss: (requests) => logger.error({ requests }, 'the usage of API keys was lost'),
  });
  stack.defer(() => usage.close());
  return { authenticator, usage };
}

/** Makes the HTTP application with all that it uses, and starts retention beside it. */
async function startApp(
  base: Base,
  { version, drain, counter }: { version: string; drain: Drain; counter: RequestCounter | undefined },
  stack: AsyncDisposableStack,
) {
  const { config, store, embedded, logger, metrics, reader, cluster } = base;
  const limits = await startLimiter(config, logger, counter);
  stack.defer(() => limits.close());
  const { authenticator, usage } = startKeys(base, stack);
  const inFlight = new RequestsInFlight();
  const sponsoring = startSponsor(base, stack);
  metrics?.watch({
    upstreams: () => reader.upstreams,
    consensus: () => {
      // A scrape does not wait for a node: the next one has it.
      void reader.readConsensus();
      return reader.consensus;
    },
    standstillMs: () => reader.standstillMs,
    requestsInFlight: () => inFlight.count,
    isRedisReachable: limits.isRedisReachable,
    sponsorBalance: sponsoring && (() => sponsoring.balance.scraped(performance.now())),
  });
  const hints = new MintHints();
  const builder = new TransferBuilder(reader, { maxPriorityFeeLamports, hints, observer: metrics?.builds });
  const outcomes = new OutcomeFinder(reader.history);
  const isOnSandbox = embedded !== undefined;
  const links = createPaymentLinks({ config, store, cluster, reader, builder, sponsoring, isOnSandbox });
  const app = buildApp({
    incoming: { ...store.incoming, reader, history: reader.history },
    webhooks: { ...store.webhooks, allowsPrivate: embedded !== undefined },
    admin: config.adminKey === undefined ? undefined : { key: config.adminKey, records: store },
    builder,
    sponsoring,
    payments: links.payments,
    batchBuilder: new BatchBuilder(reader, { maxPriorityFeeLamports, hints }),
    outcomes,
    keyedRequests: createKeyedRequests(base, outcomes),
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
    observer: metrics?.http,
    checkUpstreams: (deadline) => reader.checkHealth(deadline),
    readConsensus: () => reader.readConsensus(),
    readinessChecks: { keys: () => checkStore(base, authenticator) },
    ...(embedded && { sandboxWorld: worldOf(embedded) }),
  });
  const retention = startRetention({ config, store, cluster, links: links.payments.links, logger });
  const sender = new WebhookSender({
    records: store.webhooks.deliveries,
    network: embedded ? {} : publicInternet,
    confirmCluster: () => cluster.confirm(),
    now: () => Date.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'webhooks are not sent yet'),
  });
  const watcher = new IncomingWatcher({
    accounts: store.incoming.accounts,
    reader,
    history: reader.history,
    confirmCluster: () => cluster.confirm(),
    checkLink: (...asked) => links.payments.links.check(...asked),
    now: () => Date.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'incoming payments are not looked for'),
  });
  const outcomeWatcher = watchOutcomes(base, outcomes);
  // Beside each other: while nodes or receivers do not answer, each takes seconds.
  const parts = [app, outcomeWatcher, watcher, sender, retention];
  stack.defer(async () => void (await Promise.all(parts.map((part) => part.close()))));
  return { app, links };
}

/** Makes what asks the sponsor, if there is one. */
function startSponsor({ config, reader }: Base, stack: AsyncDisposableStack): SponsorParts | undefined {
  if (!config.sponsor) return undefined;
  const client = new KoraClient({ ...config.sponsor, timeoutMs: config.rpcTimeoutMs });
  stack.defer(() => client.close());
  const sponsor = new Sponsor(client, () => performance.now());
  return { sponsor, balance: new SponsorBalance(sponsor, reader) };
}

/**
 * Rejects when the database is not fit for requests.
 *
 * During the grace time it stays in rotation, since cached keys work. But a database that is gone must be reported, and one that
 * takes no writes, such as a primary after a failover: keyed requests need them.
 */
async function checkStore({ store, cluster }: Base, authenticator: Authenticator): Promise<void> {
  if (!store.isGone && authenticator.isInGrace) return;
  await store.assertWritable();
  await cluster.confirmIfKnown();
}

function worldOf({ rpcUrl, webSocketUrl, world }: SandboxEndpoint) {
  return { api_key: sandboxApiKey, rpc_url: rpcUrl, websocket_url: webSocketUrl, ...world };
}

/** A build ends with its deadline; storing its reply takes some time more. */
const leaseReserveMs = 2000;
/** How many blocks after that of its blockhash a transaction can land (`MAX_PROCESSING_AGE`). */
const blockhashLifetimeBlocks = 150n;
/** How long the reply to a request with an `Idempotency-Key` is kept. */
const replyRetentionMs = 24 * 3_600_000;
/** The highest priority fee of one transaction; the client's own check takes no more, either. */
const maxPriorityFeeLamports = 1_000_000n;

/** Makes what answers requests with an `Idempotency-Key`. */
function createKeyedRequests({ config, store, reader, cluster }: Base, outcomes: OutcomeFinder): KeyedRequests {
  return new KeyedRequests({
    outcomes,
    confirmCluster: () => cluster.confirm(),
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

/** Begins to tell what becomes of the transactions of keyed requests. */
function watchOutcomes({ store, reader, cluster, logger }: Base, outcomes: OutcomeFinder): OutcomeWatcher {
  return new OutcomeWatcher({
    watched: store.watched,
    outcomes,
    history: reader.history,
    confirmCluster: () => cluster.confirm(),
    now: () => Date.now(),
    onFailure: (error) => logger.warn({ reason: storeFaultOf(error) }, 'outcomes of transfers are not looked for'),
  });
}
