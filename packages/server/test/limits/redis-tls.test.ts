import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { startRedis } from '../../../../test/setup/redis.ts';
import { startRedisCluster } from '../../../../test/setup/redis-cluster.ts';
import { redisRemedyOf } from '../../src/limits/redis-faults.ts';
import { connect, explainedLoss } from './connect-counter.ts';

const certificates = makeCertificates({ after });
const { ca, client } = certificates;
const other = makeCertificates({ after });

/** Starts a Redis that takes TLS alone; with clients of the authority alone where `isForClients`. */
async function startSecureRedis(t: Parameters<typeof startRedis>[0], isForClients = false) {
  return startRedis(t, isForClients ? ['--tls-auth-clients', 'yes'] : [], certificates);
}

describe('a Redis with TLS', () => {
  it('counts, where the authority of its certificate is named', async (t) => {
    const redis = await startSecureRedis(t);
    const { count, changes } = await connect(t, `${redis.url}?ssl_ca_certs=${ca}`);
    assert.deepEqual([await count('a'), await count('a'), changes], [1, 2, []]);
  });

  it('is refused when its authority is unknown or another one', async (t) => {
    const redis = await startSecureRedis(t);
    const unknown = await connect(t, redis.url);
    assert.deepEqual(unknown.changes, ['lost SELF_SIGNED_CERT_IN_CHAIN']);
    const wrong = await connect(t, `${redis.url}?ssl_ca_certs=${other.ca}`);
    assert.match(wrong.changes.join(), /^lost (?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/);
    for (const { changes } of [unknown, wrong]) assert.match(remedyOf(changes), /ssl_ca_certs of REDIS_URL/);
    assert.equal(await wrong.count('a'), 1, 'the limits go on');
  });

  it('is refused under another name, unless that of its certificate is given', async (t) => {
    const redis = await startSecureRedis(t);
    // Another address of loopback leads to the same server, which is not in the certificate.
    const secure = await startRedis(t, ['--bind', '127.0.0.2'], certificates);
    const url = `${secure.url.replace('127.0.0.1', '127.0.0.2')}?ssl_ca_certs=${ca}`;
    const wrong = await connect(t, url);
    assert.deepEqual(wrong.changes, ['lost ERR_TLS_CERT_ALTNAME_INVALID']);
    assert.match(remedyOf(wrong.changes), /ssl_servername/);
    const right = await connect(t, `${url}&ssl_servername=redis.limits.test`);
    assert.deepEqual([await right.count('a'), right.changes], [1, []]);
    const byName = await connect(t, `${redis.url.replace('127.0.0.1', 'localhost')}?ssl_ca_certs=${ca}`);
    assert.deepEqual([await byName.count('a'), byName.changes], [1, []]);
  });

  it('gets the certificate of a client that it asks for, and refuses one without', async (t) => {
    const redis = await startSecureRedis(t, true);
    const url = `${redis.url}?ssl_ca_certs=${ca}`;
    const { count, changes } = await connect(t, `${url}&ssl_certfile=${client.cert}&ssl_keyfile=${client.key}`);
    assert.deepEqual([await count('a'), changes], [1, []]);
    const without = await connect(t, url);
    assert.match(without.changes.join(), /^lost (?:ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED|ECONNRESET)$/);
    assert.match(remedyOf(without.changes), /ssl_certfile and ssl_keyfile/);
  });

  it('says what is wrong when one side speaks TLS and the other does not', async (t) => {
    const [secure, plain] = [await startSecureRedis(t), await startRedis(t)];
    const toSecure = await connect(t, secure.url.replace('rediss:', 'redis:'));
    assert.deepEqual(toSecure.changes, ['lost ECONNRESET']);
    assert.match(redisRemedyOf('ECONNRESET', { kind: 'single', tls: undefined }), /try rediss:\/\//);
    const toPlain = await connect(t, plain.url.replace('redis:', 'rediss:'));
    assert.deepEqual(toPlain.changes, ['lost ETIMEDOUT']);
    assert.match(remedyOf(toPlain.changes), /without TLS write redis:\/\//);
  });

  it('is taken back after its authority was replaced, by the files that are there then', async (t) => {
    const redis = await startSecureRedis(t);
    const mine = join(certificates.folder, 'mine.pem');
    writeFileSync(mine, readFileSync(other.ca));
    const { changes, until } = await connect(t, `${redis.url}?ssl_ca_certs=${mine}`);
    assert.equal(changes.length, 1);
    writeFileSync(mine, 'half of a fi');
    writeFileSync(mine, readFileSync(ca));
    await until(/^back/);
  });

  it('can be a Cluster, each of whose nodes is checked', async (t) => {
    const { urls } = await startRedisCluster(t, 3, certificates);
    const [first = '', ...rest] = urls;
    const { count, changes } = await connect(t, [`${first}?ssl_ca_certs=${ca}`, ...rest].join(','));
    for (let index = 0; index < 20; index++) {
      assert.deepEqual([await count(`key ${index}`), await count(`key ${index}`)], [1, 2]);
    }
    assert.deepEqual(changes, []);
    const refused = await explainedLoss(t, urls.join(','));
    assert.equal(refused.reason, 'SELF_SIGNED_CERT_IN_CHAIN');
    assert.match(refused.remedy, /ssl_ca_certs/);
  });
});

function remedyOf(changes: readonly string[]): string {
  return redisRemedyOf(changes.at(-1)?.replace('lost ', '') ?? '', { kind: 'single', tls: { files: {} } });
}
