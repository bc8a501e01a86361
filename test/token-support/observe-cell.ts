import { type Observation, observe } from './observe.ts';
import { arrange, type Operation } from './situation.ts';
import type { Stage } from './stage.ts';
import type { SupportRow } from './support-row.ts';

/** Observes one cell, in a situation of its own. Throws an `AssertionError` where service and chain disagree. */
export async function observeCell(stage: Stage, { id, plan }: SupportRow, operation: Operation): Promise<Observation> {
  const situation = await arrange(stage.sandbox.ledger, plan, operation, `${id} ${operation}`);
  return observe(stage, situation, operation);
}
