import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusBatcher } from '../../src/chain/shared-calls.ts';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { isAppError } from '../../src/problems.ts';

const statusAt = (slot: bigint) => ({ slot, error: null, commitment: 'finalized' as const });
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(index));

/** A batcher whose calls answer at once: the status of a signature, which is a number, is of the slot of this number. */
function startBatcher(fails = false) {
  const calls: { signatures: readonly string[]; deadline: number }[] = [];
  const batcher = new StatusBatcher(async (signatures, deadline) => {
    calls.push({ signatures, deadline });
    if (fails) throw unavailable('node', 'it is away');
    return { slot: 1_000n, statuses: signatures.map((text) => (text === '7' ? null : statusAt(BigInt(text)))) };
  });
  return { batcher, calls };
}

test('The signatures of one turn share a call with the latest deadline, and each gets its own status', async () => {
  const { batcher, calls } = startBatcher();
  const read = await Promise.all([batcher.read('5', 100), batcher.read('7', 300), batcher.read('6', 200)]);
  assert.deepEqual(read, [
    { slot: 1_000n, status: statusAt(5n) },
    { slot: 1_000n, status: null },
    { slot: 1_000n, status: statusAt(6n) },
  ]);
  assert.deepEqual(calls, [{ signatures: ['5', '7', '6'], deadline: 300 }]);
  await batcher.read('8', 100);
  assert.equal(calls.length, 2);
});

test('More than 256 signatures are shared out over several calls', async () => {
  const { batcher, calls } = startBatcher();
  const read = await Promise.all(numbers(600).map((text) => batcher.read(text, 100)));
  assert.deepEqual(
    calls.map(({ signatures }) => signatures.length),
    [256, 256, 88],
  );
  for (const [index, { status }] of read.entries()) assert.equal(status?.slot, index === 7 ? undefined : BigInt(index));
});

test('A call that fails fails the signatures in it', async () => {
  const { batcher, calls } = startBatcher(true);
  const reads = [batcher.read('1', 100), batcher.read('2', 100)];
  for (const read of reads) await assert.rejects(read, (error) => isAppError(error, 'upstream_unavailable'));
  assert.equal(calls.length, 1);
});
