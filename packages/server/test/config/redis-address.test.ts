import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { type RedisAddress, readRedisAddress } from '../../src/config/redis-address.ts';

const certificates = makeCertificates({ after });
const { ca, client } = certificates;

const plain: RedisAddress = {
  kind: 'single',
  nodes: [{ host: 'cache', port: 6379 }],
  username: undefined,
  password: undefined,
  database: 0,
  family: undefined,
  tls: undefined,
  sentinel: undefined,
};

function read(text: string): RedisAddress | undefined {
  const faults: string[] = [];
  const address = readRedisAddress(text, faults);
  assert.deepEqual(faults, [], text);
  return address;
}

function faultsOf(text: string): readonly string[] {
  const faults: string[] = [];
  readRedisAddress(text, faults);
  return faults;
}

describe('REDIS_URL', () => {
  it('is one server, with a user, a database and an IP version', () => {
    assert.equal(read(''), undefined);
    assert.deepEqual(read('redis://cache'), plain);
    assert.deepEqual(read('redis://us%3Aer:p%40ss%2F@[::1]:7000/12?family=6'), {
      ...plain,
      nodes: [{ host: '::1', port: 7000 }],
      username: 'us:er',
      password: 'p@ss/',
      database: 12,
      family: 6,
    });
  });

  it('is several nodes of a Cluster, or one of a Cluster by its scheme', () => {
    const nodes = [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
    ];
    const cluster: RedisAddress = { ...plain, kind: 'cluster', nodes, password: 'SECRET' };
    assert.deepEqual(read('redis://:SECRET@a:1, redis://:SECRET@b'), cluster);
    assert.deepEqual(read('redis+cluster://:SECRET@a:1,b'), cluster);
    assert.deepEqual(read('rediss+cluster://:SECRET@a:1,b/0'), { ...cluster, tls: { files: {} } });
  });

  it('is Sentinels and the name of their primary', () => {
    assert.deepEqual(
      read('redis+sentinel://app:SECRET@a,[::1]:5/limits%2D1/3?sentinel_username=s&sentinel_password=p%26'),
      {
        ...plain,
        kind: 'sentinel',
        nodes: [
          { host: 'a', port: 26_379 },
          { host: '::1', port: 5 },
        ],
        username: 'app',
        password: 'SECRET',
        database: 3,
        sentinel: { name: 'limits-1', username: 's', password: 'p&' },
      },
    );
  });

  it('names the files of TLS', () => {
    const query = `ssl_ca_certs=${ca}&ssl_certfile=${client.cert}&ssl_keyfile=${client.key}&ssl_servername=cache.test`;
    const tls = { files: { ca, ...client }, servername: 'cache.test' };
    assert.deepEqual(read(`rediss://cache?${query}`), { ...plain, tls });
    assert.deepEqual(read(`rediss+sentinel://cache/x?${query}`)?.tls, tls);
  });

  it('is refused in every other form, without a word of it', () => {
    for (const text of [
      'SECRET',
      'http://SECRET',
      'redis:',
      'redis://',
      'redis://:SECRET/x@host',
      'redis://a,rediss://SECRET',
      'redis://a,SECRET',
      'redis+sentinel://SECRET',
      'redis+sentinel://a/SECRET/x',
      'redis+sentinel://a/b/1/SECRET',
      'redis+sentinel://:SECRET/x@a/b',
      'redis+sentinel://a,/SECRET',
      'redis+sentinel://a:SECRET/b',
      'redis+other://SECRET',
      'redis://a/SECRET',
      'redis+cluster://a/1',
      'redis://%zz:SECRET@a',
    ]) {
      const faults = faultsOf(text);
      assert.match(faults.join(), /^REDIS_URL/, text);
      assert.doesNotMatch(faults.join(), /SECRET/, text);
    }
  });

  it('is refused with a parameter that it does not take', () => {
    for (const text of [
      'redis://a?SECRET',
      'redis://a?ssl_ca_certs=/x',
      'rediss://a?ssl_cert_reqs=none',
      'rediss://a?sentinel_password=SECRET',
      'redis+sentinel://a/b?password=SECRET',
    ]) {
      assert.match(
        faultsOf(text).join('\n'),
        /^REDIS_URL has a parameter that does not belong there; .* takes family/,
        text,
      );
      assert.doesNotMatch(faultsOf(text).join(), /SECRET/);
    }
  });

  it('is refused with files of TLS that do not exist, hold something else, or do not go together', () => {
    const nothing = join(certificates.folder, 'nothing.pem');
    const text = join(certificates.folder, 'text.pem');
    writeFileSync(text, 'no certificate');
    const wrong = /^REDIS_URL: the files of ssl_ca_certs, ssl_certfile and ssl_keyfile cannot be used: /;
    assert.match(faultsOf(`rediss://a?ssl_ca_certs=${nothing}`).join(), /ENOENT.*nothing\.pem/);
    assert.match(faultsOf(`rediss://a?ssl_certfile=${text}&ssl_keyfile=${client.key}`).join(), wrong);
    const { server } = certificates;
    assert.match(faultsOf(`rediss://a?ssl_certfile=${client.cert}&ssl_keyfile=${server.key}`).join(), wrong);
    const alone = ['REDIS_URL: ssl_certfile and ssl_keyfile need each other.'];
    assert.deepEqual(faultsOf(`rediss://a?ssl_certfile=${client.cert}`), alone);
    assert.deepEqual(faultsOf(`rediss://a?ssl_keyfile=${client.key}`), alone);
  });
});
