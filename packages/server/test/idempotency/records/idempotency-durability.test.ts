import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { startPostgres } from '../../../../../test/setup/postgres.ts';
import { temporaryFolder } from '../../../../../test/setup/temporary-folder.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { commitOnDisk, commitWithoutDisk, openSqliteFile, shareSqliteFile } from '../../../src/store/sqlite-file.ts';
import { claimBy, leaseMs, replyWith, requestOf, retentionMs, start } from './idempotent-requests.ts';

const id = requestOf('order-1');

async function sqliteStore(t: TestContext) {
  const path = join(temporaryFolder(t), 'keys.db');
  const store = await openKeyStore(`sqlite:${path}`, { use: 'service' });
  t.after(() => store.close());
  return { path, store, requests: store.idempotency };
}

describe('a commit on the disk', () => {
  it('waits for the disk, and only itself', async (t) => {
    const database = openSqliteFile(join(temporaryFolder(t), 'keys.db'));
    await shareSqliteFile(database);
    commitWithoutDisk(database);
    const level = () => database.prepare('pragma synchronous').get()?.synchronous;
    const [normal, full] = [1, 2];
    assert.equal(level(), normal);
    assert.equal(commitOnDisk(database, level), full);
    assert.equal(level(), normal);
    assert.throws(
      () =>
        commitOnDisk(database, () => {
          database.exec('create table t (a)');
          throw new Error('on purpose');
        }),
      /on purpose/,
    );
    assert.equal(level(), normal);
    assert.equal(database.isTransaction, false);
    assert.throws(() => database.exec('select * from t'), /no such table/);
    database.close();
  });

  it('is made for a reply, and for nothing else that a request writes', async (t) => {
    const { requests, store } = await sqliteStore(t);
    const told: unknown[] = [];
    const { exec } = DatabaseSync.prototype;
    t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
      told.push(sql);
      exec.call(this, sql);
    });
    await requests.claim(id, claimBy('1'));
    await store.addDailyAmount({ keyId: 'a', day: '2026-11-22', mint: 'm', amount: 1n }, 10n);
    assert.deepEqual(told, []);
    await requests.complete(id, '1', replyWith(), start, retentionMs);
    assert.deepEqual(told, ['pragma synchronous = full', 'begin immediate', 'commit', 'pragma synchronous = 1']);
  });

  it('is shared by the replies of one turn of the event loop, each with its own answer', async (t) => {
    const { requests, store } = await sqliteStore(t);
    const keys = Array.from({ length: 50 }, (_, index) => requestOf(`order ${index}`));
    for (const key of keys.slice(1)) await requests.claim(key, claimBy('1'));
    const commits = t.mock.method(DatabaseSync.prototype, 'exec');
    const stored = await Promise.all(
      keys.map((key) => requests.complete(key, '1', replyWith({ reply: key.key }), start, retentionMs)),
    );
    // After everything that is still in the queue of the connection.
    await store.list();
    assert.deepEqual(stored, [false, ...keys.slice(1).map(() => true)]);
    assert.equal(commits.mock.calls.filter((call) => call.arguments[0] === 'commit').length, 1);
    const last = await requests.claim(keys.at(-1) ?? id, claimBy('2'));
    assert.equal(last.kind === 'built' && last.record.reply, 'order 49');
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

describe('requests with an Idempotency-Key, when PostgreSQL', { timeout: 60_000 }, () => {
  it('is down or hangs, are refused in time, and go on when it is back', async (t) => {
    const postgres = await startPostgres(t);
    const store = await openKeyStore(await postgres.createDatabase(), { use: 'service' });
    t.after(() => store.close());
    const requests = store.idempotency;
    await requests.claim(id, claimBy('1'));
    const attempts = () => [
      requests.claim(requestOf('order-2'), claimBy('1')),
      requests.complete(id, 'other', replyWith(), start, retentionMs),
      requests.release(id, 'other'),
      requests.isBuiltByAnother('m1', id),
      requests.prune(start),
    ];
    for (const [stop, resume] of [
      [() => postgres.freeze(), () => postgres.thaw()],
      [() => postgres.kill(), () => postgres.start()],
    ] as const) {
      await stop();
      const began = performance.now();
      for (const { status } of await Promise.allSettled(attempts())) assert.equal(status, 'rejected');
      // 2.5 s, and what a busy machine adds.
      assert.ok(performance.now() - began < 10_000, `after ${performance.now() - began} ms`);
      await resume();
    }
    const late = claimBy('2', { now: start + leaseMs });
    assert.deepEqual(await requests.claim(id, late), { kind: 'claimed', landed: [] });
    assert.equal(await requests.complete(id, '2', replyWith(), start, retentionMs), true);
  });
});
