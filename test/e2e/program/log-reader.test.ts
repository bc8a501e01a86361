import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './cli-process.ts';

test('A log reader that goes away does no harm to workers', async (t) => {
  const { server, url } = await startServer(t, { WORKERS: '2' });
  server.output.destroy();
  await request(url, 100);
  server.kill('SIGTERM');
  assert.equal(await server.exited, 0);
  assert.equal((await server.ended).stderr, '');
});

test('A log reader that stalls does not keep a service from ending', async (t) => {
  const { server, url } = await startServer(t, {});
  server.output.pause();
  // Some 500 KB, more than the kernel and the reader's own buffer take.
  await request(url, 2000);
  server.kill('SIGTERM');
  assert.equal(await server.exited, 0);
  server.output.resume();
  const { stdout, stderr } = await server.ended;
  assert.equal(stderr, '');
  assert.ok((stdout.match(/"msg":"request"/g)?.length ?? 0) < 2000, 'the reader did stall');
});

/** Makes so many requests, each of which is answered and logged in some 280 bytes. */
async function request(url: string, count: number): Promise<void> {
  const headers = { 'x-request-id': 'x'.repeat(128) };
  let left = count;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const reply = await fetch(`${url}/livez`, { headers });
      assert.equal(reply.status, 200);
      await reply.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 32 }, send));
}
