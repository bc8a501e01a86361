import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { KeyUsage, UsageBatch } from '../../../src/keys/api-key-record.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { withStoreInChildProcess } from '../../store/child-process.ts';
import { keyDatabases } from '../../store/databases.ts';

const built: KeyUsage = { keyId: 'key_a', day: '2026-11-21', outcome: 'built', requests: 3 };
const refused: KeyUsage = { ...built, outcome: 'insufficient_sol', requests: 2 };
const nextDay: KeyUsage = { ...built, day: '2026-11-22', requests: 1 };
const otherKey: KeyUsage = { ...built, keyId: 'key_b', requests: 1 };

function batch(writer: string, number: number, usage: readonly KeyUsage[], lastUsed: object = {}): UsageBatch {
  return { writer, number, usage, lastUsedAt: new Map(Object.entries(lastUsed)) };
}

for (const { name, newUrl } of keyDatabases) {
  describe(`the usage kept in ${name}`, () => {
    async function openStore(t: TestContext, url: string) {
      const store = await openKeyStore(url);
      t.after(() => store.close());
      return store;
    }

    it('adds up over batches and processes, by key, day and outcome', async (t) => {
      const url = await newUrl(t);
      const [first, second] = [await openStore(t, url), await openStore(t, url)];
      await first.addUsage(batch('w1', 1, [otherKey, nextDay, refused, built]));
      await second.addUsage(batch('w2', 1, [built]));
      await first.addUsage(batch('w1', 2, [built, nextDay]));
      assert.deepEqual(await second.listUsage('2026-11-21'), [
        { ...built, requests: 9 },
        refused,
        otherKey,
        { ...nextDay, requests: 2 },
      ]);
      assert.deepEqual(await second.listUsage('2026-11-22'), [{ ...nextDay, requests: 2 }]);
    });

    it('adds a batch once, though it is tried again', async (t) => {
      const store = await openStore(t, await newUrl(t));
      const again = batch('w1', 7, [built]);
      for (let attempt = 0; attempt < 3; attempt += 1) await store.addUsage(again);
      assert.deepEqual(await store.listUsage('2026-11-21'), [built]);
    });

    it('takes batches of many processes at once', async (t) => {
      const url = await newUrl(t);
      const children = ['w0', 'w1', 'w2', 'w3'].map((writer) =>
        withStoreInChildProcess(
          url,
          `for (let number = 1; number <= 5; number += 1) {
            const usage = Array.from({ length: 600 }, (_, key) =>
              ({ keyId: 'key_' + key, day: '2026-11-21', outcome: 'built', requests: 1 }));
            if (number % 2) usage.reverse();
            await store.addUsage({ writer: '${writer}', number, usage, lastUsedAt: new Map([['key_1', number]]) });
          }`,
        ),
      );
      for (const child of await Promise.all(children)) assert.deepEqual(child, { status: 0, output: '' });
      const kept = await (await openStore(t, url)).listUsage('2026-11-21');
      assert.equal(kept.length, 600);
      assert.ok(kept.every(({ requests }) => requests === 20));
    });

    it('holds counts past 2^32 exactly', async (t) => {
      const store = await openStore(t, await newUrl(t));
      const requests = 2 ** 52 - 1;
      await store.addUsage(batch('w1', 1, [{ ...built, requests }]));
      await store.addUsage(batch('w1', 2, [{ ...built, requests }]));
      assert.deepEqual(await store.listUsage('2026-11-21'), [{ ...built, requests: 2 * requests }]);
    });

    it('keeps the latest time at which a key was used', async (t) => {
      const store = await openStore(t, await newUrl(t));
      const [{ record: a }, { record: b }] = [
        await store.create({ name: 'a', expiresAt: null }),
        await store.create({ name: 'b', expiresAt: null }),
      ];
      await store.addUsage(batch('w1', 1, [built], { [a.id]: 2_000_000_000_000, gone: 5 }));
      await store.addUsage(batch('w2', 1, [built], { [a.id]: 1_900_000_000_000 }));
      assert.deepEqual((await store.find(a.id))[0]?.lastUsedAt, new Date(2_000_000_000_000));
      assert.deepEqual((await store.find(b.id))[0]?.lastUsedAt, null);
    });

    it('adds all of a batch or nothing', async (t) => {
      const store = await openStore(t, await newUrl(t));
      const impossible = { ...refused, requests: Number.NaN };
      await assert.rejects(store.addUsage(batch('w1', 1, [built, impossible])));
      assert.deepEqual(await store.listUsage('2026-11-21'), []);
      await store.addUsage(batch('w1', 1, [built]));
      assert.deepEqual(await store.listUsage('2026-11-21'), [built]);
    });
  });
}
