import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openKeyStore } from '../../src/keys/store/open-key-store.ts';
import { commandLine, onlyJson } from '../keys/command-line.ts';
import { temporaryFolder } from '../keys/temporary-folder.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A small disk of its own, where the system lets this process mount one. */
function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-small-disk-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status === 0;
  t.after(() => {
    if (isMounted) execFileSync('umount', [folder]);
    rmdirSync(folder);
  });
  return isMounted ? folder : undefined;
}

function runInProcess(databaseUrl: string, args: readonly string[], maxFileBlocks?: number) {
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks}; trap '' XFSZ; `;
  const command = `${limit}exec "$0" "$@"`;
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const argv = ['-c', command, process.execPath, main, 'keys', ...args];
  return spawnSync('sh', argv, { encoding: 'utf8', env, cwd: temporaryFolderOfNoProject });
}

// Without an .env file of the project.
const temporaryFolderOfNoProject = '/';

function assertOneSentence({ status, stdout, stderr }: ReturnType<typeof runInProcess>, sentence: RegExp): void {
  assert.deepEqual([status, stdout], [1, ''], stderr);
  assert.match(stderr, /^[^\n]+\n$/, 'one line, and no stack');
  assert.match(stderr, sentence);
}

async function storeWithKey(path: string): Promise<string> {
  const store = await openKeyStore(`sqlite:${path}`);
  await store.create({ name: 'acme', expiresAt: null });
  await store.close();
  return `sqlite:${path}`;
}

describe('keys create and revoke, when the database cannot be written', () => {
  const commands = [
    ['create', '--name', 'b', '--json'],
    ['revoke', 'acme', '--json'],
  ];

  it('say that the disk is full', async (t) => {
    const folder = smallDisk(t);
    if (folder === undefined) return t.skip('this process may not mount a file system');
    const url = await storeWithKey(join(folder, 'keys.db'));
    spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'rest')}`, 'bs=1k', 'count=1024']);
    for (const args of commands) assertOneSentence(runInProcess(url, args), /keys\.db cannot be .*is full \(SQLITE_/);
    const newUrl = `sqlite:${join(folder, 'new', 'keys.db')}`;
    assertOneSentence(runInProcess(newUrl, commands[0] ?? []), /is full \((ENOSPC|SQLITE_\w+)\)/);
  });

  it('say that the file system is read-only', async (t) => {
    const folder = smallDisk(t);
    if (folder === undefined) return t.skip('this process may not mount a file system');
    const url = await storeWithKey(join(folder, 'keys.db'));
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    for (const args of commands)
      assertOneSentence(runInProcess(url, args), /keys\.db is on a read-only file system \(SQLITE_/);
    const newUrl = `sqlite:${join(folder, 'new', 'keys.db')}`;
    assertOneSentence(runInProcess(newUrl, commands[0] ?? []), /is on a read-only file system \(EROFS\)/);
  });

  it('say that a limit or the disk is in the way when no more can be written', async (t) => {
    const url = await storeWithKey(join(temporaryFolder(t), 'keys.db'));
    for (const args of commands)
      assertOneSentence(runInProcess(url, args, 8), /keys\.db failed, is full, or has a limit on the size of files/);
  });

  it('say who may not write', async (t) => {
    const path = join(temporaryFolder(t), 'keys.db');
    const url = await storeWithKey(path);
    chmodSync(path, 0o400);
    // For the superuser no mode is in the way.
    if (statSync(path).uid === 0) return t.skip('this process may write everywhere');
    for (const args of commands) assertOneSentence(runInProcess(url, args), /this user may not write .*keys\.db/);
  });

  it('say that another process holds the lock', async (t) => {
    const { keys, databaseUrl } = commandLine(t);
    onlyJson(await keys('create', '--name', 'acme', '--json'));
    const database = new DatabaseSync((await databaseUrl).slice('sqlite:'.length));
    database.exec('begin immediate');
    t.after(() => database.close());
    const { status, stdout, stderr } = await keys('revoke', 'acme');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^[^\n]*another process has it locked \(SQLITE_BUSY\)[^\n]*\n$/);
  });

  it('say that a file is damaged', async (t) => {
    const path = join(temporaryFolder(t), 'keys.db');
    const url = await storeWithKey(path);
    const database = new DatabaseSync(path);
    database.exec('drop table api_keys; create table api_keys (id)');
    database.close();
    for (const args of commands)
      assertOneSentence(runInProcess(url, args), /keys\.db cannot be used: .*no column|no such column/);
    writeFileSync(path, 'nonsense'.repeat(1000));
    for (const args of commands) assertOneSentence(runInProcess(url, args), /damaged \(SQLITE_NOTADB\)/);
  });
});
