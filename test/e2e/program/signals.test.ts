import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEndsWell, startServer } from './cli-process.ts';

const bothListen = /(?:"msg":"Server listening[\s\S]*){2}/;

test('After SIGTERM two workers say not ready and close connections, serve on, and end at a later signal', async (t) => {
  // Longer than any test takes: only the second signal ends it.
  const { server, url } = await startServer(t, { WORKERS: '2', DRAIN_MS: '600000' });
  await server.waitFor(bothListen);
  server.kill('SIGTERM');
  for (let refusals = 0; refusals < 4; ) {
    const { status, connection, body } = await readiness(url);
    if (status === 200) {
      // The signal, or the word of it, is on its way; once each worker in turn has said no, both have.
      refusals = 0;
      continue;
    }
    refusals += 1;
    assert.deepEqual([status, connection], [503, 'close']);
    assert.deepEqual(JSON.parse(body), { status: 'stopping', checks: {}, upstreams: {} });
  }
  const alive = await fetch(`${url}/livez`);
  assert.deepEqual([alive.status, alive.headers.get('connection')], [200, 'close']);
  // One that comes within a second of the first counts as the same.
  const stoppedAt = performance.now();
  server.kill('SIGTERM');
  while (performance.now() - stoppedAt < 1100) assert.equal((await readiness(url)).status, 503);
  await assertEndsWell(server, 'SIGTERM');
});

test('SIGHUP stops as SIGTERM does, and SIGINT without a drain', async (t) => {
  const draining = await startServer(t, { DRAIN_MS: '600000' });
  draining.server.kill('SIGHUP');
  await draining.server.waitFor(/"drain_ms":600000,"msg":"stopping"/);
  assert.equal((await readiness(draining.url)).status, 503);
  draining.server.kill('SIGINT');
  assert.equal((await draining.server.ended).status, 0);

  const { server } = await startServer(t, { DRAIN_MS: '600000' });
  await assertEndsWell(server, 'SIGINT');
});

test('SIGUSR1 opens no debugger, in no process', async (t) => {
  const { server, url } = await startServer(t, { WORKERS: '2' });
  await server.waitFor(bothListen);
  const pids = new Set(server.stdout().match(/(?<="pid":)\d+/g));
  assert.equal(pids.size, 2);
  // The debugger would say on standard error that it listens, before any request that comes later is answered.
  for (const pid of [server.pid, ...[...pids].map(Number)]) process.kill(pid, 'SIGUSR1');
  for (let count = 0; count < 4; count++) assert.equal((await readiness(url)).status, 200);
  await assertEndsWell(server, 'SIGINT');
});

/** What `/readyz` says, on a connection of its own. */
async function readiness(url: string): Promise<{ status: number; connection: string | null; body: string }> {
  const reply = await fetch(`${url}/readyz`, { headers: { connection: 'close' } });
  return { status: reply.status, connection: reply.headers.get('connection'), body: await reply.text() };
}
