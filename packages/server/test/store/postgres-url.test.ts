import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { PostgresUrlError, readPostgresUrl } from '../../src/store/postgres.ts';

const { ca, client } = makeCertificates({ after });
const base = 'postgres://user:SECRET%2F@host:5433/keys';
const authority = readFileSync(ca, 'utf8');

describe('a DATABASE_URL of PostgreSQL', () => {
  it('asks for no TLS, or for TLS with every check', () => {
    for (const [query, ssl] of [
      ['', false],
      ['application_name=x', false],
      ['sslmode=disable', false],
      ['sslmode=disable&uselibpqcompat=true', false],
      ['sslmode=verify-full', {}],
      ['sslmode=verify-full&uselibpqcompat=true', {}],
      ['sslmode=verify-full&sslnegotiation=direct', {}],
      [`sslmode=verify-full&sslrootcert=${ca}`, { ca: authority }],
      [`sslrootcert=${ca}`, { ca: authority }],
      [
        `sslmode=verify-full&sslcert=${client.cert}&sslkey=${client.key}`,
        { cert: readFileSync(client.cert, 'utf8'), key: readFileSync(client.key, 'utf8') },
      ],
    ] as const) {
      const read = readPostgresUrl(`${base}?${query}`).ssl;
      assert.deepEqual(typeof read === 'object' ? { ...read } : read, ssl, query);
    }
    const { user, password, host, port, database } = readPostgresUrl(base);
    assert.deepEqual([user, password, host, port, database], ['user', 'SECRET/', 'host', 5433, 'keys']);
  });

  it('is refused where it asks for less than a check, or for what the driver would ignore', () => {
    for (const [query, words] of [
      ['sslmode=require', /must be verify-full, or disable/],
      ['sslmode=prefer', /must be/],
      ['sslmode=allow', /must be/],
      [`sslmode=verify-ca&sslrootcert=${ca}`, /must be/],
      ['sslmode=no-verify', /must be/],
      ['sslmode=verify_full', /must be/],
      ['sslmode=verify-full&sslmode=no-verify', /must be/],
      ['sslmode=', /must be/],
      ['ssl=no-verify', /parameter ssl is not supported/],
      ['ssl=SECRET', /parameter ssl /],
      ['sslmode=verify-full&sslcrl=/x', /parameter sslcrl /],
      ['sslmode=verify-full&ssl_min_protocol_version=TLSv1.3', /parameter ssl_min_protocol_version /],
      ['gssencmode=require', /parameter gssencmode /],
      ['channel_binding=require', /parameter channel_binding /],
      ['sslmode=verify-full&sslrootcert=/nowhere.pem', /cannot be read: ENOENT/],
    ] as const) {
      assert.throws(
        () => readPostgresUrl(`${base}?${query}`),
        (error) => error instanceof PostgresUrlError && words.test(error.message) && !/SECRET/.test(error.message),
        query,
      );
    }
  });
});
