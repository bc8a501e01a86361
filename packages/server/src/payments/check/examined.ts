import type { SeenPayment } from './payment-in.ts';

/** What was found in a transaction of a slot: a payment, or none. */
interface Examined {
  slot: bigint;
  payment: SeenPayment | undefined;
}

/**
 * What each node has shown of a link's transactions, so that none is read again with every check.
 *
 * Each node by itself: what one of them says must not become what all of them say.
 */
export class ExaminedTransactions {
  readonly #byNode = new Map<string, ReadonlyMap<string, Examined>>();

  /** Returns what a node has shown, by signature. */
  of(node: string): ReadonlyMap<string, Examined> {
    return this.#byNode.get(node) ?? new Map();
  }

  /** Replaces what a node has shown. */
  keep(node: string, examined: ReadonlyMap<string, Examined>): void {
    this.#byNode.set(node, examined);
  }
}
