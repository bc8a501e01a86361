import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { changeByHand, readByHand } from '../../store/change-by-hand.ts';
import { startStoreProcess } from '../../store/child-process.ts';
import { keyDatabases } from '../../store/databases.ts';

for (const { name, newUrl } of keyDatabases) {
  describe(`the history of keys in ${name}`, () => {
    /** A store with a key in it. */
    async function openWithKey(t: TestContext) {
      const url = await newUrl(t);
      const store = await openKeyStore(url);
      t.after(() => store.close());
      const { id } = (await store.create({ name: 'acme', expiresAt: null })).record;
      return { url, store, id };
    }

    it('is neither changed nor deleted, by any statement', async (t) => {
      const { url } = await openWithKey(t);
      const before = await readByHand(url, 'select * from key_history');
      const columns = 'id, at, action, key_id, name, changes';
      const row = "1, 1, 'created', 'key_1', 'forged', '{}'";
      const isSqlite = url.startsWith('sqlite:');
      const statements = [
        "update key_history set name = 'forged'",
        'delete from key_history',
        'delete from key_history where id = 1',
        isSqlite ? `replace into key_history (${columns}) values (${row})` : 'truncate key_history',
        isSqlite
          ? `insert or replace into key_history (${columns}) values (${row})`
          : `insert into key_history (${columns}) values (${row}) on conflict (id) do update set name = 'forged'`,
      ];
      for (const statement of statements) {
        await assert.rejects(changeByHand(url, statement), /key_history is append-only/, statement);
      }
      assert.deepEqual(await readByHand(url, 'select * from key_history'), before);
    });

    it('is written together with the key, or neither is', async (t) => {
      const { url, store, id } = await openWithKey(t);
      const state = async () => [await store.list(), await readByHand(url, 'select * from key_history')];
      const before = await state();
      await changeByHand(url, 'alter table key_history rename to hidden');
      for (const change of [
        () => store.create({ name: 'b', expiresAt: null }),
        () => store.update(id, () => ({ rateLimitPerMinute: 1 })),
        () => store.revoke(id),
        () => store.rotate(id),
      ]) {
        await assert.rejects(change(), String(change));
      }
      await changeByHand(url, 'alter table hidden rename to key_history');
      assert.deepEqual(await state(), before);
    });

    it('keeps what a key was, whatever two command lines do at once', async (t) => {
      const { url, store, id } = await openWithKey(t);
      // Of a process each: within one, a wait for the lock of an SQLite file keeps its holder from going on.
      const script = `await go();
        for (let round = 1; round <= 10; round += 1) await store.update('${id}', () => ({ rateLimitPerMinute: BASE + round }));`;
      const processes = [100, 200].map((base) => startStoreProcess(url, script.replace('BASE', String(base))));
      for (const { ready } of processes) await ready;
      for (const { go } of processes) go();
      for (const { ended } of processes) assert.deepEqual(await ended, { status: 0, output: '' });
      const changes = (await store.listChanges({ limit: 100 })).slice(1);
      assert.equal(changes.length, 20);
      let last: unknown = null;
      for (const { changes: changed } of changes) {
        assert.equal(changed.rate_limit_per_minute?.from, last);
        last = changed.rate_limit_per_minute?.to;
      }
      assert.equal((await store.find(id))[0]?.rateLimitPerMinute, last);
    });
  });
}
