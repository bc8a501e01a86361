import { ClusterRegistry, collectDefaultMetrics } from '@prometheus-io/client';
import type { ChainObserver } from '../chain/chain-observer.ts';
import type { UpstreamStatus } from '../chain/upstreams/upstream-pool.ts';
import type { HttpObserver } from '../http/http-observer.ts';
import type { BuildObserver } from '../service/transfer-builder.ts';
import { buildMetrics } from './build-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { MetricMaker } from './metric-maker.ts';
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
  watch({ upstreams, requestsInFlight, isRedisReachable }: MetricsSources): void {
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
