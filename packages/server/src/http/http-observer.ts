import type { ProblemCode } from '../errors.ts';
import type { ConnectionBound } from './connections/connections.ts';

/** Observes how requests end. */
export interface HttpObserver {
  /** A request of a route was answered. The route is the pattern, such as `/problems/:code`, or `none`. */
  answered(route: string, status: number, durationMs: number): void;
  /** A request was refused because the service is overloaded. */
  shed(reason: 'in_flight' | 'event_loop_delay'): void;
  /** A request of an API key was refused by a limit. */
  limited(keyId: string, code: ProblemCode): void;
  /** A connection was closed by a bound. */
  connectionClosed(bound: ConnectionBound): void;
}
