import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { createServer } from 'node:tls';
import { makeCertificates, trustAuthority } from '../../../../../test/setup/certificates.ts';
import { startRedis } from '../../../../../test/setup/redis.ts';
import { redisRemedyOf } from '../../../src/app/limits/redis-counter.ts';
import { connect } from './connect-counter.ts';

const certificates = makeCertificates({ after });
const other = makeCertificates({ after });

/** Starts a Redis that takes TLS alone. */
const startSecureRedis = (t: Parameters<typeof startRedis>[0], ...options: readonly string[]) =>
  startRedis(t, options, certificates);

describe('a Redis with TLS', () => {
  it('counts, where the authority of its certificate is known', async (t) => {
    trustAuthority(t, certificates.ca);
    const redis = await startSecureRedis(t);
    for (const url of [redis.url, redis.url.replace('127.0.0.1', 'localhost')]) {
      const { count, changes } = await connect(t, url);
      assert.deepEqual([await count(url), await count(url), changes], [1, 2, []]);
    }
  });

  it('is refused when its authority is unknown or another one', async (t) => {
    const redis = await startSecureRedis(t);
    const unknown = await connect(t, redis.url);
    assert.deepEqual(unknown.changes, ['lost SELF_SIGNED_CERT_IN_CHAIN']);
    trustAuthority(t, other.ca);
    const wrong = await connect(t, redis.url);
    assert.match(wrong.changes.join(), /^lost (?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/);
    for (const { changes } of [unknown, wrong]) assert.match(remedyOf(changes), /NODE_EXTRA_CA_CERTS/);
    assert.equal(await wrong.count('a'), 1, 'the limits go on');
  });

  it('is refused under another name', async (t) => {
    trustAuthority(t, certificates.ca);
    // Another address of loopback leads to the same server, which is not in the certificate.
    const redis = await startSecureRedis(t, '--bind', '127.0.0.2');
    const wrong = await connect(t, redis.url.replace('127.0.0.1', '127.0.0.2'));
    assert.deepEqual(wrong.changes, ['lost ERR_TLS_CERT_ALTNAME_INVALID']);
    assert.match(remedyOf(wrong.changes), /another name than its host/);
  });

  it('says what is wrong when one side speaks TLS and the other does not', async (t) => {
    const [secure, plain] = [await startSecureRedis(t), await startRedis(t)];
    const toSecure = await connect(t, secure.url.replace('rediss:', 'redis:'));
    assert.deepEqual(toSecure.changes, ['lost ECONNRESET']);
    assert.match(redisRemedyOf('ECONNRESET', 'redis://cache'), /try rediss:\/\//);
    const toPlain = await connect(t, plain.url.replace('redis:', 'rediss:'));
    assert.deepEqual(toPlain.changes, ['lost ETIMEDOUT']);
    assert.match(remedyOf(toPlain.changes), /without TLS write redis:\/\//);
  });

  it('is told the name that is wanted, as a server of several names must be', async (t) => {
    const names: (string | false | null)[] = [];
    const { cert, key } = certificates.server;
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => {
      names.push(socket.servername);
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    trustAuthority(t, certificates.ca);
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    await connect(t, `rediss://localhost:${address.port}`);
    assert.equal(names[0], 'localhost');
  });
});

function remedyOf(changes: readonly string[]): string {
  return redisRemedyOf(changes.at(-1)?.replace('lost ', '') ?? '', 'rediss://cache');
}
