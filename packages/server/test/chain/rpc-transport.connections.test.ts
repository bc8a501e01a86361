import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { makeCertificates, trustAuthority } from '../../../../test/setup/certificates.ts';
import { resultOf, startFakeUpstream } from '../../../../test/setup/fake-upstream.ts';
import { type RpcRequest, RpcTransport } from '../../src/chain/rpc-transport.ts';
import { isAppError } from '../../src/problems.ts';

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

test('A node of https:// is reached through tunnels of the proxy that are used again, with its password, unless its host is an exception', async (t) => {
  const { ca, server } = makeCertificates(t);
  trustAuthority(t, ca);
  const protocols: unknown[] = [];
  const pair = { cert: readFileSync(server.cert), key: readFileSync(server.key) };
  const node = createHttpsServer(pair, (request, response) => {
    protocols.push('alpnProtocol' in request.socket && request.socket.alpnProtocol);
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: 'ok' })));
  }).listen(0, '127.0.0.1');
  const asked: unknown[] = [];
  const proxy = createHttpServer()
    .on('connect', (request, socket) => {
      asked.push([request.url, request.headers['proxy-authorization']]);
      const { hostname, port } = new URL(`http://${request.url}`);
      const tunnel = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        socket.pipe(tunnel).pipe(socket);
      });
    })
    .listen(0, '127.0.0.1');
  await Promise.all([once(node, 'listening'), once(proxy, 'listening')]);
  const portOf = ({ port }: AddressInfo): number => port;
  const [nodePort, proxyPort] = [node, proxy].map((each) => portOf(each.address() as AddressInfo));
  const call = async (exceptions: string): Promise<void> => {
    const transport = new RpcTransport({
      url: `https://127.0.0.1:${nodePort}`,
      timeoutMs: 5_000,
      proxy: { url: `http://user:p%40ss@127.0.0.1:${proxyPort}`, exceptions },
    });
    for (let count = 0; count < 10; count++) assert.equal(await transport.call(getHealth, 5_000), 'ok');
    await transport.close();
  };
  t.after(() => {
    for (const each of [node, proxy]) each.close();
  });
  await call('other.example');
  const tunnels = asked.length;
  // The next call may come before the pool knows that the connection of the last one is free.
  assert.ok(tunnels === 1 || tunnels === 2, `${tunnels} tunnels for 10 calls`);
  assert.deepEqual(asked[0], [`127.0.0.1:${nodePort}`, `Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  await call('other.example,127.0.0.1');
  assert.equal(asked.length, tunnels);
  assert.deepEqual(protocols, Array(20).fill('http/1.1'));
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
