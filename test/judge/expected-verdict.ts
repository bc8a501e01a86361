import assert from 'node:assert/strict';
import type { ProblemCode } from '../../packages/server/src/problems.ts';
import type { Verdict } from './judge-world.ts';
import { describeVerdict } from './transfers.ts';

/** What the service is expected to decide. */
export interface ExpectedVerdict {
  /** The codes of the refusal, in their order; none, or absent, for an answer. */
  codes?: readonly ProblemCode[];
  /** Only for a refusal of what lands, or, `false`, for an answer that does not. */
  lands?: boolean;
}

/** Asserts that a verdict is the expected one, and that the chain agrees. */
export async function assertVerdict(verdict: Promise<Verdict>, { codes = [], lands }: ExpectedVerdict): Promise<void> {
  const judged = await verdict;
  assert.deepEqual(judged.codes, codes, describeVerdict(judged));
  assert.equal(judged.outcome?.kind === 'landed', lands ?? codes.length === 0, describeVerdict(judged));
  assert.deepEqual(judged.disagreements, [], describeVerdict(judged));
}
