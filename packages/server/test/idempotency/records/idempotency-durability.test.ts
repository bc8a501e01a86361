import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { claimBy, replyWith, requestOf, retentionMs, start } from './idempotent-requests.ts';

const id = requestOf('order-1');

async function sqliteStore(t: TestContext) {
  const path = join(temporaryFolder(t), 'keys.db');
  const store = await openKeyStore(`sqlite:${path}`, { use: 'service' });
  t.after(() => store.close());
  return { path, store, requests: store.idempotency };
}

describe('a commit to an SQLite file', () => {
  it('waits for the disk', async (t) => {
    const { store } = await sqliteStore(t);
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(store.database.db);
    const full = 2;
    assert.deepEqual(
      rows.map(({ synchronous }) => synchronous),
      [full],
    );
  });

  it('does not mix with a transaction that another part of the process has open', async (t) => {
    const { requests, store } = await sqliteStore(t);
    await requests.claim(id, claimBy('1'));
    const batch = { writer: 'w', number: 1, usage: [], lastUsedAt: new Map<string, number>() };
    const [, isStored] = await Promise.all([
      store.addUsage({ ...batch, usage: [{ keyId: 'a', day: '2026-11-22', outcome: 'built', requests: 1 }] }),
      requests.complete(id, '1', replyWith(), start, retentionMs),
      store.create({ name: 'acme', expiresAt: null }),
    ]);
    assert.equal(isStored, true);
    assert.equal((await store.listUsage('2026-11-22')).length, 1);
  });
});

describe('requests with an Idempotency-Key, when the SQLite file', { timeout: 60_000 }, () => {
  it('stays locked, are refused in about a second, each of them', async (t) => {
    const { path, requests } = await sqliteStore(t);
    await requests.claim(id, claimBy('1'));
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { DatabaseSync } = await import('node:sqlite');
       const database = new DatabaseSync(${JSON.stringify(path)});
       database.exec('begin immediate');
       console.log('locked');
       setInterval(() => undefined, 1000);`,
    ]);
    await once(child.stdout, 'data');
    const ends = [
      requests.claim(requestOf('order-2'), claimBy('1')),
      requests.complete(id, '1', replyWith(), start, retentionMs),
      requests.release(id, '1'),
      requests.prune(start),
    ];
    for (const { status } of await Promise.allSettled(ends)) assert.equal(status, 'rejected');
    child.kill();
    await once(child, 'exit');
    assert.equal(await requests.complete(id, '1', replyWith(), start, retentionMs), true, 'nothing was lost');
  });
});
