import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { explainSqliteFault } from '../../src/store/sqlite-fault.ts';
import { KeyStoreError } from '../../src/store/store-faults.ts';

/** The error that SQLite gives for a statement. */
function faultOf(database: DatabaseSync, sql: string): unknown {
  try {
    database.exec(sql);
  } catch (error) {
    return error;
  }
  throw new Error(`nothing is wrong with ${sql}`);
}

describe('explainSqliteFault', () => {
  it('names the fault, the file and the remedy of real faults', (test) => {
    const folder = temporaryFolder(test);
    const path = join(folder, 'keys.db');
    const database = new DatabaseSync(path);
    database.exec('create table t (x); pragma max_page_count = 2');
    const full = faultOf(database, 'insert into t values (randomblob(100000))');
    const readOnly = new DatabaseSync(path, { readOnly: true });
    const cannotWrite = faultOf(readOnly, 'insert into t values (1)');
    database.exec('begin immediate');
    const other = new DatabaseSync(path);
    const busy = faultOf(other, 'begin immediate');
    for (const open of [database, readOnly, other]) open.close();
    writeFileSync(path, 'not a database, but long enough to be looked at\n'.repeat(50));
    const damaged = new DatabaseSync(path);
    const noDatabase = faultOf(damaged, 'select * from t');
    damaged.close();

    const expected: [unknown, string][] = [
      [full, `the disk of ${path} is full (SQLITE_FULL). Free space there and try again.`],
      [busy, 'another process has it locked (SQLITE_BUSY). Try again when that process is done.'],
      [noDatabase, 'it is not an SQLite database, or is damaged (SQLITE_NOTADB). Name a file'],
      [cannotWrite, 'attempt to write a readonly database (SQLITE_READONLY). Name a file'],
    ];
    for (const [error, sentence] of expected) {
      const { message } = explainSqliteFault(error, path, 'used');
      assert.ok(message.startsWith(`DATABASE_URL: the key store ${path} cannot be used: ${sentence}`), message);
    }
  });

  it('says of a disk error that the disk may be full, where the system does not tell', (test) => {
    const path = join(temporaryFolder(test), 'keys.db');
    const error = Object.assign(new Error('disk I/O error'), { errcode: 4874 });
    assert.match(
      explainSqliteFault(error, path, 'opened').message,
      /failed, is full, or has a limit.*\(SQLITE_IOERR\)/,
    );
  });

  it('says it of errors of the system, for a folder that is not there too', (test) => {
    const path = join(temporaryFolder(test), 'not', 'there', 'keys.db');
    const error = Object.assign(new Error('ENOSPC: no space left on device, mkdir'), { code: 'ENOSPC' });
    assert.match(
      explainSqliteFault(error, path, 'opened').message,
      /cannot be opened: the disk of .* is full \(ENOSPC\)/,
    );
    const unexplained = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    assert.match(explainSqliteFault(unexplained, path, 'opened').message, /permission denied/);
  });

  it('leaves what is a sentence already as it is', () => {
    const error = new KeyStoreError('gone');
    assert.equal(explainSqliteFault(error, '/keys.db', 'used'), error);
  });
});
