import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { RateLimiter } from '../../../packages/server/src/app/limits/rate-limiter.ts';
import { RequestsInFlight } from '../../../packages/server/src/app/overload.ts';
import type { ChainHistory } from '../../../packages/server/src/chain/chain-history.ts';
import { unavailable } from '../../../packages/server/src/chain/upstream-faults.ts';
import type { NewReply } from '../../../packages/server/src/idempotency/idempotent-request.ts';
import { KeyedRequests } from '../../../packages/server/src/idempotency/keyed-requests.ts';
import type { IdempotencyRecords } from '../../../packages/server/src/idempotency/records/idempotency-records.ts';
import { Authenticator } from '../../../packages/server/src/keys/authentication/authenticator.ts';
import { createDailyAmounts } from '../../../packages/server/src/keys/usage/daily-amounts.ts';
import { OutcomeFinder } from '../../../packages/server/src/outcomes/outcome-finder.ts';
import { type AppDependencies, buildApp } from '../../../packages/server/src/serve/build-app.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import type { Store } from '../../../packages/server/src/serve/store/store.ts';
import { BatchBuilder } from '../../../packages/server/src/transfers/batch-builder.ts';
import { MintHints } from '../../../packages/server/src/transfers/decide-from-chain.ts';
import { TransferBuilder } from '../../../packages/server/src/transfers/transfer-builder.ts';
import { maxPriorityFeeLamports } from '../court.ts';
import { LedgerChainReader } from '../ledger-chain-reader.ts';

/** How long an attempt that ends without a word keeps others out. */
export const leaseMs = 12_000;
/** How long a key is remembered. */
export const retentionMs = 24 * 60 * 60 * 1_000;
/** How long they keep one with a durable nonce, which can land for as long as nobody advances it. */
export const nonceRetentionMs = 30 * 24 * 60 * 60 * 1_000;

/** One of several services on one database. */
export interface Service {
  app: ReturnType<typeof buildApp>;
  /** Decides when it dies. */
  mortality: Mortality;
  reading: Reading;
}

/** How a service reads the chain. */
interface Reading {
  fails: boolean;
  /** What it waits for before it reads accounts; `onWait` is called when it begins to. */
  wait: { for: Promise<void>; onWait: () => void } | undefined;
}

/** Services on one database, whose clock and whose view of the chain are set by hand. */
export interface Services {
  services: readonly [Service, Service];
  /** For making and rotating API keys, as an operator does with the command line. */
  keys: Store;
  clock: { now: number };
  /** What the services ask about the past. */
  past: { history: ChainHistory };
  close(): Promise<void>;
}

/** Starts two services, with a connection each to one SQLite file. */
export async function startServices(ledger: Ledger): Promise<Services> {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-outcomes-'));
  const url = `sqlite:${join(folder, 'keys.db')}`;
  const clock = { now: Date.now() };
  const past: Services['past'] = { history: { nodes: () => [], neededDenials: 1, neededSightings: 1 } };
  const keys = await openKeyStore(url);
  const closers: (() => Promise<unknown>)[] = [() => keys.close()];
  const start = async (): Promise<Service> => {
    const started = await startService(ledger, url, clock, past);
    closers.push(started.close);
    return started.service;
  };
  return {
    services: [await start(), await start()],
    keys,
    clock,
    past,
    close: async () => {
      for (const close of closers.reverse()) await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startService(
  ledger: Ledger,
  url: string,
  clock: Services['clock'],
  past: Services['past'],
): Promise<{ service: Service; close: () => Promise<void> }> {
  const store = await openKeyStore(url, { use: 'service' });
  const reading: Reading = { fails: false, wait: undefined };
  const reader = new HinderedReader(ledger, reading);
  const { mortality, idempotency } = mortalStore(store.idempotency);
  const now = () => clock.now;
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey: false,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onOutage: () => undefined,
    onRecovery: () => undefined,
  });
  const outcomes = new OutcomeFinder({
    nodes: () => past.history.nodes(),
    get neededDenials() {
      return past.history.neededDenials;
    },
    get neededSightings() {
      return past.history.neededSightings;
    },
  });
  const app = buildApp({
    builder: new TransferBuilder(reader, { maxPriorityFeeLamports }),
    batchBuilder: new BatchBuilder(reader, { maxPriorityFeeLamports, hints: new MintHints() }),
    outcomes,
    keyedRequests: new KeyedRequests({
      records: idempotency,
      outcomes,
      readBlockHeight: async () => (await reader.readBlockhash()).lastValidBlockHeight - 150n,
      readSlotMs: async () => 200,
      now,
      leaseReserveMs: leaseMs,
      timeLeftMs: () => 0,
      retentionMs,
      maxStoredBytes: 0,
      confirmCluster: async () => undefined,
    }),
    authenticator,
    countUsage: () => undefined,
    limiter: new RateLimiter(0, { consume: () => Promise.reject(new Error('no key has a limit')) }),
    readKeyToday: () => Promise.reject(new Error('no usage is asked for')),
    dailyAmounts: createDailyAmounts({ store, now }),
    logger: silentLogger,
    version: '0.0.0-test',
    readinessChecks: {},
    checkUpstreams: async () => [],
    readConsensus: async () => undefined,
    inFlight: new RequestsInFlight(),
    drain: { isDraining: false },
    config: {
      bodyLimitBytes: 65_536,
      // No answer is looked for by the clock; a server that never listens waits so long for its end.
      requestDeadlineMs: 1_000,
      maxRequestsInFlight: 1_000,
      maxConnections: 1_000,
      corsOrigins: [],
      hasPages: false,
      hasMcp: false,
      trustedProxies: 0,
    },
  });
  await app.ready();
  const close = async (): Promise<void> => {
    await app.close();
    await authenticator.close();
    await store.close();
  };
  return { service: { app, mortality, reading }, close };
}

/** Reads a ledger, unless it is hindered. */
class HinderedReader extends LedgerChainReader {
  readonly #reading: Reading;

  constructor(ledger: Ledger, reading: Reading) {
    super(ledger);
    this.#reading = reading;
  }

  override async readAccounts(
    ...parameters: Parameters<LedgerChainReader['readAccounts']>
  ): ReturnType<LedgerChainReader['readAccounts']> {
    if (this.#reading.fails) throw unavailable('connection', 'it could not be reached');
    const { wait } = this.#reading;
    wait?.onWait();
    await wait?.for;
    return super.readAccounts(...parameters);
  }
}

const silentLogger: AppDependencies['logger'] = {
  level: 'silent',
  fatal: () => undefined,
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
  silent: () => undefined,
  child: () => silentLogger,
};

/** When a service dies, as `kill -9` ends it: nothing that it still had to write is written. */
interface Mortality {
  /** The next time that a reply is stored it dies, before or after; or not. */
  dies: 'before_storing' | 'after_storing' | undefined;
  /** The last reply that was to be stored. */
  last: NewReply | undefined;
}

/** Thrown out of a store whose service is dead. */
class Death extends Error {}

/** Makes a service die where its store is used: the attempt that dies writes nothing more, neither does it clean up. */
function mortalStore(store: IdempotencyRecords): {
  mortality: Mortality;
  idempotency: Omit<IdempotencyRecords, 'prune'>;
} {
  const mortality: Mortality = { dies: undefined, last: undefined };
  const dead = new Set<string>();
  const idempotency: Omit<IdempotencyRecords, 'prune'> = {
    claim: (id, claim) => store.claim(id, claim),
    reclaim: (id, from, claim, landed) => store.reclaim(id, from, claim, landed),
    isBuiltByAnother: (messageHash, id) => store.isBuiltByAnother(messageHash, id),
    storedBytesOf: (scope, now) => store.storedBytesOf(scope, now),
    async complete(id, attempt, built, now, retentionMs) {
      mortality.last = built;
      const dieIf = (when: Mortality['dies']): void => {
        if (mortality.dies !== when) return;
        mortality.dies = undefined;
        dead.add(attempt);
        throw new Death(`it dies ${when}`);
      };
      dieIf('before_storing');
      // What is refused is not stored, and the service lives.
      const isStored = await store.complete(id, attempt, built, now, retentionMs);
      dieIf('after_storing');
      return isStored;
    },
    async release(id, attempt) {
      if (!dead.has(attempt)) await store.release(id, attempt);
    },
  };
  return { mortality, idempotency };
}
