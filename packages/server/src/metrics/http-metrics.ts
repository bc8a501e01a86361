import type { HttpObserver } from '../http/http-observer.ts';
import type { Distribution } from './histogram.ts';
import type { MetricMaker } from './metric-maker.ts';

// Each is a series of its own in Prometheus.
const maxLimitedKeys = 100;

/** Makes the metrics of requests, and returns the observer that counts them. */
export function httpMetrics(make: MetricMaker): HttpObserver {
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
  // There are few routes and statuses, and asking for them by their texts each time would cost more than counting.
  const known = new Map<string, Map<number, Distribution>>();
  const durationsOf = (route: string, status: number): Distribution => {
    const ofRoute = known.get(route) ?? new Map<number, Distribution>();
    const ofStatus = durations.of(route, String(status));
    known.set(route, ofRoute.set(status, ofStatus));
    return ofStatus;
  };
  return {
    answered: (route, status, durationMs) => {
      const ofStatus = known.get(route)?.get(status) ?? durationsOf(route, status);
      ofStatus.observe(durationMs / 1000);
    },
    shed: (reason) => shed.inc({ reason }),
    limited: (keyId, code) => {
      if (limitedKeys.size < maxLimitedKeys) limitedKeys.add(keyId);
      limited.inc({ key_id: limitedKeys.has(keyId) ? keyId : 'other', code });
    },
    connectionClosed: (bound) => closed.inc({ bound }),
  };
}
