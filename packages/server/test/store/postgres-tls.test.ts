import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { type PostgresServer, postgresPassword, startPostgres } from '../../../../test/setup/postgres.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { KeyStoreError } from '../../src/store/store-faults.ts';
import { postgresOfThisFile } from './databases.ts';

const certificates = makeCertificates({ after });
const { ca, client } = certificates;
const other = makeCertificates({ after });

let server: Promise<PostgresServer> | undefined;
const finishers: (() => Promise<void>)[] = [];
after(async () => {
  for (const finish of finishers) await finish();
});

/** A server that takes passwords by TLS alone, and lets the user of a certificate in by that alone to databases of one name. */
function secureServer(): Promise<PostgresServer> {
  const access = ['hostssl certified all 127.0.0.0/8 cert', 'hostssl all all 127.0.0.0/8 scram-sha-256'];
  const options = { certificates, access, addresses: '127.0.0.1,127.0.0.2' };
  server ??= startPostgres({ after: (finish) => finishers.push(finish) }, options);
  return server;
}

/** Opens a store, uses it and closes it. */
async function use(url: string): Promise<void> {
  const store = await openKeyStore(url);
  await store.create({ name: 'acme', expiresAt: null });
  await store.close();
}

async function assertRefused(url: string, words: RegExp): Promise<void> {
  await assert.rejects(openKeyStore(url), (error) => {
    assert.ok(error instanceof KeyStoreError, String(error));
    assert.match(error.message, words);
    assert.ok(!error.message.includes(postgresPassword));
    assert.ok(!error.message.includes(encodeURIComponent(postgresPassword)));
    return true;
  });
}

describe('a key store in PostgreSQL, by TLS', () => {
  it('is opened where its authority is named', async () => {
    const url = await (await secureServer()).createDatabase();
    for (const query of [`sslmode=verify-full&sslrootcert=${ca}`, `sslrootcert=${ca}`]) await use(`${url}?${query}`);
    await use(`${url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&sslrootcert=${ca}`);
  });

  it('is refused with the reason when the authority or the name is another', async () => {
    const url = await (await secureServer()).createDatabase();
    await assertRefused(`${url}?sslmode=verify-full`, /SELF_SIGNED_CERT_IN_CHAIN/);
    await assertRefused(`${url}?sslmode=verify-full&sslrootcert=${other.ca}`, /self-signed|UNABLE_TO/);
    await assertRefused(
      `${url.replace('127.0.0.1', '127.0.0.2')}?sslmode=verify-full&sslrootcert=${ca}`,
      /IP: 127\.0\.0\.2 is not in the cert's list.*ERR_TLS_CERT_ALTNAME_INVALID/,
    );
  });

  it('is refused with the reason when one side wants TLS and the other has none', async (t) => {
    const [plain, secure] = [await postgresOfThisFile(), await secureServer()];
    const plainUrl = await plain.createDatabase();
    await assertRefused(`${plainUrl}?sslmode=verify-full`, /does not support SSL/);
    await use(`${plainUrl}?sslmode=disable`);
    const secureUrl = await secure.createDatabase();
    // The driver would take it for TLS without checks.
    process.env.PGSSLMODE = 'no-verify';
    t.after(() => delete process.env.PGSSLMODE);
    for (const query of ['', '?sslmode=disable']) {
      await assertRefused(secureUrl + query, /no pg_hba\.conf entry.*no encryption/);
    }
  });

  it('gives the certificate that the server asks for', async () => {
    const secure = await secureServer();
    const url = await secure.createDatabase();
    const certified = url.replace(/\/keys_\d+$/, '/certified').replace(encodeURIComponent(postgresPassword), 'none');
    await createCertified(url);
    const trusted = `${certified}?sslmode=verify-full&sslrootcert=${ca}`;
    await use(`${trusted}&sslcert=${client.cert}&sslkey=${client.key}`);
    const mixed = `${trusted}&sslcert=${client.cert}&sslkey=${certificates.server.key}`;
    await assertRefused(mixed, /key values mismatch/);
    await assertRefused(trusted, /client certificate/);
  });
});

/** Makes the database whose users come by certificate. */
async function createCertified(url: string): Promise<void> {
  const administrator = new Client({ connectionString: url, ssl: { rejectUnauthorized: false } });
  await administrator.connect();
  await administrator.query('create database certified');
  await administrator.end();
}
