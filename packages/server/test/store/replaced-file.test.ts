import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { hashApiKey } from '../../src/app/api-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import type { Store } from '../../src/serve/store/store.ts';
import { KeyStoreError } from '../../src/store/store-faults.ts';
import { claimBy, replyWith, requestOf, retentionMs, start } from '../idempotency/records/idempotent-requests.ts';
import { linkWith } from '../links/records/links.ts';

const claimed = requestOf('order-1');

/** A store with one key and one claimed request. */
async function openedStore(test: TestContext) {
  const folder = temporaryFolder(test);
  const path = join(folder, 'keys.db');
  const store = await openKeyStore(`sqlite:${path}`, { use: 'service' });
  test.after(() => store.close());
  const { key } = await store.create({ name: 'acme', expiresAt: null });
  await store.idempotency.claim(claimed, claimBy('1'));
  return { folder, path, store, key };
}

/** Lookups, and everything that stands between a payment and its repetition. */
async function assertRefused(store: Store, path: string, key: string): Promise<void> {
  for (const attempt of [
    () => store.findByHashes([hashApiKey(key)]),
    () => store.create({ name: 'other', expiresAt: null }),
    () => store.idempotency.claim(requestOf('order-2'), claimBy('1')),
    () => store.idempotency.complete(claimed, '1', replyWith(), start, retentionMs),
    () => store.links.insert(linkWith()),
    () => store.addDailyAmounts([{ added: { keyId: 'a', day: '2026-11-22', mint: 'm', amount: 1n }, limit: 10n }]),
  ]) {
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof KeyStoreError, String(error));
      assert.ok(error.message.includes(`${path} is gone: its file was deleted, moved or replaced`), error.message);
      assert.match(error.message, /Put it back; docs\/operate\/stores\.md/);
      return true;
    });
  }
}

describe('a key store whose SQLite file is not at its path any more', () => {
  it('neither uses a deleted file nor makes one in its place', async (test) => {
    const { folder, path, store, key } = await openedStore(test);
    assert.equal(store.isGone, false);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    assert.equal(store.isGone, true);
    await assertRefused(store, path, key);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('uses neither a replaced file nor the new one, and deletes no log', async (test) => {
    const { folder, path, store, key } = await openedStore(test);
    const copy = `${path}.copy`;
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    await (await openKeyStore(`sqlite:${copy}`)).close();
    const successor = readFileSync(copy);
    const log = readFileSync(`${path}-wal`);
    assert.ok(log.length > 0);
    renameSync(copy, path);
    assert.equal(store.isGone, true);
    await assertRefused(store, path, key);
    await store.close();
    assert.deepEqual(readFileSync(path), successor);
    assert.deepEqual(readFileSync(`${path}-wal`), log);
    assert.deepEqual(readdirSync(folder).sort(), ['keys.db', 'keys.db-shm', 'keys.db-wal']);
  });

  it('does not follow a symbolic link that leads to another file', async (test) => {
    const { folder, path } = await openedStore(test);
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    const store = await openKeyStore(`sqlite:${link}`, { use: 'service' });
    test.after(() => store.close());
    await (await openKeyStore(`sqlite:${join(folder, 'second.db')}`)).close();
    symlinkSync(join(folder, 'second.db'), `${link}.new`);
    renameSync(`${link}.new`, link);
    assert.equal(store.isGone, true);
  });

  it('goes on with its file when that is put back', async (test) => {
    const { path, store, key } = await openedStore(test);
    renameSync(path, `${path}.away`);
    assert.equal(store.isGone, true);
    renameSync(`${path}.away`, path);
    assert.equal(store.isGone, false);
    assert.equal((await store.findByHashes([hashApiKey(key)])).size, 1);
    assert.equal(await store.idempotency.complete(claimed, '1', replyWith(), start, retentionMs), true);
  });
});
