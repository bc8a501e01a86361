import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Keypair } from '@solana/web3.js';
import { Agent, request } from 'undici';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { type Behaviour, startFakeUpstream } from '../../setup/fake-upstream.ts';
import { healthyNode } from '../nodes/upstream-node.ts';
import { assertEndsWell, startServer } from './cli-process.ts';

const exitLimitMs = 5000;

for (const workers of ['1', '2']) {
  const all = workers === '1' ? 'the process' : 'every one of several processes';

  test(`On SIGTERM every request that waits for the node is still answered, and then ${all} ends`, async (t) => {
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
      RPC_TIMEOUT_MS: '10000',
      REQUEST_DEADLINE_MS: '10000',
      WORKERS: workers,
    });
    const replies = recipients.map(async (recipient) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...createBody, to_address: recipient });
      const response = await fetch(url + createPath, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    });
    await allArrived.promise;

    const stoppedAt = performance.now();
    server.kill('SIGTERM');
    await refusesConnections(url);
    for (const answer of held) answer();
    assert.deepEqual(
      await Promise.all(replies),
      recipients.map(() => 200),
    );
    await assertEndsWell(server);
    assert.ok(performance.now() - stoppedAt < exitLimitMs);
  });

  test(`On SIGTERM under steady load over kept-alive connections no accepted request is lost by ${all}`, async (t) => {
    const { server, url } = await startServer(t, { WORKERS: workers });
    const agent = new Agent({ connections: 16, pipelining: 1 });
    t.after(() => agent.destroy());
    const answered = new Set<string>();
    const body = JSON.stringify(createBody);
    const isWarm = Promise.withResolvers<void>();

    const sendUntilRefused = async (client: number): Promise<void> => {
      for (let count = 0; ; count++) {
        const id = `${client}-${count}`;
        const headers = {
          authorization: `Bearer ${sandboxApiKey}`,
          'content-type': 'application/json',
          'x-request-id': id,
        };
        try {
          const reply = await request(url + createPath, { dispatcher: agent, method: 'POST', headers, body });
          await reply.body.json();
          assert.equal(reply.statusCode, 200);
          answered.add(id);
        } catch (error) {
          // A connection that was closed before the request was read: clients send it again elsewhere.
          if (isConnectionError(error)) return;
          throw error;
        }
        if (answered.size === 100) isWarm.resolve();
      }
    };
    const clients = Promise.all(Array.from({ length: 16 }, (_, client) => sendUntilRefused(client)));
    await Promise.race([isWarm.promise, clients]);

    const stoppedAt = performance.now();
    server.kill('SIGTERM');
    await clients;
    const stdout = await assertEndsWell(server);
    assert.ok(performance.now() - stoppedAt < exitLimitMs);

    const served = [...stdout.matchAll(/^\{.*"msg":"request"\}$/gm)].map(([line]) => JSON.parse(line));
    assert.ok(served.length >= 100);
    for (const line of served) {
      assert.equal(line.status, 200);
      assert.ok(answered.has(line.request_id), `${line.request_id} was served, and its reply lost`);
    }
  });

  test(`On SIGTERM callers who do not go on do not keep ${all}`, async (t) => {
    const { server, url } = await startServer(t, { WORKERS: workers, REQUEST_DEADLINE_MS: '500' });
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

    const stoppedAt = performance.now();
    await assertEndsWell(server, 'SIGTERM');
    assert.ok(performance.now() - stoppedAt < exitLimitMs);
  });
}

function isConnectionError(error: unknown): boolean {
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

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
