import type { HttpObserver } from '../http/http-observer.ts';
import type { Distribution } from './histogram.ts';
import type { MetricMaker } from './metric-maker.ts';

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
    connectionClosed: (bound) => closed.inc({ bound }),
  };
}
