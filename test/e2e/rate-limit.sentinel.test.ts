import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWatchedRedis } from '../setup/redis-sentinels.ts';
import { sendLoad, startLimitedServers } from './limited-servers.ts';

test('A failover under load costs no request, and the limits are exact again after it', async (t) => {
  const limit = 100;
  const total = 10 * limit;
  const watched = await startWatchedRedis(t);
  const environment = { REDIS_URL: watched.url, RATE_LIMIT_PER_MINUTE: String(limit), LOG_LEVEL: 'warn' };
  const { servers, urls, createKey } = await startLimitedServers(t, 3, environment);
  const [before, meanwhile, after] = [await createKey(), await createKey(), await createKey()];

  assert.deepEqual(await sendLoad(urls, { key: before, total }), { 400: limit, 429: total - limit });
  // Long enough to begin with one primary and to end with the other.
  const perSecond = 300;
  const load = sendLoad(urls, { key: meanwhile, total: 10 * perSecond, perSecond });
  await watched.first.kill();
  const lost = servers.map(({ server }) => server.waitFor(/Redis is lost/));
  const back = servers.map(({ server }) => server.waitFor(/Redis is back/));
  await Promise.all([...lost, ...back, watched.untilFailedOver()]);
  const { 400: passed = 0, 429: refused = 0, ...others } = await load;
  assert.deepEqual([passed + refused, others], [10 * perSecond, {}], 'every request has its answer');
  assert.ok(passed >= limit && passed <= limit * (urls.length + 1), `${passed} passed`);
  assert.deepEqual(await sendLoad(urls, { key: after, total }), { 400: limit, 429: total - limit });

  for (const { server } of servers) {
    server.kill('SIGTERM');
    const { status, stdout, stderr } = await server.ended;
    assert.deepEqual([status, stderr], [0, '']);
    for (const password of watched.passwords) assert.ok(!stdout.includes(password));
  }
});
