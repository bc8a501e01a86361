import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { maxAmount } from '../../../../core/src/request/amount.ts';
import { isAppError } from '../../../src/errors.ts';
import { unrestricted } from '../../../src/keys/authenticated-key.ts';
import { createDailyAmounts } from '../../../src/keys/usage/daily-amounts.ts';
import { openKeyStore } from '../../../src/store/open-key-store.ts';
import { withStoreInChildProcess } from '../../store/child-process.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import { isLimitReached, keyWithDailyLimit } from './daily-limits.ts';

const day = '2026-11-21';
const base = 10n ** 10n;

for (const { name, newUrl } of keyDatabases) {
  describe(`the amounts of a day kept in ${name}`, () => {
    async function openStore(t: TestContext) {
      const store = await openPatiently(await newUrl(t), t);
      let count = 0;
      /** Adds to a key that nothing was counted for yet. */
      const newCounter = () => {
        count += 1;
        const keyId = `key_${count}`;
        return {
          add: (amount: bigint, limit: bigint) => store.addDailyAmount({ keyId, day, mint: 'm', amount }, limit),
          sum: async () => (await store.findDailyAmounts(keyId, day)).get('m') ?? 0n,
        };
      };
      return { store, newCounter };
    }

    it('add up to the limit, and not one unit past it', async (t) => {
      const { newCounter } = await openStore(t);
      const { add, sum } = newCounter();
      assert.deepEqual([await add(60n, 100n), await add(41n, 100n), await add(40n, 100n)], [true, false, true]);
      assert.deepEqual([await add(1n, 100n), await sum()], [false, 100n]);
    });

    it('do not count an amount above the limit, though it is the first of the day', async (t) => {
      const { newCounter } = await openStore(t);
      const { add, sum } = newCounter();
      assert.deepEqual([await add(101n, 100n), await sum()], [false, 0n]);
    });

    it('follow a limit that is raised, and one that falls below what was built', async (t) => {
      const { newCounter } = await openStore(t);
      const { add, sum } = newCounter();
      assert.deepEqual([await add(100n, 100n), await add(1n, 101n), await add(1n, 50n)], [true, true, false]);
      assert.equal(await sum(), 101n);
    });

    it('are exact up to 2^64-1', async (t) => {
      const { newCounter } = await openStore(t);
      const whole = newCounter();
      assert.deepEqual([await whole.add(maxAmount, maxAmount), await whole.sum()], [true, maxAmount]);
      assert.deepEqual([await whole.add(1n, maxAmount), await whole.add(maxAmount, maxAmount)], [false, false]);
      const parts = newCounter();
      for (const amount of [2n ** 63n, 2n ** 63n - 2n]) assert.equal(await parts.add(amount, maxAmount), true);
      assert.deepEqual([await parts.add(2n, maxAmount), await parts.add(1n, maxAmount)], [false, true]);
      assert.equal(await parts.sum(), maxAmount);
    });

    it('add as whole numbers do, whatever the amounts and the limit', async (t) => {
      const { newCounter } = await openStore(t);
      const near = (middle: bigint) => fc.bigInt({ min: middle - 3n, max: middle + 3n });
      const amount = fc
        .oneof(
          fc.bigInt(1n, maxAmount),
          fc.bigInt(1n, 20n),
          near(base),
          near(2n * base),
          near(2n ** 63n),
          near(2n ** 53n),
        )
        .filter((value) => value >= 1n && value <= maxAmount);
      await fc.assert(
        fc.asyncProperty(amount, fc.array(amount, { minLength: 1, maxLength: 6 }), async (limit, amounts) => {
          const { add, sum } = newCounter();
          let expected = 0n;
          for (const next of amounts) {
            const fits = expected + next <= limit;
            assert.equal(await add(next, limit), fits);
            if (fits) expected += next;
            assert.equal(await sum(), expected);
          }
        }),
        { numRuns: 60 },
      );
    });

    it('are counted apart by key, mint and day, and forgotten by day', async (t) => {
      const { store } = await openStore(t);
      const added = { keyId: 'a', day, mint: 'm', amount: 7n };
      for (const other of [{}, { keyId: 'b' }, { mint: 'n' }, { day: '2026-11-22' }]) {
        assert.equal(await store.addDailyAmount({ ...added, ...other }, 10n), true);
      }
      assert.deepEqual(
        await store.findDailyAmounts('a', day),
        new Map([
          ['m', 7n],
          ['n', 7n],
        ]),
      );
      assert.ok((await store.pruneDailyAmounts('2026-11-22')) > 0);
      assert.equal(await store.pruneDailyAmounts('2026-11-22'), 0);
      assert.deepEqual(await store.findDailyAmounts('a', day), new Map());
      assert.deepEqual(await store.findDailyAmounts('a', '2026-11-22'), new Map([['m', 7n]]));
    });

    it('never pass the limit, though processes race for the last of it', async (t) => {
      const url = await newUrl(t);
      const store = await openKeyStore(url);
      t.after(() => store.close());
      const limit = 2n ** 63n;
      // Three units are left for 4 processes that ask 60 times each.
      await store.addDailyAmount({ keyId: 'a', day, mint: 'm', amount: limit - 3n }, limit);
      const script = `
        const tries = Array.from({ length: 60 }, () =>
          store.addDailyAmount({ keyId: 'a', day: '${day}', mint: 'm', amount: 1n }, ${limit}n));
        console.log((await Promise.all(tries)).filter(Boolean).length);`;
      const children = await Promise.all(Array.from({ length: 4 }, () => withStoreInChildProcess(url, script)));
      assert.deepEqual(
        children.map(({ status }) => status),
        [0, 0, 0, 0],
        JSON.stringify(children),
      );
      assert.equal(
        children.reduce((sum, { output }) => sum + Number(output), 0),
        3,
      );
      assert.equal((await store.findDailyAmounts('a', day)).get('m'), limit);
    });

    it('begin again at midnight in UTC, and are still known when the clock is set back', async (t) => {
      const { store } = await openStore(t);
      const clock = { now: Date.parse('2026-11-21T23:59:59.999Z') };
      const dailyAmounts = createDailyAmounts({ store, now: () => clock.now });
      const count = (amount: bigint) =>
        dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'm', amount, pointer: '/amount' });
      const reached = isLimitReached('has built 8 today', '2026-11-22T00:00:00.000Z');
      await count(8n);
      await assert.rejects(count(3n), reached);
      clock.now += 1;
      await count(10n);
      clock.now -= 1;
      await assert.rejects(count(3n), reached);
    });
  });
}

describe('the amounts of a day', () => {
  const away = () => Promise.reject(new Error('connection refused'));
  const dailyAmounts = createDailyAmounts({ store: { addDailyAmount: away, findDailyAmounts: away }, now: () => 0 });

  it('that cannot be counted are refused, for another reason than a reached limit, with the error of the store', async () => {
    await assert.rejects(
      dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'm', amount: 1n, pointer: '/amount' }),
      (error) => {
        assert.ok(isAppError(error, 'key_store_unavailable'));
        return error.cause === 'connection refused';
      },
    );
  });

  it('are not counted of a key without a daily limit for the mint', async () => {
    await dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'other', amount: 1n, pointer: '/amount' });
    await dailyAmounts.count({ id: 'a', restrictions: unrestricted }, { mint: 'm', amount: 1n, pointer: '/amount' });
  });
});
