import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { maxAmount } from '../../../../core/src/request/amount.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { withStoreInChildProcess } from '../../store/child-process.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';

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
          add: async (amount: bigint, limit: bigint) => {
            const addition = { added: { keyId, day, mint: 'm', amount }, limit };
            return (await store.addDailyAmounts([addition])) !== addition;
          },
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
      assert.deepEqual([await add(1n, 101n), await add(1n, 50n), await sum()], [true, false, 101n]);
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
        { numRuns: 30 },
      );
    });

    it('are counted apart by key, mint and day, and forgotten by day', async (t) => {
      const { store } = await openStore(t);
      const added = { keyId: 'a', day, mint: 'm', amount: 7n };
      for (const other of [{}, { keyId: 'b' }, { mint: 'n' }, { day: '2026-11-22' }]) {
        assert.equal(await store.addDailyAmounts([{ added: { ...added, ...other }, limit: 10n }]), undefined);
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
      // Three units are left for two processes that ask 60 times each.
      await store.addDailyAmounts([{ added: { keyId: 'a', day, mint: 'm', amount: limit - 3n }, limit }]);
      const script = `
        const tries = Array.from({ length: 60 }, () =>
          store.addDailyAmounts([{ added: { keyId: 'a', day: '${day}', mint: 'm', amount: 1n }, limit: ${limit}n }]));
        console.log((await Promise.all(tries)).filter((refused) => refused === undefined).length);`;
      const children = await Promise.all(Array.from({ length: 2 }, () => withStoreInChildProcess(url, script)));
      assert.deepEqual(
        children.map(({ status }) => status),
        [0, 0],
        JSON.stringify(children),
      );
      assert.equal(
        children.reduce((sum, { output }) => sum + Number(output), 0),
        3,
      );
      assert.equal((await store.findDailyAmounts('a', day)).get('m'), limit);
    });
  });
}
