import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { changeByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const document = readFileSync(join(repository, 'docs/operate/upgrade.md'), 'utf8');

describe('docs/operate/upgrade.md', () => {
  it('has a command that names the migrations to come', async (t) => {
    const [, command = ''] = /^```sh\n(.*)\n```$/m.exec(document) ?? [];
    const path = join(temporaryFolder(t), 'keys.db');
    const environment = { DATABASE_URL: `sqlite:${path}` };
    await (await openKeyStore(environment.DATABASE_URL)).close();
    assert.match((await runCommand(command, environment)).stdout, /it opens, and has every migration/i);
    const database = new DatabaseSync(path);
    const [row] = database
      .prepare('delete from kysely_migration where name = (select max(name) from kysely_migration) returning name')
      .all();
    database.close();
    const { stdout } = await runCommand(command, environment);
    assert.ok(stdout.includes(`the service will add ${row?.name} when it starts`), stdout);
  });

  it('has statements that give the records of before to another network, in each database', async (t) => {
    const [, statements = ''] = /^```sql\n([\s\S]*?)^```$/m.exec(document) ?? [];
    for (const database of keyDatabases) {
      const { databaseUrl: url, store } = await newKeyStore(t, database);
      await store.ledgers.open('Wrong1', false, 1);
      for (const statement of statements.replaceAll('GENESIS_HASH', 'Right1').trim().split('\n')) {
        await changeByHand(url, statement);
      }
      assert.deepEqual(await store.ledgers.open('Right1', false, 2), { genesisHash: 'Right1', ownsUnnamed: true });
      assert.deepEqual(await store.ledgers.open('Wrong1', false, 2), { genesisHash: 'Wrong1', ownsUnnamed: false });
    }
  });
});
