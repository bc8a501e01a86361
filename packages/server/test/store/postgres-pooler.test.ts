import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { startPgBouncer } from '../../../../test/setup/pgbouncer.ts';
import { hashApiKey } from '../../src/app/api-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { changeByHand } from './change-by-hand.ts';
import { postgresOfThisFile } from './databases.ts';

/** Returns what a query on a connection of its own answers. */
async function ask(url: string, query: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return rows;
}

const locksHeld =
  "select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())";

describe('a key store behind PgBouncer in transaction mode', () => {
  it('is made once by many processes that start at once, through a pool of one connection', async (t) => {
    const pooler = await startPgBouncer(t, await postgresOfThisFile(), { mode: 'transaction', poolSize: 1 });
    const { pooledUrl, directUrl } = await pooler.createDatabase();
    const stores = await Promise.all(Array.from({ length: 10 }, () => openKeyStore(pooledUrl, { use: 'service' })));
    const { key } = (await stores[0]?.create({ name: 'acme', expiresAt: null })) ?? { key: '' };
    for (const store of stores) assert.equal((await store.findByHashes([hashApiKey(key)])).size, 1);
    await Promise.all(stores.map((store) => store.close()));
    assert.deepEqual(await ask(directUrl, locksHeld), [], 'no lock stays on a connection of the pool');
  });

  it('leaves no lock behind when it cannot be made, says why, and is made afterwards', async (t) => {
    const pooler = await startPgBouncer(t, await postgresOfThisFile(), { mode: 'transaction', poolSize: 2 });
    const { pooledUrl, directUrl } = await pooler.createDatabase();
    await changeByHand(directUrl, 'create table api_keys (nothing integer)');
    await assert.rejects(openKeyStore(pooledUrl), /relation "api_keys" already exists/);
    assert.deepEqual(await ask(directUrl, locksHeld), []);
    assert.deepEqual(
      await ask(directUrl, "select tablename from pg_tables where schemaname = 'public'"),
      [{ tablename: 'api_keys' }],
      'half of a migration is none',
    );
    await changeByHand(directUrl, 'drop table api_keys');
    await (await openKeyStore(pooledUrl)).close();
  });

  it('can have TLS on the way to the pooler', async (t) => {
    const certificates = makeCertificates(t);
    const pooler = await startPgBouncer(t, await postgresOfThisFile(), { mode: 'transaction', certificates });
    const { pooledUrl } = await pooler.createDatabase();
    const store = await openKeyStore(`${pooledUrl}?sslmode=verify-full&sslrootcert=${certificates.ca}`);
    assert.deepEqual(await store.list(), []);
    await store.close();
    await assert.rejects(openKeyStore(`${pooledUrl}?sslmode=verify-full`), /SELF_SIGNED_CERT_IN_CHAIN/);
    await assert.rejects(openKeyStore(pooledUrl), /TLS|SSL/);
  });
});
