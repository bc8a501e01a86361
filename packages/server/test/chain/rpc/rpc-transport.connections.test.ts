import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { resultOf, startFakeUpstream } from '../../../../../test/setup/fake-upstream.ts';
import { type RpcRequest, RpcTransport } from '../../../src/chain/rpc/rpc-transport.ts';
import { isAppError } from '../../../src/errors.ts';

const getHealth: RpcRequest<unknown> = {
  method: 'getHealth',
  params: [],
  read: (result) => result,
  maxAnswerBytes: 1_000,
};
const ok = resultOf(() => 'ok');
const isUnavailable = (error: unknown): boolean => isAppError(error, 'upstream_unavailable');

test('Calls that are under way together share 64 connections', async (t) => {
  const ports = new Set<number | undefined>();
  const waiting: (() => void)[] = [];
  let arrived = 0;
  const upstream = await startFakeUpstream(t, (call, response) => {
    ports.add(response.socket?.remotePort);
    arrived += 1;
    waiting.push(() => ok(call, response));
    // The first ones wait, so that no connection is free again before all are open.
    if (arrived >= 64) for (const answer of waiting.splice(0)) answer();
  });
  const transport = new RpcTransport({ url: upstream.url, timeoutMs: 5_000 });
  t.after(() => transport.close());
  await Promise.all(Array.from({ length: 128 }, () => transport.call(getHealth, 5_000)));
  assert.equal(ports.size, 64);
});

test('A connection over TLS offers HTTP/1.1 alone', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new RpcTransport({ url: `https://127.0.0.1:${port}`, timeoutMs: 5_000 });
  t.after(() => transport.close());
  const call = transport.call(getHealth, 5_000);
  const [socket] = await once(server, 'connection');
  const [clientHello] = await once(socket, 'data');
  socket.destroy();
  await assert.rejects(call, isUnavailable);
  // The list of protocols has 9 bytes (RFC 7301).
  assert.ok(clientHello.includes('\0\x09\x08http/1.1', 'latin1'));
});

test('A transport that was closed takes no calls', async (t) => {
  const upstream = await startFakeUpstream(t, ok);
  const transport = new RpcTransport({ url: upstream.url, timeoutMs: 5_000 });
  assert.equal(await transport.call(getHealth, 5_000), 'ok');
  await transport.close();
  await assert.rejects(transport.call(getHealth, 5_000), isUnavailable);
});

test('A transport closes once its calls have ended', async (t) => {
  const ended: string[] = [];
  const upstream = await startFakeUpstream(t, (call, response) => {
    // It is closed by now, and does not wait for another call.
    closing = transport.close().then(() => ended.push('transport'));
    ok(call, response);
  });
  let closing: Promise<unknown> | undefined;
  const transport = new RpcTransport({ url: upstream.url, timeoutMs: 5_000 });
  await transport.call(getHealth, 5_000).then(() => ended.push('call'));
  await closing;
  assert.deepEqual(ended, ['call', 'transport']);
});
