import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { paths } from '../../../packages/server/src/transfers/transfer-schema.ts';
import {
  alice,
  bob,
  createBody,
  createPath,
  memoBody,
  memoPath,
  usdc,
} from '../../../packages/server/test/app/sample-bodies.ts';
import { startServer } from './cli-process.ts';

const peerCount = Number(process.env.ATTACK_CONNECTIONS ?? 200);
const junk = 'x'.repeat(65_000);
const get = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = `POST ${paths.batch} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** What each peer sends before it stops reading and stays. */
const attacks: Readonly<Record<string, string>> = {
  'bytes that are not HTTP': `GARBAGE\r\n\r\n${junk}`,
  'heads that do not end': `POST / HTTP/1.1\r\nHost: x\r\nX: ${junk.slice(0, 12_000)}`,
  'chunks of one byte without a key': chunked + '1\r\nx\r\n'.repeat(10_000),
  'many requests': get.repeat(2_500),
};

const batch = {
  from_address: alice,
  token_mint_address: usdc,
  transfers: Array.from({ length: 100 }, (_, index) => ({ to_address: bob, amount: String(index + 1) })),
};
const honest: readonly { path: string; body: object; headers?: Record<string, string> }[] = [
  { path: paths.batch, body: batch },
  { path: memoPath, body: { ...memoBody, memo: 'm'.repeat(500) } },
  { path: createPath, body: createBody, headers: { 'x-padding': 'p'.repeat(8_000) } },
];

test(`Others get every answer while ${peerCount} peers, who read nothing and stay,`, async (t) => {
  const { server, url } = await startServer(t, { LOG_LEVEL: 'warn' });
  for (const [what, bytes] of Object.entries(attacks)) {
    await t.test(`send ${what}`, async () => {
      const peers = openPeers(url, bytes);
      await peers.areConnected;
      try {
        const failures = (await Promise.all(Array.from({ length: 3 }, () => sendInTurn(url, 6)))).flat();
        assert.deepEqual(failures, []);
      } finally {
        peers.close();
      }
    });
  }
  server.kill('SIGTERM');
  assert.equal((await server.ended).status, 0);
});

/** Opens peers, each of which sends its bytes, reads nothing, and is opened again whenever it is closed. */
function openPeers(url: string, bytes: string): { areConnected: Promise<unknown>; close: () => void } {
  const { hostname, port } = new URL(url);
  const peers = new Set<Socket>();
  let isOpen = true;
  const open = (): Socket => {
    const peer = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).pause();
    peers.add(peer);
    peer.on('error', () => undefined);
    peer.on('close', () => {
      peers.delete(peer);
      if (isOpen) open();
    });
    peer.write(bytes);
    return peer;
  };
  const areConnected = Promise.all(Array.from({ length: peerCount }, () => once(open(), 'connect')));
  const close = (): void => {
    isOpen = false;
    for (const peer of peers) peer.destroy();
  };
  return { areConnected, close };
}

/** Sends requests one after another, and returns what came of those that were not answered well. */
async function sendInTurn(url: string, count: number): Promise<readonly string[]> {
  const failures: string[] = [];
  for (let sent = 0; sent < count; sent++) {
    const { path = '', body, headers } = honest[sent % honest.length] ?? {};
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status !== 200) failures.push(`${path}: ${response.status} ${text}`);
    } catch (error) {
      failures.push(`${path}: ${error instanceof Error ? `${error.message}: ${error.cause}` : error}`);
    }
  }
  return failures;
}
