import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { hashApiKey } from '../../../src/app/api-key.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { KeyStoreError } from '../../../src/store/store-faults.ts';
import { withStoreInChildProcess } from '../../store/child-process.ts';
import { findActiveByHash } from '../../store/find-active.ts';

/** What a wait inside SQLite takes when the lock's holder is in the same process: it can only time out. */
const blockedMs = 5000;

function permissions(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Makes a key in another process; resolves to what that process wrote. */
function createInChildProcess(url: string, name: string): Promise<{ status: unknown; output: string }> {
  const input = JSON.stringify({ name, expiresAt: null });
  return withStoreInChildProcess(url, `console.log((await store.create(${input})).key);`);
}

describe('openKeyStore', () => {
  it('makes the folders and the file for their owner alone', async (test) => {
    const folder = temporaryFolder(test);
    const path = join(folder, 'new', 'deep', 'keys.db');
    const store = await openKeyStore(`sqlite:${path}`);
    await store.create({ name: 'acme', expiresAt: null });
    assert.deepEqual([permissions(join(folder, 'new')), permissions(join(folder, 'new', 'deep'))], ['700', '700']);
    for (const suffix of ['', '-wal', '-shm']) assert.equal(permissions(path + suffix), '600', suffix);
    await store.close();
  });

  it('takes a path relative to the working folder', async (test) => {
    const path = join(temporaryFolder(test), 'keys.db');
    const store = await openKeyStore(`sqlite:${relative(process.cwd(), path)}`);
    await store.close();
    assert.ok(existsSync(path));
  });

  it('makes the file that a symbolic link leads to for its owner alone, when it is not there yet', async (test) => {
    const folder = temporaryFolder(test);
    const [path, link, linkToLink] = [join(folder, 'real.db'), join(folder, 'link.db'), join(folder, 'second.db')];
    symlinkSync('real.db', link);
    symlinkSync(link, linkToLink);
    const store = await openKeyStore(`sqlite:${linkToLink}`);
    await store.create({ name: 'acme', expiresAt: null });
    for (const suffix of ['', '-wal', '-shm']) assert.equal(permissions(path + suffix), '600', suffix);
    await store.close();
  });

  it('leaves the mode of a file that exists as it is', async (test) => {
    const path = join(temporaryFolder(test), 'keys.db');
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    await (await openKeyStore(`sqlite:${path}`)).close();
    assert.equal(permissions(path), '640');
  });

  it('writes the hash of a key, and its text nowhere', async (test) => {
    const folder = temporaryFolder(test);
    const store = await openKeyStore(`sqlite:${join(folder, 'keys.db')}`);
    const { record, key } = await store.create({ name: 'acme', expiresAt: null });
    const rotated = await store.rotate(record.id);
    assert.ok(rotated);
    const bytesOfAllFiles = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    const open = bytesOfAllFiles();
    assert.deepEqual(readdirSync(folder), ['keys.db', 'keys.db-shm', 'keys.db-wal']);
    await store.close();
    for (const bytes of [open, bytesOfAllFiles()]) {
      assert.ok(bytes.includes(hashApiKey(key)) && bytes.includes(hashApiKey(rotated.key)));
      // Past the shown prefix, no part of a key is stored either.
      for (const text of [key, rotated.key]) assert.ok(!bytes.includes(text.slice(10, 20)));
    }
  });

  it('opens a new store many times at once in one process, none blocking another', async (test) => {
    const url = `sqlite:${join(temporaryFolder(test), 'keys.db')}`;
    const start = performance.now();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openKeyStore(url)));
    assert.ok(performance.now() - start < blockedMs);
    for (const store of stores) assert.deepEqual(await store.list(), []);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('opens a new store from several processes at once, which all see each other', async (test) => {
    const url = `sqlite:${join(temporaryFolder(test), 'keys.db')}`;
    const children = await Promise.all(['a', 'b', 'c'].map((name) => createInChildProcess(url, name)));
    const store = await openKeyStore(url);
    test.after(() => store.close());
    for (const { status, output } of children) {
      assert.equal(status, 0, output);
      // Nothing but the key: no warning of Node's about its SQLite either.
      assert.match(output, /^swk_[0-9A-Za-z]{39}$/);
      assert.ok(await findActiveByHash(store, hashApiKey(output), new Date()));
    }
    assert.deepEqual((await store.list()).map(({ name }) => name).sort(), ['a', 'b', 'c']);
  });

  it('waits for a writer to finish, without blocking it', async (test) => {
    const path = join(temporaryFolder(test), 'keys.db');
    const writer = new DatabaseSync(path);
    writer.exec('pragma journal_mode = wal; begin immediate');
    const start = performance.now();
    const opening = openKeyStore(`sqlite:${path}`);
    setImmediate(() => writer.exec('commit'));
    await (await opening).close();
    assert.ok(performance.now() - start < blockedMs);
    writer.close();
  });

  it('refuses a file that is no database, and a path that is a folder, with the remedy', async (test) => {
    const folder = temporaryFolder(test);
    writeFileSync(join(folder, 'notes.txt'), 'not a database, but long enough to be looked at\n'.repeat(50));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['notes.txt', 'folder', 'notes.txt/keys.db']) {
      await assert.rejects(
        openKeyStore(`sqlite:${join(folder, name)}`),
        isKeyStoreError(/DATABASE_URL.*docs\/operate\/stores\.md says what to do/),
      );
    }
  });

  it('refuses any other URL with the remedy, and repeats no password', async () => {
    const urls = ['', 'sqlite:', 'sqlite://keys.db', 'keys.db', 'mysql://me:hunter2@db/keys', 'me:hunter2@db'];
    for (const url of urls) {
      await assert.rejects(openKeyStore(url), (error) => {
        assert.ok(isKeyStoreError(/DATABASE_URL.*sqlite:\.splwright\/keys\.db/)(error));
        assert.doesNotMatch(String(error), /hunter2/);
        return true;
      });
    }
  });
});

function isKeyStoreError(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof KeyStoreError && message.test(error.message);
}
