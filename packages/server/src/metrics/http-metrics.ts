import { Counter, Histogram, type Registry } from 'prom-client';
import type { HttpObserver } from '../http/http-observer.ts';

type Child = Histogram.Internal<'route' | 'status'>;

/** Registers the metrics of requests, and returns the observer that counts them. */
export function httpMetrics(registry: Registry): HttpObserver {
  const registers = [registry];
  const durations = new Histogram({
    name: 'splwright_http_request_duration_seconds',
    help: 'How long requests took from their head to the last byte of the answer',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const shed = new Counter({
    name: 'splwright_http_requests_shed_total',
    help: 'Requests turned away because the service had more than it can take on',
    labelNames: ['reason'],
    registers,
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
