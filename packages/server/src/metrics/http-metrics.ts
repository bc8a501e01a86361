import type { HttpObserver } from '../http/http-observer.ts';
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
