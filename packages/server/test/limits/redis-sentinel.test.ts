import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { makeCertificates } from '../../../../test/setup/certificates.ts';
import { startWatchedRedis } from '../../../../test/setup/redis-sentinels.ts';
import { connect, explainedLoss } from './connect-counter.ts';

describe('a Redis that Sentinels watch', () => {
  it('counts on its primary, and on the next one after a failover', async (t) => {
    const watched = await startWatchedRedis(t);
    const [one, other] = [await connect(t, watched.url), await connect(t, watched.url)];
    assert.deepEqual([await one.count('a'), await other.count('a'), await one.count('a')], [1, 2, 3]);
    await watched.first.kill();
    await Promise.all([one.until(/^lost/), other.until(/^lost/)]);
    assert.equal(await one.count('b'), 1, 'the limits go on meanwhile');
    await watched.untilFailedOver();
    await Promise.all([one.until(/^back/), other.until(/^back/)]);
    assert.ok((await one.count('a')) >= 4, 'what was replicated or known is not forgotten');
    assert.deepEqual([await one.count('c'), await other.count('c')], [1, 2], 'exact again');
    for (const text of [...one.changes, ...other.changes]) {
      for (const password of watched.passwords) assert.ok(!text.includes(password));
    }
  });

  it('is found by any Sentinel that answers', async (t) => {
    const watched = await startWatchedRedis(t);
    await watched.killSentinel(0);
    const { count, changes } = await connect(t, watched.url);
    assert.deepEqual([await count('a'), changes], [1, []]);
  });

  it('is lost, with the reason, when no Sentinel answers, wants another password, or knows the name', async (t) => {
    const watched = await startWatchedRedis(t);
    const changesOf = async (url: string): Promise<readonly string[]> => (await connect(t, url)).changes;
    const nowhere = 'redis+sentinel://127.0.0.1:1,127.0.0.1:2/mymaster';
    assert.deepEqual(await changesOf(nowhere), ['lost NO_SENTINEL']);
    assert.equal((await explainedLoss(t, nowhere)).reason, 'ECONNREFUSED');
    assert.deepEqual(await changesOf(watched.url.replace('/limits-primary', '/another')), ['lost NO_PRIMARY']);
    assert.deepEqual(await changesOf(watched.url.replace(/\?.*/, '')), ['lost NOAUTH']);
    assert.deepEqual(await changesOf(watched.url.replace('//:', '//:wrong')), ['lost WRONGPASS']);
  });

  it('can have TLS, on the servers and the Sentinels', async (t) => {
    const certificates = makeCertificates({ after });
    const watched = await startWatchedRedis(t, certificates);
    const { count, changes } = await connect(t, `${watched.url}&ssl_ca_certs=${certificates.ca}`);
    assert.deepEqual([await count('a'), await count('a'), changes], [1, 2, []]);
    const refused = await explainedLoss(t, watched.url);
    assert.equal(refused.reason, 'SELF_SIGNED_CERT_IN_CHAIN');
    assert.match(refused.remedy, /ssl_ca_certs/);
  });
});
