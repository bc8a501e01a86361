import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ChainObserver } from '../chain/chain-observer.ts';
import type { UpstreamStatus } from '../chain/upstreams/upstream-pool.ts';
import type { HttpObserver } from '../http/http-observer.ts';
import type { BuildObserver } from '../service/transfer-builder.ts';
import { buildMetrics } from './build-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { upstreamMetrics } from './upstream-metrics.ts';

/** The state of the service that gauges read at each scrape. */
export interface MetricsSources {
  upstreams: () => readonly UpstreamStatus[];
  requestsInFlight: () => number;
  /** `undefined` when the limits are not in Redis. */
  isRedisReachable: (() => boolean) | undefined;
}

/** All metrics of the service, in the Prometheus text format. Upstreams are named by number, never by URL. */
export class Metrics {
  readonly chain: ChainObserver;
  readonly builds: BuildObserver;
  readonly http: HttpObserver;
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.chain = upstreamMetrics(this.#registry);
    this.builds = buildMetrics(this.#registry);
    this.http = httpMetrics(this.#registry);
  }

  /** Lets the primary process read these metrics; to be called in a worker. */
  answerPrimary(): void {
    AggregatorRegistry.setRegistries(this.#registry);
    // Its constructor adds the listener for the primary's requests.
    new AggregatorRegistry();
  }

  /** Adds the gauges of the service's state. */
  watch(sources: MetricsSources): void {
    if (sources.isRedisReachable) this.#watchRedis(sources.isRedisReachable);
    const registers = [this.#registry];
    new Gauge({
      name: 'splwright_http_requests_in_flight',
      help: 'Requests that are not answered yet',
      registers,
      collect() {
        this.set(sources.requestsInFlight());
      },
    });
    new Gauge({
      name: 'splwright_upstream_state',
      help: '1 for the state that the breaker of an upstream is in, 0 for the others, added up over workers; foreign: it serves another cluster',
      labelNames: ['upstream', 'state'],
      registers,
      collect() {
        for (const { name, state } of sources.upstreams()) {
          for (const other of ['closed', 'half_open', 'open', 'foreign']) {
            this.set({ upstream: name, state: other }, state === other ? 1 : 0);
          }
        }
      },
    });
    new Gauge({
      name: 'splwright_upstream_slot_lag',
      help: 'Slots by which the last answer of an upstream was behind the newest slot seen on any',
      labelNames: ['upstream'],
      aggregator: 'max',
      registers,
      collect() {
        for (const { name, slotLag } of sources.upstreams()) {
          if (slotLag !== undefined) this.set({ upstream: name }, Number(slotLag));
        }
      },
    });
  }

  #watchRedis(isReachable: () => boolean): void {
    new Gauge({
      name: 'splwright_rate_limit_redis_up',
      help: '1 while Redis shares the rate limits, 0 while each process, or one of the workers, holds them by itself',
      aggregator: 'min',
      registers: [this.#registry],
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
