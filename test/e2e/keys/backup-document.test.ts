import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { postgresBinaries, startPostgres } from '../../setup/postgres.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const document = readFileSync(join(repository, 'docs/operate/backup.md'), 'utf8');
const commands = [...document.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command = '']) => command);
const [backUpSqlite = '', backUpPostgres = '', restoreSqlite = '', restorePostgres = ''] = commands;

/** Without the Node of `npm ci`, which npm puts there: an operator's shell has that of the machine. */
const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));

async function succeed(command: string, environment: Record<string, string> = {}): Promise<void> {
  const { status, stderr } = await runCommand(command, { PATH: path.join(':'), ...environment });
  assert.equal(status, 0, stderr);
}

/** Makes a key, backs up while the store is open, makes and revokes more, restores, and says what is there. */
async function rehearse(databaseUrl: string, backUp: () => Promise<void>, restore: () => Promise<void>): Promise<void> {
  const store = await openKeyStore(databaseUrl);
  const { record } = await store.create({ name: 'before', expiresAt: null });
  await backUp();
  await store.create({ name: 'after', expiresAt: null });
  await store.revoke(record.id);
  await store.close();
  await restore();
  const restored = await openKeyStore(databaseUrl);
  const keys = await restored.list();
  await restored.close();
  assert.deepEqual(
    keys.map(({ name, revokedAt }) => ({ name, isRevoked: revokedAt !== null })),
    [{ name: 'before', isRevoked: false }],
  );
}

describe('docs/operate/backup.md', () => {
  it('has the four commands, and no other', () => assert.equal(commands.length, 4));

  it('backs SQLite up while it is used, and restores what was there then', async (t) => {
    const folder = temporaryFolder(t);
    const here = (command: string): string =>
      command.replaceAll('.splwright/', `${folder}/`).replaceAll('keys.backup.db', `${folder}/keys.backup.db`);
    await rehearse(
      `sqlite:${folder}/keys.db`,
      () => succeed(here(backUpSqlite)),
      () => succeed(here(restoreSqlite)),
    );
  });

  it('backs PostgreSQL up while it is used, and restores what was there then', async (t) => {
    const postgres = await startPostgres(t);
    const databaseUrl = await postgres.createDatabase();
    const folder = temporaryFolder(t);
    const environment = { DATABASE_URL: databaseUrl, PATH: `${postgresBinaries()}:${process.env.PATH}` };
    const here = (command: string): string => command.replaceAll('keys.dump', `${folder}/keys.dump`);
    await rehearse(
      databaseUrl,
      () => succeed(here(backUpPostgres), environment),
      () => succeed(here(restorePostgres), environment),
    );
  });
});
