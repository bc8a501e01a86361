import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { changeByHand } from '../../store/change-by-hand.ts';
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

function assertOneSentence(ended: { status: number | null; stdout: string; stderr: string }, sentence: RegExp): void {
  assert.deepEqual([ended.status, ended.stdout], [1, ''], ended.stderr);
  assert.match(ended.stderr, /^[^\n]+\n$/, 'one line, and no stack');
  assert.match(ended.stderr, sentence);
}

async function storeWithKey(path: string): Promise<string> {
  const store = await openKeyStore(`sqlite:${path}`);
  await store.create({ name: 'acme', expiresAt: null });
  await store.close();
  return `sqlite:${path}`;
}

describe('a command that cannot write the database', () => {
  for (const [what, spoil, sentence] of [
    [
      'the disk is full',
      'dd if=/dev/zero of=DISK/rest bs=1k count=1024 2>/dev/null || true',
      /is full|disk I\/O error/,
    ],
    [
      'the file system is read-only',
      'mount -o remount,bind,ro DISK',
      /\((?:SQLITE_READONLY|SQLITE_CANTOPEN|EROFS)\)|EROFS/,
    ],
  ] as const) {
    it(`says that ${what}`, async (t) => {
      const unshare = mountingOptions(t);
      if (unshare === undefined) return t.skip('this process may not mount a file system');
      const stored = join(temporaryFolder(t), 'keys.db');
      await storeWithKey(stored);
      const disk = temporaryFolder(t);
      const prepare = `mount -t tmpfs -o size=1m tmpfs '${disk}' && cp '${stored}' '${disk}' && (${spoil.replaceAll('DISK', disk)})`;
      const command = [process.execPath, main, 'keys', 'create', '--name', 'b'];
      const shell = [unshare, 'sh', '-c', `${prepare} || exit 99; exec "$0" "$@"`, ...command];
      const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(disk, 'keys.db')}` };
      assertOneSentence(spawnSync('unshare', shell, { encoding: 'utf8', env, cwd: folderOfNoProject }), sentence);
    });
  }

  it('says that a file is damaged', async (t) => {
    const { keys, databaseUrl } = commandLine(t);
    onlyJson(await keys('create', '--name', 'acme', '--json'));
    const url = await databaseUrl;
    await changeByHand(url, 'alter table api_keys rename to hidden');
    await changeByHand(url, 'create table api_keys (id)');
    assertOneSentence(await keys('revoke', 'acme'), /keys\.db cannot be used: .*no column|no such column/);
    writeFileSync(url.slice('sqlite:'.length), 'nonsense'.repeat(1000));
    assertOneSentence(await keys('create', '--name', 'b'), /\(SQLITE_NOTADB\)/);
  });

  it('says that this user may not write, and serve does not start', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'keys.db');
    const url = await storeWithKey(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o777);
    // Root may write everywhere, so another user runs the command.
    const owner = statSync(path).uid === 0 ? { uid: nobodyId, gid: nobodyId } : {};
    const env = { PATH: process.env.PATH, DATABASE_URL: url };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env, cwd: folderOfNoProject, ...owner });
    if (run('keys', '--help').status !== 0) return t.skip('the other user may not read this repository');
    assertOneSentence(run('keys', 'revoke', 'acme'), /\(SQLITE_READONLY\)/);
    const { status, stderr } = run('serve', '--port', '0', '--metrics-port', '0');
    assert.equal(status, 78, stderr);
    assert.match(stderr, /^DATABASE_URL: .*keys\.db cannot be opened: .* \(SQLITE_READONLY\)\. docs[^\n]+\n$/);
  });
});
