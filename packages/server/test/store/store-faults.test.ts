import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { databaseError, KeyStoreError, storeFaultOf } from '../../src/store/store-faults.ts';
import { newKeyStore } from './databases.ts';

describe('the error of a database', () => {
  it('is one line with the place, the reason, its code, and where the remedy is', () => {
    const system = Object.assign(new Error("EACCES: permission denied, mkdir '/data'"), { code: 'EACCES' });
    const sqlite = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
    // The extended code of a failed write (SQLITE_IOERR_WRITE).
    const extended = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 });
    for (const [error, reason] of [
      [system, "EACCES: permission denied, mkdir '/data'"],
      [sqlite, 'database or disk is full (SQLITE_FULL)'],
      [extended, 'disk I/O error (SQLITE_IOERR)'],
      [Object.assign(new Error('no such table'), { errcode: 1 }), 'no such table'],
      ['a text', 'a text'],
    ] as const) {
      const explained = databaseError('/data/keys.db', 'used', error);
      assert.equal(
        explained.message,
        `DATABASE_URL: the database /data/keys.db cannot be used: ${reason}. docs/operate/stores.md says what to do.`,
      );
      assert.equal(explained.cause, error);
    }
  });

  it('is that of the full disk also where SQLite has undone the transaction, which goes on when there is space', async (t) => {
    const { store } = await newKeyStore(t);
    const setMaxPages = (count: string) => sql.raw(`pragma max_page_count = ${count}`).execute(store.database.db);
    const fill = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) {
        const asked = { owner_id: `key_${count}`, url: 'https://shop.example', types: null };
        await store.webhooks.endpoints.insert({ ...asked, description: 'x'.repeat(3_000) }, new Date());
      }
    };
    await setMaxPages('1');
    await assert.rejects(fill(), /cannot be used: database or disk is full \(SQLITE_FULL\)/);
    await setMaxPages('1000000');
    await fill();
  });

  it('is kept where it has its words already', () => {
    const error = new KeyStoreError('gone');
    assert.equal(databaseError('/keys.db', 'opened', error), error);
  });

  it('names the reason of each address of a host', () => {
    const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}`));
    assert.equal(storeFaultOf(new AggregateError(refused)), 'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1');
  });
});
