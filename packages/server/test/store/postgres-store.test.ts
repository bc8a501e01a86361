import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { postgresPassword, startPostgres } from '../../../../test/setup/postgres.ts';
import { hashApiKey } from '../../src/app/api-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { KeyStoreError } from '../../src/store/store-faults.ts';
import { changeByHand } from './change-by-hand.ts';
import { postgresOfThisFile } from './databases.ts';

describe('a key store in PostgreSQL', () => {
  it('is made once through ten connections of one process', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const stores = await Promise.all(Array.from({ length: 10 }, () => openKeyStore(url)));
    for (const store of stores) assert.deepEqual(await store.list(), []);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('is made in the schema that its URL names, also beside one of another service', async (t) => {
    const url = await (await postgresOfThisFile()).createDatabase();
    await changeByHand(url, 'create schema staging');
    const ofStaging = new URL(url);
    ofStaging.searchParams.set('options', '-csearch_path=staging');
    const [other, store] = [await openKeyStore(url), await openKeyStore(ofStaging.href)];
    t.after(() => Promise.all([other.close(), store.close()]));
    await store.create({ name: 'acme', expiresAt: null });
    assert.deepEqual([(await store.list()).length, (await other.list()).length], [1, 0]);
  });

  it('reports why it cannot be opened, and never a password', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const other = (changes: Partial<URL>): string => String(Object.assign(new URL(url), changes));
    await changeByHand(url, "create role reader login password 'SECRET-reader'");
    const expectations: [url: string, message: RegExp][] = [
      [other({ password: 'SECRET-wrong' }), /password authentication failed/],
      [other({ pathname: '/nowhere' }), /"nowhere" does not exist/],
      [other({ port: '1' }), /at 127\.0\.0\.1:1\/keys_\w+ cannot be opened: .*ECONNREFUSED/],
      [other({ host: 'localhost:1' }), /ECONNREFUSED/],
      [other({ host: 'nowhere.invalid' }), /ENOTFOUND|EAI_AGAIN/],
      [other({ username: 'reader', password: 'SECRET-reader' }), /permission denied for schema public/],
    ];
    for (const [wrong, message] of expectations) {
      await assert.rejects(openKeyStore(wrong), (error) => {
        assert.ok(error instanceof KeyStoreError);
        assert.match(error.message, /^DATABASE_URL: the database PostgreSQL at /);
        assert.match(error.message, message);
        for (const secret of [postgresPassword, encodeURIComponent(postgresPassword), 'SECRET']) {
          assert.ok(!error.message.includes(secret), error.message);
        }
        return true;
      });
    }
  });

  it('answers again after the server was away', async (t) => {
    const postgres = await startPostgres(t);
    const url = await postgres.createDatabase();
    const server = await openKeyStore(url, { use: 'service' });
    t.after(() => server.close());
    await postgres.kill();
    await assert.rejects(server.list());
    await postgres.start();
    assert.deepEqual(await server.list(), []);
  });

  it('gives a service an error in time when the server hangs, and answers once it does not', async (t) => {
    const postgres = await startPostgres(t);
    const url = await postgres.createDatabase();
    const server = await openKeyStore(url, { use: 'service' });
    t.after(() => server.close());
    const { key } = await server.create({ name: 'acme', expiresAt: null });
    const hash = hashApiKey(key);
    postgres.freeze();
    // More than there are connections: those that wait for one are told in time as well.
    const start = performance.now();
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => server.findByHashes([hash])));
    // 2.5 s, and what a busy machine adds.
    assert.ok(performance.now() - start < 10_000, `after ${performance.now() - start} ms`);
    assert.ok(attempts.every(({ status }) => status === 'rejected'));
    postgres.thaw();
    const found = await Promise.all(Array.from({ length: 8 }, () => server.findByHashes([hash])));
    assert.ok(found.every((records) => records.has(hash)));
  });

  it('keeps few connections, and none when it is closed', async () => {
    const url = await (await postgresOfThisFile()).createDatabase();
    const server = await openKeyStore(url, { use: 'service' });
    await Promise.all(Array.from({ length: 100 }, () => server.list()));
    const client = new Client({ connectionString: url });
    await client.connect();
    const count = async (): Promise<number> => {
      const { rows } = await client.query(
        "select count(*)::int from pg_stat_activity where application_name = 'splwright' and datname = current_database()",
      );
      return rows[0].count;
    };
    assert.equal(await count(), 10);
    await server.close();
    while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
    await client.end();
  });
});
