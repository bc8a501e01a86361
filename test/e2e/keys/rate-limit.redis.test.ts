import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRedis } from '../../setup/redis.ts';
import { assertEndsWell } from '../program/cli-process.ts';
import { type Statuses, sendLoad, startLimitedServers } from './limited-servers.ts';

/** Every request was passed or refused, and no more or fewer passed than the limit, within 1 %. */
function assertLimitHeld({ 400: passed = 0, 429: refused = 0 }: Statuses, limit: number, total: number): void {
  assert.equal(passed + refused, total);
  assert.ok(Math.abs(passed - limit) <= limit / 100, `${passed} passed, with a limit of ${limit}`);
}

test('Processes with one Redis pass the limit of a key together, within 1 %, and one that is killed and started again costs no request', async (t) => {
  const limit = 100;
  const redis = await startRedis(t);
  const environment = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: String(limit), LOG_LEVEL: 'warn' };
  const { servers, urls, createKey } = await startLimitedServers(t, 2, environment);
  const [before, meanwhile, after] = [await createKey(), await createKey(), await createKey()];
  const total = 10 * limit;
  const refused = { 429: total };

  assertLimitHeld(await sendLoad(urls, { key: before, total }), limit, total);
  const [killed] = await Promise.all([sendLoad(urls, { key: before, total }), redis.kill()]);
  assert.deepEqual(killed, refused);

  await Promise.all(servers.map(({ server }) => server.waitFor(/Redis is lost/)));
  for (const url of urls) {
    // The load goes to all processes alike, of which each holds the limit by itself.
    const alone = await sendLoad([url], { key: meanwhile, total: 2 * limit });
    assert.deepEqual(alone, { 400: limit, 429: limit });
  }

  const [restarted] = await Promise.all([sendLoad(urls, { key: meanwhile, total }), redis.restart()]);
  assert.deepEqual(restarted, refused);
  await Promise.all(servers.map(({ server }) => server.waitFor(/Redis is back/)));
  assertLimitHeld(await sendLoad(urls, { key: after, total }), limit, total);

  for (const { server } of servers) {
    const stdout = await assertEndsWell(server, 'SIGTERM');
    assert.equal(stdout.match(/Redis is lost/g)?.length, 1);
    assert.match(stdout, /^\{"level":40,.*"reason":"\w+".*Redis is lost/m);
    assert.ok(!stdout.includes(redis.password));
  }
});
