import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inMemory, openSqliteFile, withWriteLock } from '../../src/store/sqlite-file.ts';

describe('withWriteLock', () => {
  it('keeps all that the action wrote, or nothing when it throws', async (test) => {
    const database = openSqliteFile(inMemory);
    test.after(() => database.close());
    await withWriteLock(database, async () => database.exec('create table kept (id)'));
    const failure = new Error('half way');
    const failing = withWriteLock(database, async () => {
      database.exec('create table lost (id)');
      throw failure;
    });
    await assert.rejects(failing, failure);
    assert.deepEqual(
      database
        .prepare('select name from sqlite_master')
        .all()
        .map(({ name }) => name),
      ['kept'],
    );
  });
});
