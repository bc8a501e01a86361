import type { SeenPayment } from './payment-in.ts';

/**
 * What each node has shown of a link's transactions, so that none is read again with every check.
 *
 * Each node by itself: what one of them says must not become what all of them say.
 */
export class ExaminedTransactions {
  readonly #byNode = new Map<string, ReadonlyMap<string, SeenPayment>>();

  /** Returns what a node has shown, by signature. */
  of(node: string): ReadonlyMap<string, SeenPayment> {
    return this.#byNode.get(node) ?? new Map();
  }

  /** Replaces what a node has shown. */
  keep(node: string, examined: ReadonlyMap<string, SeenPayment>): void {
    this.#byNode.set(node, examined);
  }
}
