import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { openKeyStore } from '../../../src/store/open-key-store.ts';
import { commandLine, onlyJson } from './command-line.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

// Without an .env file of the project.
const folderOfNoProject = '/';

/** A user without rights of its own. */
const nobodyId = 65_534;

/**
 * The options of `unshare` by which this process may mount a file system, in a namespace that ends with its command.
 *
 * Root may do it itself; other users only as the root of a user namespace, where the system allows those.
 */
function mountingOptions(t: TestContext): string | undefined {
  const mount = 'mount -t tmpfs tmpfs "$0"';
  return ['-m', '-rm'].find(
    (options) => spawnSync('unshare', [options, 'sh', '-c', mount, temporaryFolder(t)]).status === 0,
  );
}

interface Circumstances {
  /** Shell commands before the command, such as limits. */
  prepare?: string;
  /** Options of `unshare`, to run in namespaces of its own. */
  unshare?: string | undefined;
  /** The user and group that runs the command. */
  user?: number | undefined;
  command?: 'keys' | 'serve';
}

function runInProcess(databaseUrl: string, args: readonly string[], circumstances: Circumstances = {}) {
  const { prepare, unshare, user, command = 'keys' } = circumstances;
  const shell = ['sh', '-c', `${prepare ?? ''}\nexec "$0" "$@"`, process.execPath, main, command, ...args];
  const [program = '', ...rest] = unshare === undefined ? shell : ['unshare', unshare, ...shell];
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const owner = user === undefined ? {} : { uid: user, gid: user };
  return spawnSync(program, rest, { encoding: 'utf8', timeout: 30_000, env, cwd: folderOfNoProject, ...owner });
}

/** Runs each command, and one on a new file, on a disk of 256 kB that holds a store with a key. */
async function assertOnSmallDisk(t: TestContext, spoil: string, sentence: RegExp, newFile: RegExp): Promise<void> {
  const unshare = mountingOptions(t);
  if (unshare === undefined) return t.skip('this process may not mount a file system');
  const stored = join(temporaryFolder(t), 'keys.db');
  await storeWithKey(stored);
  const disk = temporaryFolder(t);
  const prepare = `mount -t tmpfs -o size=256k tmpfs '${disk}' && cp '${stored}' '${disk}' || exit 99; ${spoil} || exit 99`;
  const circumstances = { unshare, prepare: prepare.replaceAll('DISK', disk) };
  for (const args of commands)
    assertOneSentence(runInProcess(`sqlite:${join(disk, 'keys.db')}`, args, circumstances), sentence);
  const newUrl = `sqlite:${join(disk, 'new', 'keys.db')}`;
  assertOneSentence(runInProcess(newUrl, commands[0] ?? [], circumstances), newFile);
}

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

const commands = [
  ['create', '--name', 'b', '--json'],
  ['revoke', 'acme', '--json'],
];

// The first waits for ten seconds, during which the others run.
describe('keys create and revoke, when the database cannot be written', { concurrency: true }, () => {
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

  it('say that the disk is full', (t) =>
    assertOnSmallDisk(
      t,
      'dd if=/dev/zero of=DISK/rest bs=1k count=1024 2>/dev/null || true',
      /keys\.db cannot be .*is full \(SQLITE_/,
      /is full \((ENOSPC|SQLITE_\w+)\)/,
    ));

  it('say that the file system is read-only', (t) =>
    assertOnSmallDisk(
      t,
      'mount -o remount,bind,ro DISK',
      /keys\.db is on a read-only file system \(SQLITE_/,
      /is on a read-only file system \(EROFS\)/,
    ));

  it('say that a limit or the disk may be the reason when a write fails', async (t) => {
    const url = await storeWithKey(join(temporaryFolder(t), 'keys.db'));
    const limited = { prepare: "ulimit -f 8; trap '' XFSZ" };
    for (const args of commands)
      assertOneSentence(
        runInProcess(url, args, limited),
        /keys\.db failed, is full, or has a limit on the size of files/,
      );
  });

  it('say that this user may not write', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'keys.db');
    const url = await storeWithKey(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    // Root may write everywhere, so another user runs the command.
    const user = statSync(path).uid === 0 ? nobodyId : undefined;
    const { status } = runInProcess(url, ['--help'], { user });
    if (status !== 0) return t.skip('the other user may not read this repository');
    for (const args of commands) assertOneSentence(runInProcess(url, args, { user }), /this user may not write .*keys/);
  });

  it('and serve does not start, when the folder alone may be written', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'keys.db');
    const url = await storeWithKey(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o777);
    const user = statSync(path).uid === 0 ? nobodyId : undefined;
    if (runInProcess(url, ['--help'], { user }).status !== 0)
      return t.skip('the other user may not read this repository');
    const { status, stderr } = runInProcess(url, ['--port', '0', '--metrics-port', '0'], { user, command: 'serve' });
    assert.equal(status, 78, stderr);
    assert.match(
      stderr,
      /^DATABASE_URL: the key store \S+keys\.db cannot be opened: this user may not write \S+keys\.db \(SQLITE_READONLY\)\. Run [^\n]+\n$/,
    );
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
