import type { Histogram } from 'prom-client';
import type { HttpObserver } from '../http/http-observer.ts';
import type { MetricMaker } from './metric-maker.ts';

type Child = Histogram.Internal<'route' | 'status'>;

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
  // There are few routes and statuses, and asking the library for a child each time would cost more than counting.
  const children = new Map<string, Map<number, Child>>();
  const childOf = (route: string, status: number): Child => {
    const ofRoute = children.get(route) ?? new Map<number, Child>();
    const child = ofRoute.get(status) ?? durations.labels(route, String(status));
    children.set(route, ofRoute.set(status, child));
    return child;
  };
  return {
    answered: (route, status, durationMs) => {
      const child = children.get(route)?.get(status) ?? childOf(route, status);
      child.observe(durationMs / 1000);
    },
    shed: (reason) => shed.inc({ reason }),
  };
}
