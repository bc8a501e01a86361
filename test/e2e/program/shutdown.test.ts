import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Keypair } from '@solana/web3.js';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { type Behaviour, startFakeUpstream } from '../../setup/fake-upstream.ts';
import { healthyNode } from '../nodes/upstream-node.ts';
import { assertEndsWell, startServer } from './cli-process.ts';

test('On SIGTERM every request that waits for the node is still answered, and then every one of several processes ends', async (t) => {
  const { databaseUrl, store } = await newKeyStore(t);
  const { key } = await store.create({ name: 'test', expiresAt: null });

  // Requests share upstream calls: that each of them waits shows in the recipients asked for.
  const recipients = Array.from({ length: 8 }, () => Keypair.generate().publicKey.toBase58());
  const asked = new Set<unknown>();
  const held: (() => void)[] = [];
  const allArrived = Promise.withResolvers<void>();
  const hold: Behaviour = (call, response) => {
    if (call.method !== 'getMultipleAccounts') return healthyNode(call, response);
    held.push(() => healthyNode(call, response));
    for (const address of Array.isArray(call.params[0]) ? call.params[0] : []) asked.add(address);
    if (recipients.every((recipient) => asked.has(recipient))) allArrived.resolve();
  };
  const upstream = await startFakeUpstream(t, hold);
  const { server, url } = await startServer(t, {
    DATABASE_URL: databaseUrl,
    SOLANA_RPC_URLS: upstream.url,
    // Longer than the test takes, also where processes start slowly.
    REQUEST_DEADLINE_MS: '25000',
    WORKERS: '2',
  });
  const replies = recipients.map(async (recipient) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...createBody, to_address: recipient });
    const response = await fetch(url + createPath, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  });
  await allArrived.promise;

  server.kill('SIGTERM');
  await refusesConnections(url);
  for (const answer of held) answer();
  assert.deepEqual(
    await Promise.all(replies),
    recipients.map(() => 200),
  );
  await assertEndsWell(server);
});

test('On SIGTERM callers who do not go on do not keep the process', async (t) => {
  const { server, url } = await startServer(t, { REQUEST_DEADLINE_MS: '500' });
  const { hostname, port } = new URL(url);
  const head = `POST ${createPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sandboxApiKey}\r\n`;
  const halfBody = `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"amount"`;
  for (const sent of ['', 'POST / HT', head, halfBody]) {
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.on('connect', () => socket.write(sent, () => resolve())));
  }
  await (await fetch(`${url}/livez`)).arrayBuffer();

  await assertEndsWell(server, 'SIGTERM');
});

/** Resolves once the listener is closed, which is the first thing that a stop does. */
async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    try {
      // A connection on its way to the last worker while that closes is reset only when all processes have ended.
      const signal = AbortSignal.timeout(1000);
      const response = await fetch(`${url}/livez`, { headers: { connection: 'close' }, signal });
      await response.arrayBuffer();
    } catch {
      return;
    }
  }
}
