import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { describeMutations, runMutations } from './mutation-run.ts';

const count = Number(process.env.VERIFY_MUTATIONS ?? 2_000);
const seed = Number(process.env.VERIFY_SEED ?? randomInt(2 ** 32));

test(`Of ${count} changed transactions none passes that does something else, of seed ${seed}`, async (t) => {
  const tally = await runMutations({ seed, count, perWorld: 100, executeEvery: 100 });
  const description = describeMutations(tally);
  t.diagnostic(description);
  assert.deepEqual(tally.differing, [], description);
  assert.equal(tally.changed, count);
  // What is refused is refused for a reason, and what passes is executed.
  assert.ok(tally.refused.size > 10 && tally.movedNothing.size > 0, description);
});
