import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseError, KeyStoreError, storeFaultOf } from '../../src/store/store-faults.ts';

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

  it('is kept where it has its words already', () => {
    const error = new KeyStoreError('gone');
    assert.equal(databaseError('/keys.db', 'opened', error), error);
  });

  it('names the reason of each address of a host', () => {
    const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}`));
    assert.equal(storeFaultOf(new AggregateError(refused)), 'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1');
  });
});
