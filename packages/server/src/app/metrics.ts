import { ClusterRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { ChainObserver } from '../chain/chain-observer.ts';
import type { Consensus } from '../chain/chain-reader.ts';
import type { UpstreamStatus } from '../chain/upstream-pool.ts';
import type { BuildObserver } from '../transfers/transfer-builder.ts';
import type { HttpObserver } from './observe-replies.ts';

/** The state of the service that gauges read at each scrape. */
export interface MetricsSources {
  upstreams: () => readonly UpstreamStatus[];
  /** What is known of it. */
  consensus: () => Consensus | undefined;
  /** For how many milliseconds the newest slot has not moved. */
  standstillMs: () => number;
  requestsInFlight: () => number;
  /** `undefined` when the limits are not in Redis. */
  isRedisReachable: (() => boolean) | undefined;
}

/** All metrics of the service, in the Prometheus text format. Upstreams are named by number, never by URL. */
export class Metrics {
  readonly chain: ChainObserver;
  readonly builds: BuildObserver;
  readonly http: HttpObserver;
  readonly #make = new MetricMaker();

  constructor() {
    collectDefaultMetrics({ register: this.#make.registry });
    // Left out: the library would add up the quantiles of workers.
    for (const kind of ['histogram', 'summary']) {
      this.#make.registry.removeSingleMetric(`nodejs_eventloop_utilization_${kind}`);
    }
    this.chain = upstreamMetrics(this.#make);
    this.builds = buildMetrics(this.#make);
    this.http = httpMetrics(this.#make);
  }

  /** Lets the primary process read these metrics; to be called in a worker. */
  answerPrimary(): void {
    ClusterRegistry.setRegistries(this.#make.registry);
    // Its constructor adds the listener for the primary's requests.
    new ClusterRegistry();
  }

  /** Adds the gauges of the service's state. */
  watch({ upstreams, consensus, standstillMs, requestsInFlight, isRedisReachable }: MetricsSources): void {
    this.#make.gauge({
      name: 'splwright_http_requests_in_flight',
      help: 'Requests that are not answered yet',
      collect: (gauge) => gauge.set(requestsInFlight()),
    });
    this.#make.gauge({
      name: 'splwright_upstream_state',
      help: '1 for the state that the breaker of an upstream is in, 0 for the others, added up over workers; foreign: it serves another cluster',
      labelNames: ['upstream', 'state'],
      collect: (gauge) => {
        for (const { name, state } of upstreams()) {
          for (const other of ['closed', 'half_open', 'open', 'foreign']) {
            gauge.set({ upstream: name, state: other }, state === other ? 1 : 0);
          }
        }
      },
    });
    this.#make.gauge({
      name: 'splwright_upstream_slot_lag',
      help: 'Slots by which the last answer of an upstream was behind the newest slot seen on any',
      labelNames: ['upstream'],
      aggregator: 'max',
      collect: (gauge) => {
        for (const { name, slotLag } of upstreams()) {
          if (slotLag !== undefined) gauge.set({ upstream: name }, Number(slotLag));
        }
      },
    });
    this.#make.gauge({
      name: 'splwright_consensus',
      help: '1 for the consensus of the cluster, 0 for the other; absent while no node has told it',
      labelNames: ['consensus'],
      aggregator: 'max',
      collect: (gauge) => {
        const known = consensus();
        for (const other of ['tower_bft', 'alpenglow']) {
          if (known) gauge.set({ consensus: other }, known === other ? 1 : 0);
        }
      },
    });
    this.#make.gauge({
      name: 'splwright_head_standstill_seconds',
      help: 'For how long the newest slot of the upstreams has not moved while they answered; 0 while it moves',
      aggregator: 'max',
      collect: (gauge) => gauge.set(standstillMs() / 1_000),
    });
    if (isRedisReachable) this.#watchRedis(isRedisReachable);
  }

  #watchRedis(isReachable: () => boolean): void {
    this.#make.gauge({
      name: 'splwright_rate_limit_redis_up',
      help: '1 while Redis shares the rate limits, 0 while each process, or one of the workers, holds them by itself',
      aggregator: 'min',
      collect: (gauge) => gauge.set(isReachable() ? 1 : 0),
    });
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#make.registry.contentType;
  }

  /** Returns the current values of all metrics. */
  text(): Promise<string> {
    return this.#make.registry.metrics();
  }
}

/** Makes the metrics of built transactions, and returns the observer that counts them. */
function buildMetrics(make: MetricMaker): BuildObserver {
  // Divides splwright_upstream_requests_total into upstream calls per build.
  const builds = make.counter({ name: 'splwright_builds_total', help: 'Transactions built' });
  const ages = make.histogram({
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
function httpMetrics(make: MetricMaker): HttpObserver {
  const durations = make.durations({
    name: 'splwright_http_request_duration_seconds',
    help: 'How long requests took from their head to the last byte of the answer',
    labelNames: ['route', 'status'],
  });
  const shed = make.counter({
    name: 'splwright_http_requests_shed_total',
    help: 'Requests refused because the service was overloaded',
    labelNames: ['reason'],
  });
  const limited = make.counter({
    name: 'splwright_http_requests_limited_total',
    help: 'Requests refused by a limit of their API key, or because it takes more than its share',
    labelNames: ['key_id', 'code'],
  });
  const limitedKeys = new Set<string>();
  const closed = make.counter({
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
function upstreamMetrics(make: MetricMaker): ChainObserver {
  const requests = make.counter({
    name: 'splwright_upstream_requests_total',
    help: 'Attempts to call a method of an upstream, by how they ended: ok, or a kind of fault',
    labelNames: ['upstream', 'method', 'outcome'],
  });
  const durations = make.durations({
    name: 'splwright_upstream_request_duration_seconds',
    help: 'How long the attempts took that were answered',
    labelNames: ['upstream', 'method'],
  });
  const hedges = make.counter({
    name: 'splwright_upstream_hedges_total',
    help: 'Calls sent to an upstream too because another one was slow to answer',
    labelNames: ['upstream'],
  });
  const disagreements = make.counter({
    name: 'splwright_upstream_disagreements_total',
    help: 'Calls to which upstreams that must agree gave different answers, by whether enough agreed in the end',
    labelNames: ['resolved'],
  });
  const batchRequests = make.histogram({
    name: 'splwright_upstream_batch_requests',
    help: 'Requests that shared one call for accounts',
    buckets: [1, 2, 4, 8, 12, 16, 24, 32, 50],
  });
  const batchAccounts = make.histogram({
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
    disagreed: (isResolved) => disagreements.inc({ resolved: String(isResolved) }),
    batchSent: (requestCount, accountCount) => {
      batchRequests.observe(requestCount);
      batchAccounts.observe(accountCount);
    },
  };
}

/** The name of a metric, its text for readers, and the names of its labels. */
interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  labelNames?: Label[];
}

interface HistogramDescription<Label extends string> extends MetricDescription<Label> {
  /** The upper bounds of the buckets, the lowest first. */
  buckets: number[];
}

/** A metric whose value is read at each scrape. */
interface GaugeDescription<Label extends string> extends MetricDescription<Label> {
  /** How the values of several workers become one; their sum by default. */
  aggregator?: 'max' | 'min';
  /** Sets the current values. */
  collect: (gauge: Gauge<Label>) => void;
}

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Makes metrics, each registered in one registry. */
class MetricMaker {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  /** Makes a counter. */
  counter<Label extends string = never>(description: MetricDescription<Label>): Counter<Label> {
    return new Counter({ ...description, registers: this.#registers });
  }

  /** Makes a histogram with these upper bounds of its buckets. */
  histogram<Label extends string = never>(description: HistogramDescription<Label>): Histogram<Label> {
    return new Histogram({ ...description, registers: this.#registers });
  }

  /** Makes a histogram of durations in seconds, from 1 ms to 5 s. */
  durations<Label extends string = never>(description: MetricDescription<Label>): Histogram<Label> {
    return this.histogram({ ...description, buckets: durationBuckets });
  }

  /** Makes a gauge. */
  gauge<Label extends string = never>({ collect, ...description }: GaugeDescription<Label>): void {
    new Gauge({
      ...description,
      registers: this.#registers,
      collect() {
        collect(this);
      },
    });
  }
}
