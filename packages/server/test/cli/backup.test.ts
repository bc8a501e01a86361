import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { runCaptured } from './run-captured.ts';

test('The backup command', async (t) => {
  const folder = temporaryFolder(t);
  const [path, copy] = [join(folder, 'keys.db'), join(folder, 'copy.db')];
  const backUp = (databaseUrl: string) =>
    runCaptured(['backup', copy], {
      environment: { DATABASE_URL: databaseUrl, SOLANA_RPC_URLS: 'http://127.0.0.1:1' },
    });

  await t.test('says how PostgreSQL is backed up, and makes no file of what is not there', async () => {
    for (const [url, said] of [
      ['postgres://app:SECRET@db/keys', /pg_dump/],
      ['sqlite::memory:', /no SQLite file/],
      [`sqlite:${path}`, /There is no database/],
    ] as const) {
      const { status, stderr } = await backUp(url);
      assert.equal(status, 1, url);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /SECRET/);
    }
    assert.deepEqual([existsSync(path), existsSync(copy)], [false, false]);
  });

  await t.test('leaves no file, which would be taken for a backup, where the database cannot be copied', async () => {
    const damaged = join(folder, 'damaged.db');
    writeFileSync(damaged, 'no database at all\n'.repeat(1_000));
    const { status, stderr } = await backUp(`sqlite:${damaged}`);
    assert.deepEqual([status, existsSync(copy)], [1, false]);
    assert.match(stderr, /There is no copy of .*: file is not a database\./);
  });

  await t.test(
    'copies what is committed for its user alone, while another connection has the file, and overwrites none',
    async () => {
      const open = new DatabaseSync(path);
      open.exec("PRAGMA journal_mode = wal; CREATE TABLE keys (name TEXT); INSERT INTO keys VALUES ('acme')");
      assert.equal((await backUp(`sqlite:${path}`)).status, 0);
      const copied = new DatabaseSync(copy, { readOnly: true });
      assert.equal(copied.prepare('SELECT name FROM keys').get()?.name, 'acme');
      copied.close();
      assert.equal(statSync(copy).mode & 0o777, 0o600, 'others can read it');
      assert.equal((await backUp(`sqlite:${path}`)).status, 1);
      open.close();
    },
  );
});
