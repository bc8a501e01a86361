import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { startServer } from './cli-process.ts';

const connectionCount = 20;
const maxGrowthBytes = 150_000_000;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const body = JSON.stringify(createBody);
const transfer =
  `POST ${createPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sandboxApiKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test(`${connectionCount} peers that ask for transfers over and over, and never read, take a bounded memory and no answer from others`, async (t) => {
  const { server, url } = await startServer(t, { NODE_OPTIONS: '--max-old-space-size=256', LOG_LEVEL: 'warn' });
  await serve(url);
  const before = peakBytes(server.pid);
  await openPeers(t, url, Buffer.from(transfer.repeat(1_500)));
  await serve(url);
  const growth = peakBytes(server.pid) - before;
  assert.ok(growth < maxGrowthBytes, `${growth} bytes`);
  server.kill('SIGTERM');
  assert.equal((await server.ended).status, 0);
});

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

/** Makes transfers one after another, all of which must succeed. */
async function serve(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
  for (let count = 0; count < 20; count++) {
    const response = await fetch(url + createPath, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  }
}

async function openPeers(t: TestContext, url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let opened = 0; opened < connectionCount; opened++) {
    const peer = connect(Number(port), hostname).pause();
    t.after(() => void peer.destroy());
    peer.on('error', () => undefined);
    await once(peer, 'connect');
    peer.write(bytes);
  }
}

/** The most resident memory that a process has had, as Linux tells; elsewhere 0. */
function peakBytes(pid: number | undefined): number {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) * 1024 : 0;
}
