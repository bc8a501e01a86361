import assert from 'node:assert/strict';
import { Work } from '../../src/app/work.ts';
import type { NodeHistory } from '../../src/chain/chain-history.ts';
import { OutcomeFinder } from '../../src/outcomes/outcome-finder.ts';
import type { OutcomeItem, Verdict } from '../../src/outcomes/verdict.ts';
import { historyOf, LedgerNodeHistory } from './ledger-node-history.ts';
import type { OutcomeScene } from './outcome-scene.ts';

/** The verdict on one transaction, from one sound node unless others are given. */
export async function verdictOn(
  scene: OutcomeScene,
  item: OutcomeItem,
  nodes: readonly NodeHistory[] = [new LedgerNodeHistory(scene.ledger)],
  quorum = 1,
): Promise<Verdict> {
  const [verdict] = await verdictsOn([item], nodes, quorum);
  assert.ok(verdict);
  return verdict;
}

/** The verdicts on transactions that are asked for together. */
export function verdictsOn(
  items: readonly OutcomeItem[],
  nodes: readonly NodeHistory[],
  quorum = 1,
  isAnother?: (message: Uint8Array) => Promise<boolean>,
): Promise<readonly Verdict[]> {
  return new OutcomeFinder(historyOf(nodes, { quorum })).find(items, new Work(), isAnother);
}

/** Asserts which outcome a verdict has, and for what reason if it has one; returns it as that. */
export function assertOutcome<O extends Verdict['outcome']>(
  verdict: Verdict | undefined,
  outcome: O,
  reason?: string,
): Verdict & { outcome: O } {
  assert.deepEqual([verdict?.outcome, verdict && 'reason' in verdict ? verdict.reason : undefined], [outcome, reason]);
  // Just compared.
  return verdict as Verdict & { outcome: O };
}
