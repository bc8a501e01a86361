import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { PostgresUrlError, readPostgresUrl } from '../../src/keys/store/postgres/postgres-url.ts';

const { ca, client } = makeCertificates({ after });
const base = 'postgres://user:pa%2Fss@host:5433/keys';

/** The mode, and what is checked of the server: its authority, and its name. */
function checksOf(query: string): string {
  const { mode, ssl } = readPostgresUrl(`${base}?${query}`);
  if (!ssl) return `${mode} ${ssl}`;
  const authority = ssl.rejectUnauthorized === false ? 'any authority' : 'its authority';
  return `${mode} ${authority} ${ssl.checkServerIdentity ? 'any name' : 'its name'}`;
}

describe('a DATABASE_URL of PostgreSQL', () => {
  it('means by sslmode what libpq means, or more', () => {
    const root = `sslrootcert=${ca}`;
    for (const [query, checks] of [
      ['', 'unsaid undefined'],
      ['application_name=x', 'unsaid undefined'],
      ['sslmode=disable', 'disable false'],
      ['sslmode=require', 'require any authority its name'],
      [`sslmode=require&${root}`, 'require its authority any name'],
      [`sslmode=verify-ca&${root}`, 'verify-ca its authority any name'],
      ['sslmode=verify-full', 'verify-full its authority its name'],
      [`sslmode=verify-full&${root}`, 'verify-full its authority its name'],
      ['sslmode=verify-full&sslrootcert=system', 'verify-full its authority its name'],
      [root, 'verify-full its authority its name'],
      ['sslrootcert=system', 'verify-full its authority its name'],
      ['ssl=true', 'verify-full its authority its name'],
      ['ssl=no-verify', 'require any authority its name'],
      ['ssl=0', 'disable false'],
      ['ssl=true&sslmode=require', 'require any authority its name'],
      ['sslmode=require&channel_binding=require', 'verify-full its authority its name'],
      ['sslmode=require&channel_binding=prefer', 'require any authority its name'],
      ['sslmode=require&uselibpqcompat=true', 'require any authority its name'],
    ] as const) {
      assert.equal(checksOf(query), checks, query);
    }
  });

  it('gives the driver nothing to interpret of TLS, and everything else', () => {
    const query = `sslmode=verify-full&sslrootcert=${ca}&sslcert=${client.cert}&sslkey=${client.key}&application_name=x`;
    assert.equal(readPostgresUrl(`${base}?${query}`).connectionString, `${base}?application_name=x`);
    assert.equal(readPostgresUrl(base).connectionString, base);
  });

  it('is refused where it asks for less than a check, or for what the driver would ignore', () => {
    for (const [query, words] of [
      ['sslmode=prefer', /must be one of disable, require, verify-ca, verify-full/],
      ['sslmode=allow', /must be one of/],
      ['sslmode=verify_full', /must be one of/],
      ['ssl=SECRET', /must be one of/],
      ['sslmode=verify-ca', /needs an authority of your own/],
      ['sslmode=verify-ca&sslrootcert=system', /needs an authority of your own/],
      ['sslmode=require&sslrootcert=system', /does not check the server/],
      ['sslmode=verify-full&sslcrl=/x', /parameter sslcrl, which is not supported/],
      ['sslmode=verify-full&ssl_min_protocol_version=TLSv1.3', /parameter ssl_min_protocol_version/],
      ['gssencmode=require', /parameter gssencmode/],
      [`sslmode=require&sslcert=${client.cert}`, /need each other/],
      ['sslmode=verify-full&sslrootcert=/nowhere.pem', /cannot be used: ENOENT/],
    ] as const) {
      assert.throws(
        () => readPostgresUrl(`${base}?${query}`),
        (error) => error instanceof PostgresUrlError && words.test(error.message) && !/SECRET/.test(error.message),
        query,
      );
    }
  });
});
