import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { hashApiKey } from '../../src/keys/api-key.ts';
import { type KeyStore, KeyStoreError } from '../../src/keys/store/key-store.ts';
import { openKeyStore } from '../../src/keys/store/open-key-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const soon = { name: 'acme', expiresAt: null };

/** A store that watches its file, as a service's does, with one key. */
async function watchedStore(test: TestContext) {
  const folder = temporaryFolder(test);
  const path = join(folder, 'keys.db');
  const store = await openKeyStore(`sqlite:${path}`, { use: 'service' });
  test.after(() => store.close());
  let onChange: () => void = () => undefined;
  store.watchChanges(() => onChange());
  /** Resolves once the store tells of a change. */
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      onChange = resolve;
    });
  const { key, record } = await store.create(soon);
  return { folder, path, store, nextChange, key, record };
}

/** A copy of the database in which the key is revoked. */
async function revokedCopy(path: string, id: string): Promise<string> {
  const copy = `${path}.copy`;
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
  const store = await openKeyStore(`sqlite:${copy}`);
  assert.ok(await store.revoke(id));
  await store.close();
  return copy;
}

async function revokedAt(store: KeyStore, key: string): Promise<Date | null | undefined> {
  return (await store.findByHashes([hashApiKey(key)])).get(hashApiKey(key))?.revokedAt;
}

async function untilGone(store: KeyStore): Promise<void> {
  while (!store.isGone) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a key store whose SQLite file is replaced', { timeout: 60_000 }, () => {
  it('takes over the revocations in the new file, although the log of the old one is still there', async (test) => {
    const { path, store, nextChange, key, record } = await watchedStore(test);
    const copy = await revokedCopy(path, record.id);
    await store.update(record.id, { name: 'in the log of the old file' });
    const changed = nextChange();
    renameSync(copy, path);
    await changed;
    assert.ok(await revokedAt(store, key));
    assert.equal((await store.list())[0]?.name, 'acme');
    const other = await openKeyStore(`sqlite:${path}`);
    assert.ok(await revokedAt(other, key), 'and so does everybody else');
    const { key: made } = await other.create(soon);
    assert.equal(await revokedAt(store, made), null, 'of whom it sees what they do');
    await other.close();
  });

  it('follows a symbolic link that leads to another file, and leaves the log of the first where it is', async (test) => {
    const folder = temporaryFolder(test);
    const [first, second, link] = [join(folder, 'first.db'), join(folder, 'second.db'), join(folder, 'link.db')];
    for (const path of [first, second]) await (await openKeyStore(`sqlite:${path}`)).close();
    symlinkSync(first, link);
    const store = await openKeyStore(`sqlite:${link}`, { use: 'service' });
    test.after(() => store.close());
    const other = await openKeyStore(`sqlite:${first}`);
    test.after(() => other.close());
    await store.create(soon);
    const changed = new Promise<void>((resolve) => store.watchChanges(() => resolve()));
    symlinkSync(second, `${link}.new`);
    renameSync(`${link}.new`, link);
    await changed;
    assert.deepEqual(await store.list(), []);
    assert.equal((await other.list()).length, 1);
    assert.ok(readdirSync(folder).includes('first.db-wal'));
  });

  it('says that a deleted file is gone, makes none in its place, and uses one that is made', async (test) => {
    const { folder, path, store, nextChange, key } = await watchedStore(test);
    assert.equal(store.isGone, false);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await untilGone(store);
    await assert.rejects(store.findByHashes([hashApiKey(key)]), (error) => {
      assert.ok(error instanceof KeyStoreError);
      assert.ok(error.message.includes(`${path} is gone: its file was deleted or moved`), error.message);
      return true;
    });
    assert.deepEqual(readdirSync(folder), []);
    const changed = nextChange();
    const maker = await openKeyStore(`sqlite:${path}`);
    const { key: made } = await maker.create(soon);
    await changed;
    assert.equal(store.isGone, false);
    assert.deepEqual([await revokedAt(store, key), await revokedAt(store, made)], [undefined, null]);
    await maker.close();
  });

  it('keeps using a file that is moved away and back', async (test) => {
    const { path, store, key } = await watchedStore(test);
    renameSync(path, `${path}.away`);
    await untilGone(store);
    renameSync(`${path}.away`, path);
    while (store.isGone) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await revokedAt(store, key), null);
  });

  it('says so of a successor that is no database, and uses the next one', async (test) => {
    const { path, store, nextChange, record, key } = await watchedStore(test);
    const copy = await revokedCopy(path, record.id);
    writeFileSync(`${path}.bad`, 'not a database, but long enough to be looked at\n'.repeat(50));
    renameSync(`${path}.bad`, path);
    await untilGone(store);
    const changed = nextChange();
    renameSync(copy, path);
    await changed;
    assert.ok(await revokedAt(store, key));
  });
});
