import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Pool } from 'undici';
import { exchange, type HttpRequest } from '../../src/chain/rpc-transport.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { isAppError } from '../../src/problems.ts';

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that the test controls, and one connection to it. */
async function startServer(t: TestContext, behaviour: Behaviour) {
  const node = { behaviour, requests: 0 };
  const server = createServer((request, response) => {
    node.requests += 1;
    node.behaviour(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const pool = new Pool(origin, { connections: 1 });
  t.after(async () => {
    await pool.destroy();
    server.close();
    server.closeAllConnections();
  });
  const ask = (part: Partial<HttpRequest> = {}) =>
    exchange(pool, { origin, path: '/', headers: {}, body: '{}', timeoutMs: 5_000, maxAnswerBytes: 1_000, ...part });
  return { node, ask };
}

const silence: Behaviour = () => undefined;
const isTooSlow = (error: unknown): boolean => isAppError(error, 'upstream_timeout');
const isMalformed = (error: unknown): boolean => isAppError(error, 'upstream_error');

test('An answer that comes in pieces is read whole, though a piece ends within a character', async (t) => {
  const text = 'grüße 漢字 😀'.repeat(20);
  const bytes = Buffer.from(text);
  const { ask } = await startServer(t, (response) => {
    // Each piece is sent when the one before has gone, and by a turn of its own.
    const send = (at: number): void => {
      if (at >= bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 101), () => setTimeout(send, 1, at + 101));
    };
    send(0);
  });
  const answer = await ask();
  assert.deepEqual([answer.statusCode, answer.text], [200, text]);
});

test('An answer of just as many bytes as may come is read, and one of more is not', async (t) => {
  const { node, ask } = await startServer(t, silence);
  for (const saysLength of [true, false]) {
    const send = (length: number): void => {
      node.behaviour = (response) => {
        if (saysLength) response.setHeader('content-length', length);
        response.write('x'.repeat(length - 1));
        response.end('x');
      };
    };
    send(1_000);
    assert.equal((await ask()).text.length, 1_000);
    send(1_001);
    await assert.rejects(ask(), isMalformed);
  }
});

test('An answer that says that it is too large is refused before it comes', async (t) => {
  const { ask } = await startServer(t, (response) => {
    response.setHeader('content-length', 1_001);
    response.flushHeaders();
  });
  await assert.rejects(ask(), isMalformed);
});

test('A request that took too long leaves its connection to the next one', async (t) => {
  const { node, ask } = await startServer(t, silence);
  await assert.rejects(ask({ timeoutMs: 20 }), isTooSlow);
  node.behaviour = (response) => response.end('ok');
  assert.equal((await ask()).text, 'ok');
});

test('A request that took too long while it waited for a connection is never sent', async (t) => {
  const arrived = Promise.withResolvers<ServerResponse>();
  const { node, ask } = await startServer(t, arrived.resolve);
  const first = ask();
  const firstResponse = await arrived.promise;
  await assert.rejects(ask({ timeoutMs: 20 }), isTooSlow);
  node.behaviour = (response) => response.end('third');
  firstResponse.end('first');
  assert.equal((await first).text, 'first');
  assert.equal((await ask()).text, 'third');
  assert.equal(node.requests, 2);
});

test('A signal that is aborted ends the request as too slow, and nothing listens to it any more', async (t) => {
  const { node, ask } = await startServer(t, silence);
  const aborting = new AbortController();
  node.behaviour = () => aborting.abort();
  await assert.rejects(ask({ signal: aborting.signal }), isTooSlow);
  const { signal } = new AbortController();
  node.behaviour = (response) => response.end('ok');
  await ask({ signal });
  assert.deepEqual(
    [aborting.signal, signal].map((each) => getEventListeners(each, 'abort').length),
    [0, 0],
  );
});

test('No timer is left of a request that was answered', async (t) => {
  const { ask } = await startServer(t, (response) => response.end('ok'));
  const set = t.mock.method(globalThis, 'setTimeout');
  const clear = t.mock.method(globalThis, 'clearTimeout');
  await ask({ timeoutMs: 4_321 });
  const timer = set.mock.calls.find(({ arguments: [, delay] }) => delay === 4_321)?.result;
  assert.ok(timer);
  assert.ok(clear.mock.calls.some(({ arguments: [cleared] }) => cleared === timer));
});

test('Of a broken connection only its error code is reported', async (t) => {
  const { ask } = await startServer(t, (response) => response.socket?.resetAndDestroy());
  await assert.rejects(ask(), (error) => {
    assert.ok(error instanceof UpstreamFault);
    assert.equal(error.cause, 'ECONNRESET');
    return error.kind === 'connection';
  });
});
