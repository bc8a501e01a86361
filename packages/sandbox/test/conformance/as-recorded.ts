import assert from 'node:assert/strict';
import { compare } from './compare.ts';
import { allowedDifferences } from './differences.ts';

/** Fails on a difference that the table does not allow in this call, and on an allowed one that is gone. */
export function assertAsRecorded(call: string, recorded: unknown, answered: unknown, lists: 'whole' | 'cut'): void {
  const allowed = allowedDifferences.flatMap(({ seen = [] }) => seen.filter((each) => each.call === call));
  const differences = compare(recorded, answered, lists);
  const unexpected = differences.filter(({ path }) => !allowed.some((each) => each.path === path));
  assert.deepEqual(unexpected, []);
  const gone = allowed.filter((each) => !differences.some(({ path }) => each.path === path));
  assert.deepEqual(gone, [], 'a difference of the table is gone');
}
