import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { startServer } from './cli-process.ts';

// The heavy form, for a quiet machine: `ulimit -n 40000` and `ATTACK_CONNECTIONS=10000`, with `--test-name-pattern` for one kind.
const connectionCount = Number(process.env.ATTACK_CONNECTIONS ?? 20);
const isHeavy = connectionCount > 1_000;
const requestsOf = { tiny: 1_500, transfer: isHeavy ? 150 : 1_500 };
const maxHeapMegabytes = 256;
const maxGrowthBytes = isHeavy ? 450_000_000 : 150_000_000;
const goodRequests = isHeavy ? 300 : 20;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const body = JSON.stringify(createBody);
const post = (headers: string): string =>
  `POST ${createPath} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const transfer = post(`Authorization: Bearer ${sandboxApiKey}\r\nContent-Type: application/json\r\n`);

const attacks: Readonly<Record<string, Buffer>> = {
  'the description of the service': Buffer.from(get('/openapi.json').repeat(requestsOf.tiny)),
  'a page of a problem': Buffer.from(get('/problems/invalid_json').repeat(requestsOf.tiny)),
  'transfers without a key': Buffer.from(post('').repeat(requestsOf.transfer)),
  transfers: Buffer.from(transfer.repeat(requestsOf.transfer)),
};

for (const [what, bytes] of Object.entries(attacks)) {
  test(`${connectionCount} peers that ask for ${what} over and over, and never read, delay no other client`, async (t) => {
    const { server, url } = await startServer(t, {
      NODE_OPTIONS: `--max-old-space-size=${maxHeapMegabytes}`,
      LOG_LEVEL: 'warn',
    });
    const calm = await serve(url);
    const before = peakBytes(server.pid);

    await openPeers(t, url, bytes);
    const attacked = await serve(url);
    const growth = peakBytes(server.pid) - before;
    t.diagnostic(
      `99th percentile ${calm.toFixed(1)} ms calm, ${attacked.toFixed(1)} ms attacked; ` +
        `${(growth / 1e6).toFixed(0)} MB more at the peak`,
    );
    assert.ok(growth < maxGrowthBytes, `${growth} bytes`);
    server.kill('SIGTERM');
    assert.equal((await server.ended).status, 0);
  });
}

test('A peer that asks for a large document in one request after another, and never reads, does not end the service', async (t) => {
  const { server, url } = await startServer(t, {});
  const { hostname, port } = new URL(url);
  const peer = connect(Number(port), hostname).pause();
  t.after(() => void peer.destroy());
  await once(peer, 'connect');
  // More than the operating system takes on loopback, and some more requests.
  for (let count = 0; count < 100; count++) {
    peer.write(get('/openapi.json'));
    assert.equal((await fetch(`${url}/livez`)).status, 200);
  }
  server.kill('SIGTERM');
  assert.equal((await server.ended).status, 0);
});

/** Makes transfers one after another, all of which must succeed; returns the 99th percentile of their milliseconds. */
async function serve(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
  const times: number[] = [];
  for (let count = 0; count < goodRequests; count++) {
    const began = performance.now();
    const response = await fetch(url + createPath, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(goodRequests * 0.99)] ?? 0;
}

async function openPeers(t: TestContext, url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url);
  const peers: Socket[] = [];
  t.after(() => {
    for (const peer of peers) peer.destroy();
  });
  while (peers.length < connectionCount) {
    const batch = Array.from({ length: Math.min(100, connectionCount - peers.length) }, () =>
      connect(Number(port), hostname).pause(),
    );
    peers.push(...batch);
    for (const peer of batch) peer.on('error', () => undefined);
    await Promise.all(batch.map((peer) => once(peer, 'connect')));
    for (const peer of batch) peer.write(bytes);
  }
}

/** The most resident memory that a process has had, as Linux tells; elsewhere 0. */
function peakBytes(pid: number | undefined): number {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) * 1024 : 0;
}
