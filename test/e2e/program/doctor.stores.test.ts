import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { changeByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { postgresOfThisFile } from '../../../packages/server/test/store/databases.ts';
import { makeCertificates, trustAuthority } from '../../setup/certificates.ts';
import { postgresPassword, startPostgres } from '../../setup/postgres.ts';
import { startRedis } from '../../setup/redis.ts';
import { examine, said } from './doctor-examination.ts';

/** Makes the tables of a database, and a key. */
async function prepare(databaseUrl: string): Promise<void> {
  const store = await openKeyStore(databaseUrl);
  await store.create({ name: 'acme', expiresAt: null });
  await store.close();
}

describe('the doctor, of PostgreSQL', () => {
  it('looks into PostgreSQL, and fails where there is none', async () => {
    const server = await postgresOfThisFile();
    const databaseUrl = await server.createDatabase();
    const fresh = await examine({ DATABASE_URL: databaseUrl });
    assert.equal(fresh.status, 0);
    assert.ok(fresh.diagnoses.some(({ finding }) => finding.includes('will add 0001-baseline')));
    await prepare(databaseUrl);
    assert.deepEqual(said(await examine({ DATABASE_URL: databaseUrl })), []);
    const away = await examine({ DATABASE_URL: 'postgres://user:SECRET@127.0.0.1:1/keys' });
    assert.equal(away.status, 1);
    assert.ok(!away.text.includes('SECRET'));
  });

  it('fails on one that takes no writes, such as a replica', async () => {
    const server = await postgresOfThisFile();
    const databaseUrl = await server.createDatabase();
    await prepare(databaseUrl);
    const name = new URL(databaseUrl).pathname.slice(1);
    await changeByHand(databaseUrl, `alter database ${name} set default_transaction_read_only = on`);
    const result = await examine({ DATABASE_URL: databaseUrl });
    assert.deepEqual([result.status, said(result)], [1, ['failure database It takes no writes.']]);
  });

  it('says what a PostgreSQL with TLS is opened by, and which way to it is not checked', async (t) => {
    const certificates = makeCertificates(t);
    const server = await startPostgres(t, { certificates, addresses: '127.0.0.1,127.0.0.2' });
    const url = await server.createDatabase();
    await prepare(url);
    assert.deepEqual(said(await examine({ DATABASE_URL: url })), [], 'nobody is on the way within a machine');
    const trusted = `${url}?sslmode=verify-full&sslrootcert=${certificates.ca}`;
    assert.deepEqual(said(await examine({ DATABASE_URL: trusted })), []);
    for (const [wrong, finding, remedy] of [
      [`${url}?sslmode=verify-full`, /self-signed certificate/, /docs\/operate\/stores\.md/],
      [
        trusted.replace('127.0.0.1', '127.0.0.2'),
        /127\.0\.0\.2 is not in the cert's list/,
        /docs\/operate\/stores\.md/,
      ],
      [`${url}?sslmode=prefer`, /sslmode must be verify-full, or disable/, /docs\/operate\/stores\.md/],
    ] as const) {
      const { status, complaints, text } = await examine({ DATABASE_URL: wrong });
      assert.equal(status, 1);
      assert.match(complaints[0]?.finding ?? '', finding);
      assert.match(complaints[0]?.remedy ?? '', remedy);
      assert.ok(!text.includes(encodeURIComponent(postgresPassword)));
    }
  });
});

describe('the doctor, of Redis', () => {
  it('finds nothing wrong with one that answers, and warns of one that does not', async (t) => {
    const redis = await startRedis(t);
    assert.deepEqual(said(await examine({ REDIS_URL: redis.url })), []);
    const away = await examine({ REDIS_URL: 'redis://user:SECRET@127.0.0.1:1' });
    assert.equal(away.status, 0);
    assert.deepEqual(said(away), ['warning redis It cannot be used: ECONNREFUSED.']);
    assert.ok(!away.text.includes('SECRET'));
  });

  it('says which authority, name or password is wrong, and what to write in REDIS_URL', async (t) => {
    const certificates = makeCertificates(t);
    const redis = await startRedis(t, [], certificates);
    const unknown = await examine({ REDIS_URL: redis.url });
    trustAuthority(t, certificates.ca);
    const right = await examine({ REDIS_URL: redis.url });
    assert.deepEqual(said(right), []);
    assert.ok(right.diagnoses.some(({ finding }) => finding === 'It answers by TLS, and counts for the rate limits.'));
    const plain = await examine({ REDIS_URL: redis.url.replace('rediss:', 'redis:') });
    const wrong = await examine({ REDIS_URL: redis.url.replace(redis.password, 'wrong') });
    for (const [result, reason, remedy] of [
      [unknown, 'SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
      [plain, 'ECONNRESET', /try rediss:\/\/ in REDIS_URL/],
      [wrong, 'WRONGPASS', /user and the password/],
    ] as const) {
      assert.deepEqual(said(result), [`warning redis It cannot be used: ${reason}.`]);
      assert.match(result.complaints[0]?.remedy ?? '', remedy);
      assert.ok(!result.text.includes(redis.password));
    }
  });
});
