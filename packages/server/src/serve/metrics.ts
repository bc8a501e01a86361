import { ClusterRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { HttpObserver } from '../app/observe-replies.ts';
import type { Consensus } from '../chain/chain-reader.ts';
import type { ChainObserver } from '../chain/upstream-faults.ts';
import type { UpstreamStatus } from '../chain/upstream-pool.ts';
import type { BuildObserver } from '../transfers/transfer-builder.ts';

/** From 1 ms to 5 s. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The state of the service that gauges read at each scrape. */
export interface MetricsSources {
  upstreams: () => readonly UpstreamStatus[];
  /** The consensus of the cluster, if it is known. */
  consensus: () => Consensus | undefined;
  /** For how many milliseconds the newest slot has not moved. */
  standstillMs: () => number;
  requestsInFlight: () => number;
  /** `undefined` when the limits are not in Redis. */
  isRedisReachable: (() => boolean) | undefined;
  /** The lamports of the sponsor, where they are known; absent without one. */
  sponsorBalance?: (() => bigint | undefined) | undefined;
}

/** All metrics of the service, in the Prometheus text format. Upstreams are named by number, never by URL. */
export class Metrics {
  readonly chain: ChainObserver;
  readonly builds: BuildObserver;
  readonly http: HttpObserver;
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    // Left out: the library would add up the quantiles of workers.
    for (const kind of ['histogram', 'summary']) {
      this.#registry.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`);
    }
    this.chain = upstreamMetrics([this.#registry]);
    this.builds = buildMetrics([this.#registry]);
    this.http = httpMetrics([this.#registry]);
  }

  /** Lets the primary process read these metrics; to be called in a worker. */
  answerPrimary(): void {
    ClusterRegistry.setRegistries(this.#registry);
    // Its constructor adds the listener for the primary's requests.
    new ClusterRegistry();
  }

  /** Adds the gauges of the service's state. */
  watch(sources: MetricsSources): void {
    const { upstreams, consensus, standstillMs, requestsInFlight, isRedisReachable, sponsorBalance } = sources;
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_http_requests_in_flight',
      help: 'Requests that are not answered yet',
      collect() {
        this.set(requestsInFlight());
      },
    });
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_upstream_state',
      help: '1 for the state that the breaker of an upstream is in, 0 for the others, added up over workers; foreign: it serves another cluster',
      labelNames: ['upstream', 'state'],
      collect() {
        for (const { name, state } of upstreams()) {
          for (const other of ['closed', 'half_open', 'open', 'foreign']) {
            this.set({ upstream: name, state: other }, state === other ? 1 : 0);
          }
        }
      },
    });
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_upstream_slot_lag',
      help: 'Slots by which the last answer of an upstream was behind the newest slot seen on any',
      labelNames: ['upstream'],
      aggregator: 'max',
      collect() {
        for (const { name, slotLag } of upstreams()) {
          if (slotLag !== undefined) this.set({ upstream: name }, Number(slotLag));
        }
      },
    });
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_consensus',
      help: '1 for the consensus of the cluster, 0 for the other; absent while no node has told it',
      labelNames: ['consensus'],
      aggregator: 'max',
      collect() {
        const known = consensus();
        for (const other of ['tower_bft', 'alpenglow']) {
          if (known) this.set({ consensus: other }, known === other ? 1 : 0);
        }
      },
    });
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_head_standstill_seconds',
      help: 'For how long the newest slot of the upstreams has not moved while they answered; 0 while it moves',
      aggregator: 'max',
      collect() {
        this.set(standstillMs() / 1_000);
      },
    });
    if (isRedisReachable) this.#watchRedis(isRedisReachable);
    if (sponsorBalance) this.#watchSponsor(sponsorBalance);
  }

  #watchSponsor(balance: () => bigint | undefined): void {
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_sponsor_balance_lamports',
      help: 'What the sponsor has left to pay network fees and rent with; absent while it cannot be read',
      aggregator: 'min',
      collect() {
        const lamports = balance();
        if (lamports === undefined) this.remove();
        else this.set(Number(lamports));
      },
    });
  }

  #watchRedis(isReachable: () => boolean): void {
    new Gauge({
      registers: [this.#registry],
      name: 'splwright_rate_limit_redis_up',
      help: '1 while Redis shares the rate limits, 0 while each process, or one of the workers, holds them by itself',
      aggregator: 'min',
      collect() {
        this.set(isReachable() ? 1 : 0);
      },
    });
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns the current values of all metrics. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** Makes the metrics of built transactions, and returns the observer that counts them. */
function buildMetrics(registers: Registry[]): BuildObserver {
  // Divides splwright_upstream_requests_total into upstream calls per build.
  const builds = new Counter({
    registers,
    name: 'splwright_builds_total',
    help: 'Transactions built',
  });
  const ages = new Histogram({
    registers,
    name: 'splwright_blockhash_age_seconds',
    help: 'The age of the blockhash in a transaction when it was built, counted from when it was asked for',
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10, 20],
  });
  return {
    built: (blockhashAskedAt) => {
      builds.inc();
      if (blockhashAskedAt !== undefined) ages.observe((performance.now() - blockhashAskedAt) / 1000);
    },
  };
}

// Each is a series of its own in Prometheus.
const maxLimitedKeys = 100;

/** Makes the metrics of requests, and returns the observer that counts them. */
function httpMetrics(registers: Registry[]): HttpObserver {
  const durations = new Histogram({
    registers,
    buckets: durationBuckets,
    name: 'splwright_http_request_duration_seconds',
    help: 'How long requests took from their head to the last byte of the answer',
    labelNames: ['route', 'status'],
  });
  const shed = new Counter({
    registers,
    name: 'splwright_http_requests_shed_total',
    help: 'Requests refused because the service was overloaded',
    labelNames: ['reason'],
  });
  const limited = new Counter({
    registers,
    name: 'splwright_http_requests_limited_total',
    help: 'Requests refused by a limit of their API key, or because it takes more than its share',
    labelNames: ['key_id', 'code'],
  });
  const limitedKeys = new Set<string>();
  const closed = new Counter({
    registers,
    name: 'splwright_connections_closed_total',
    help: 'Connections that were closed by a bound',
    labelNames: ['bound'],
  });
  return {
    answered: (route, status, durationMs) => durations.observe({ route, status }, durationMs / 1000),
    shed: (reason) => shed.inc({ reason }),
    limited: (keyId, code) => {
      if (limitedKeys.size < maxLimitedKeys) limitedKeys.add(keyId);
      limited.inc({ key_id: limitedKeys.has(keyId) ? keyId : 'other', code });
    },
    connectionClosed: (bound) => closed.inc({ bound }),
  };
}

/** Makes the metrics of upstreams, and returns the observer that counts them. */
function upstreamMetrics(registers: Registry[]): ChainObserver {
  const requests = new Counter({
    registers,
    name: 'splwright_upstream_requests_total',
    help: 'Attempts to call a method of an upstream, by how they ended: ok, or a kind of fault',
    labelNames: ['upstream', 'method', 'outcome'],
  });
  const durations = new Histogram({
    registers,
    buckets: durationBuckets,
    name: 'splwright_upstream_request_duration_seconds',
    help: 'How long the attempts took that were answered',
    labelNames: ['upstream', 'method'],
  });
  const hedges = new Counter({
    registers,
    name: 'splwright_upstream_hedges_total',
    help: 'Calls sent to an upstream too because another one was slow to answer',
    labelNames: ['upstream'],
  });
  const batchRequests = new Histogram({
    registers,
    name: 'splwright_upstream_batch_requests',
    help: 'Requests that shared one call for accounts',
    buckets: [1, 2, 4, 8, 12, 16, 24, 32, 50],
  });
  const batchAccounts = new Histogram({
    registers,
    name: 'splwright_upstream_batch_accounts',
    help: 'Accounts in one call',
    buckets: [5, 7, 10, 20, 40, 60, 80, 100],
  });
  return {
    attempted: (upstream, method, fault, durationMs) => {
      requests.inc({ upstream, method, outcome: fault ?? 'ok' });
      if (fault === undefined) durations.observe({ upstream, method }, durationMs / 1000);
    },
    hedged: (upstream) => hedges.inc({ upstream }),
    usageChanged: () => undefined,
    batchSent: (requestCount, accountCount) => {
      batchRequests.observe(requestCount);
      batchAccounts.observe(accountCount);
    },
  };
}
