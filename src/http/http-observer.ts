/** Hears of what comes of the requests. */
export interface HttpObserver {
  /** A request of a route was answered. The route is the pattern, such as `/problems/:code`, or `none`. */
  answered(route: string, status: number, milliseconds: number): void;
  /** A request was turned away because the service has more than it can take on. */
  shed(reason: 'in_flight' | 'event_loop_delay'): void;
}
