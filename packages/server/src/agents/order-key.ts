import { hash } from 'node:crypto';

/** The order that a payment is for, as a model named it, and what follows from it. */
export interface Order {
  /** In one spelling: models change case and white space between two calls. */
  name: string;
  /** The `Idempotency-Key`: of the order alone, so that the same order with another amount or recipient is refused. */
  idempotencyKey: string;
}

const maxLength = 200;

/** Reads the `order` of a tool's arguments; `undefined` for what is no text of 1 to 200 characters. */
export function readOrder(given: unknown): Order | undefined {
  if (typeof given !== 'string') return undefined;
  const name = given.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (name === '' || name.length > maxLength) return undefined;
  return { name, idempotencyKey: `order-${hash('sha256', name, 'hex')}` };
}
