import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { schemaSteps } from '../../../src/store/schema/migrate.ts';
import { KeyStoreError } from '../../../src/store/store-faults.ts';
import { claimBy, requestOf } from '../../idempotency/records/idempotent-requests.ts';
import { changeByHand, readByHand } from '../change-by-hand.ts';
import { startStoreProcess } from '../child-process.ts';
import { keyDatabases } from '../databases.ts';
import { additiveStep, breakingStep, migrateAsLaterVersion } from './newer-schema.ts';

const built = { whole: { reply: '{}', headers: {} }, transactions: [], sent: [] };

const refusalOf = (step: string) => (error: unknown) => {
  assert.ok(error instanceof KeyStoreError);
  const said = 'cannot be opened: a newer version has changed it in a way that this version does not know';
  assert.ok(error.message.includes(`${said}: ${step}. `), error.message);
  return true;
};

for (const database of keyDatabases) {
  describe(`a database that a later version has migrated: ${database.name}`, () => {
    it('is used by this version when the later one only added to it, and keeps everything', async (t) => {
      const url = await database.newUrl(t);
      const before = await openKeyStore(url);
      const { record } = await before.create({ name: 'before', expiresAt: null });
      await before.idempotency.claim(requestOf('kept'), claimBy('1'));
      await before.idempotency.complete(requestOf('kept'), '1', built, claimBy('1').now, 1_000);
      await before.close();
      await migrateAsLaterVersion(url, additiveStep);
      // What the later version keeps in its own column.
      await changeByHand(url, "update api_keys set made_up = 'of a later version'");

      const store = await openKeyStore(url);
      t.after(() => store.close());
      const other = await store.create({ name: 'meanwhile', expiresAt: null });
      await store.update(record.id, () => ({ name: 'renamed' }));
      await store.rotate(other.record.id);
      assert.equal((await store.idempotency.claim(requestOf('kept'), claimBy('2'))).kind, 'built');
      assert.equal((await store.idempotency.claim(requestOf('new'), claimBy('3'))).kind, 'claimed');
      assert.deepEqual((await store.list()).map(({ name }) => name).sort(), ['meanwhile', 'meanwhile', 'renamed']);
      const kept = await readByHand(url, `select id from api_keys where made_up = 'of a later version'`);
      assert.deepEqual(
        kept.map(({ id }) => id),
        [record.id],
      );
      // The later version finds its own database again.
      await migrateAsLaterVersion(url, additiveStep);
    });

    it('is refused in clear words when the later one changed what this one reads, and left as it was', async (t) => {
      const url = await database.newUrl(t);
      await (await openKeyStore(url)).close();
      await migrateAsLaterVersion(url, breakingStep);
      for (const use of ['command', 'service'] as const) {
        await assert.rejects(openKeyStore(url, { use }), refusalOf(breakingStep.name));
      }
      await migrateAsLaterVersion(url, breakingStep);
    });

    it('serves this version while it is migrated, without one failure', async (t) => {
      const url = await database.newUrl(t);
      await (await openKeyStore(url)).close();
      // Only what a service writes: a key is made by a command, which waits longer for the file than a service may.
      const script = `
        const failures = [];
        let writes = 0;
        let isMigrated = false;
        const stop = go().then(() => { isMigrated = true; });
        for (let left = 10; left > 0; writes += 1) {
          // Nothing else ends a turn: SQLite answers at once, and what is sent to the process would never be read.
          await new Promise((resolve) => setImmediate(resolve));
          try {
            const id = { scope: 'key_1', path: '/v1/transfers', key: String(writes) };
            const times = { now: 1, leaseMs: 1000, retentionMs: 1000 };
            await store.idempotency.claim(id, { bodyHash: 'a', attempt: '1', ...times });
            await store.idempotency.complete(id, '1', ${JSON.stringify(built)}, 1, 1000);
            await store.addDailyAmounts([{ added: { keyId: 'key_1', day: '2026-11-22', mint: 'm', amount: 1n }, limit: 1_000_000n }]);
            await store.hasActiveKey(new Date());
          } catch (error) {
            failures.push(String(error));
          }
          if (writes === 20) console.log('writing');
          if (isMigrated) left -= 1;
        }
        await stop;
        const amounts = await store.findDailyAmounts('key_1', '2026-11-22');
        console.log(JSON.stringify({ failures, writes, amount: Number(amounts.get('m')) }));`;
      const old = startStoreProcess(url, script, 'service');
      await old.printed('writing');
      await migrateAsLaterVersion(url, additiveStep);
      old.go();
      const { status, output } = await old.ended;
      assert.equal(status, 0, output);
      const { failures, writes, amount } = JSON.parse(output.split('\n').at(-1) ?? '');
      assert.deepEqual([failures, amount], [[], writes]);
      // A replica of the old version that is restarted now comes back, too.
      await (await openKeyStore(url, { use: 'service' })).close();
    });
  });
}

describe('the steps of the schema', () => {
  it('are numbered without gaps, in their order', () => {
    for (const [index, { name }] of schemaSteps.entries())
      assert.match(name, new RegExp(`^${String(index + 1).padStart(4, '0')}-`));
  });

  it('say from which step on a program may use the database', () => {
    for (const [index, { name, compatibleFrom }] of schemaSteps.entries()) {
      const number = index + 1;
      assert.ok(compatibleFrom >= 1 && compatibleFrom <= number, name);
    }
  });
});
