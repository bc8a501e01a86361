import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { BlockhashSource } from '../../src/chain/blockhash-source.ts';
import type { FreshBlockhash } from '../../src/chain/chain-reader.ts';
import { AppError, isAppError } from '../../src/problems.ts';

const never = Number.POSITIVE_INFINITY;

/** A call under way, which the test ends. */
interface Call {
  answer(height: number, slot?: number): void;
  fail(): void;
}

function startSource(t: TestContext, maxAgeMs = 1_000) {
  const clock = { now: 50_000 };
  const calls: Call[] = [];
  const now = (): number => clock.now;
  const source = new BlockhashSource({
    call: (_deadline, check) =>
      new Promise((resolve, reject) => {
        calls.push({
          answer: (height, slot = height) => {
            const blockhash = { blockhash: `hash ${height}`, lastValidBlockHeight: BigInt(height), slot: BigInt(slot) };
            try {
              check(blockhash);
              resolve(blockhash);
            } catch (error) {
              reject(error);
            }
          },
          fail: () => reject(new AppError('upstream_unavailable', 'no')),
        });
      }),
    maxAgeMs,
    now,
  });
  t.after(() => {
    for (const call of calls) call.fail();
  });
  const heightNow = (): bigint => {
    const blockhash = source.read(never);
    assert.ok(!(blockhash instanceof Promise), 'a request would wait');
    return blockhash.lastValidBlockHeight;
  };
  return { source, clock, calls, heightNow };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const isUnavailable = (error: unknown): boolean => isAppError(error, 'upstream_unavailable');
const isTooSlow = (error: unknown): boolean => isAppError(error, 'upstream_timeout');

async function pendingOf(read: FreshBlockhash | Promise<FreshBlockhash>): Promise<FreshBlockhash> {
  assert.ok(read instanceof Promise, 'a request should wait');
  return read;
}

test('A blockhash', async (t) => {
  await t.test('is asked for once for all requests that need it at the same time', async (t2) => {
    const { source, calls } = startSource(t2);
    const reads = Array.from({ length: 50 }, () => source.read(never));
    calls[0]?.answer(7);
    assert.equal(new Set(await Promise.all(reads)).size, 1);
    assert.equal(calls.length, 1);
  });

  await t.test('is as old as the question, not as the answer', async (t2) => {
    const { source, clock, calls } = startSource(t2);
    const read = source.read(never);
    clock.now += 900;
    calls[0]?.answer(7);
    assert.equal((await read).askedAt, 50_000);
    clock.now += 101;
    pendingOf(source.read(never)).catch(() => undefined);
    assert.equal(calls.length, 2);
  });

  await t.test('is there at once until it is as old as it may be, and no longer', async (t2) => {
    const { source, clock, calls, heightNow } = startSource(t2);
    pendingOf(source.read(never));
    calls[0]?.answer(7);
    await turn();
    clock.now += 1_000;
    assert.equal(heightNow(), 7n);
    clock.now += 1;
    const waited = pendingOf(source.read(never));
    calls[1]?.answer(8);
    assert.equal((await waited).lastValidBlockHeight, 8n);
  });

  await t.test('is renewed before a request has to wait, once, and only when it is asked for', async (t2) => {
    const { source, clock, calls, heightNow } = startSource(t2);
    pendingOf(source.read(never));
    calls[0]?.answer(7);
    await turn();
    clock.now += 750;
    assert.deepEqual([heightNow(), heightNow(), calls.length], [7n, 7n, 1]);
    clock.now += 1;
    assert.deepEqual([heightNow(), heightNow(), calls.length], [7n, 7n, 2]);
    calls[1]?.answer(8);
    await turn();
    assert.equal(heightNow(), 8n);
    clock.now += 100_000;
    await turn();
    assert.equal(calls.length, 2);
  });

  await t.test('that could not be renewed is handed out until its time, and then the request fails', async (t2) => {
    const { source, clock, calls, heightNow } = startSource(t2);
    pendingOf(source.read(never));
    calls[0]?.answer(7);
    await turn();
    clock.now += 800;
    assert.equal(heightNow(), 7n);
    calls[1]?.fail();
    await turn();
    clock.now += 200;
    assert.equal(heightNow(), 7n);
    calls[2]?.fail();
    await turn();
    clock.now += 1;
    const late = pendingOf(source.read(never));
    calls[3]?.fail();
    await assert.rejects(late, isUnavailable);
  });

  await t.test('that took longer to come than it may be old is not handed out, but asked for once more', async (t2) => {
    const { source, clock, calls } = startSource(t2);
    const inTime = pendingOf(source.read(never));
    clock.now += 1_000;
    calls[0]?.answer(7);
    assert.equal((await inTime).lastValidBlockHeight, 7n);
    clock.now += 1;
    const first = pendingOf(source.read(never));
    clock.now += 900;
    const joined = pendingOf(source.read(clock.now + 5_000));
    clock.now += 101;
    calls[1]?.answer(8);
    await turn();
    calls[2]?.answer(9);
    assert.equal((await first).lastValidBlockHeight, 9n);
    assert.equal(await joined, await first);
  });

  await t.test('that is late twice is refused', async (t2) => {
    const { source, clock, calls } = startSource(t2);
    const refused = assert.rejects(pendingOf(source.read(never)), isTooSlow);
    for (const index of [0, 1]) {
      clock.now += 1_001;
      calls[index]?.answer(7);
      await turn();
    }
    await refused;
    assert.equal(calls.length, 2);
  });

  await t.test('is asked for each time where none is kept, and counts however long it takes', async (t2) => {
    const { source, clock, calls } = startSource(t2, 0);
    for (const [index, height] of [7, 8].entries()) {
      const read = pendingOf(source.read(never));
      clock.now += 5_000;
      calls[index]?.answer(height);
      assert.equal((await read).lastValidBlockHeight, BigInt(height));
      clock.now += 1;
    }
  });

  await t.test('is given up by a request past its deadline, not by the others', async (t2) => {
    const { source, clock, calls } = startSource(t2);
    const hasty = pendingOf(source.read(clock.now + 10));
    const patient = pendingOf(source.read(clock.now + 60_000));
    await assert.rejects(hasty, isTooSlow);
    calls[0]?.answer(7);
    assert.equal((await patient).lastValidBlockHeight, 7n);
  });
});

test('The last valid block height of the blockhashes handed out never falls', async (t) => {
  await t.test('whatever the upstream answers', async (t2) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ height: fc.nat(20), wait: fc.nat(1_500) }), { maxLength: 40 }),
        async (steps) => {
          const { source, clock, calls } = startSource(t2);
          let highest = 0n;
          for (const { height, wait } of steps) {
            const read = source.read(never);
            calls.at(-1)?.answer(height);
            const outcome = await Promise.allSettled([read]);
            if (outcome[0].status === 'fulfilled') {
              assert.ok(outcome[0].value.lastValidBlockHeight >= highest);
              assert.ok(clock.now - outcome[0].value.askedAt <= 1_000);
              highest = outcome[0].value.lastValidBlockHeight;
            }
            // Far from ten seconds without progress.
            clock.now += Math.min(wait, 200);
          }
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  await t.test('unless there was none so long that the ledger may have been restarted', async (t2) => {
    const { source, clock, calls } = startSource(t2);
    for (const [index, height, wait, isAccepted] of [
      [0, 100, 0, true],
      [1, 5, 9_999, false],
      [2, 5, 1, true],
    ] as const) {
      clock.now += wait;
      const read = pendingOf(source.read(never));
      calls[index]?.answer(height);
      if (isAccepted) assert.equal((await read).lastValidBlockHeight, BigInt(height));
      else await assert.rejects(read, isUnavailable);
    }
  });
});

test('More blocks than slots are refused however long ago the last blockhash was', async (t) => {
  const { source, clock, calls } = startSource(t);
  const first = pendingOf(source.read(never));
  calls[0]?.answer(1_000, 9_000);
  await first;
  clock.now += 3_600_000;
  const later = pendingOf(source.read(never));
  calls[1]?.answer(9_150, 9_000 + 3_600);
  await assert.rejects(later, (error) => isAppError(error, 'upstream_error'));
});

test('Two blockhashes that contradict each other are both dropped, and the next one is accepted at once', async (t) => {
  for (const [name, height, slot] of [
    ['more blocks than slots', 1_006, 1_005],
    ['fewer blocks in later slots', 999, 1_005],
    ['fewer blocks than slots further back', 989, 990],
    ['more blocks in earlier slots', 1_001, 999],
  ] as const) {
    await t.test(name, async (t2) => {
      const { source, clock, calls } = startSource(t2);
      const first = pendingOf(source.read(never));
      calls[0]?.answer(1_000);
      await first;
      clock.now += 1_001;
      const second = pendingOf(source.read(never));
      calls[1]?.answer(height, slot);
      await assert.rejects(second, (error) => isAppError(error, 'upstream_error'));
      const third = pendingOf(source.read(never));
      calls[2]?.answer(height, slot);
      assert.equal((await third).lastValidBlockHeight, BigInt(height));
    });
  }
});
