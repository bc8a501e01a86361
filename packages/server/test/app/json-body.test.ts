import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { receiveBody } from '../../src/app/json-body.ts';
import { isAppError } from '../../src/problems.ts';

/** Sends the head of a request and the first part of its body, and returns the request as a server has it, and the socket. */
async function send(t: TestContext, head: string, body: string): Promise<{ request: IncomingMessage; socket: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const socket = connect(address.port, '127.0.0.1').on('error', () => undefined);
  t.after(() => void socket.destroy());
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n${body}`);
  const request = await new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  return { request, socket };
}

async function untilComplete(request: IncomingMessage): Promise<void> {
  while (!request.complete) await new Promise((resolve) => setImmediate(resolve));
}

function receive(request: IncomingMessage, limitBytes: number): Promise<Buffer | Error> {
  return new Promise((resolve) => receiveBody(request, limitBytes, resolve));
}

test('A body that has arrived is passed on, and its stream ends', async (t) => {
  const { request } = await send(t, 'Transfer-Encoding: chunked', '2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n');
  await untilComplete(request);
  const ended = once(request, 'end');
  assert.equal(String(await receive(request, 5)), 'abcde');
  await ended;
});

test('A body without bytes is passed on as such', async (t) => {
  const { request } = await send(t, 'Content-Length: 0', '');
  await untilComplete(request);
  assert.deepEqual(await receive(request, 5), Buffer.alloc(0));
});

test('A body that is still on its way is passed on when its last part arrives', async (t) => {
  const { request, socket } = await send(t, 'Content-Length: 5', 'ab');
  const body = receive(request, 5);
  socket.write('cd');
  await once(request, 'data');
  socket.write('e');
  assert.equal(String(await body), 'abcde');
});

test('A body that is too large is refused once, whether it has arrived or not, and by its length before it arrives', async (t) => {
  const chunked = 'Transfer-Encoding: chunked';
  const whole = await send(t, chunked, '3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n');
  await untilComplete(whole.request);
  const partial = await send(t, chunked, '3\r\nabc\r\n3\r\ndef\r\n');
  const announced = await send(t, 'Content-Length: 6', '');
  for (const { request } of [whole, partial, announced]) {
    const error = await receive(request, 5);
    assert.ok(isAppError(error));
    assert.equal(error.code, 'body_too_large');
    assert.match(error.message, /larger than the 5 bytes/);
  }
  partial.socket.write('3\r\nghi\r\n0\r\n\r\n');
  await untilComplete(partial.request);
});

test('A body that would take long to parse is refused with the part that shows it, whether it has arrived or not', async (t) => {
  const deep = '['.repeat(33);
  const whole = await send(t, 'Content-Length: 33', deep);
  await untilComplete(whole.request);
  const partial = await send(t, 'Content-Length: 2000000', deep);
  for (const { request } of [whole, partial]) {
    const error = await receive(request, 2_000_000);
    assert.ok(isAppError(error, 'invalid_json'));
    assert.match(error.message, /more than 32 deep/);
  }
});

test('A body whose sender hangs up is an error', async (t) => {
  const { request, socket } = await send(t, 'Content-Length: 5', 'ab');
  const body = receive(request, 5);
  await once(request, 'data');
  socket.destroy();
  const error = await body;
  assert.ok(error instanceof Error);
  assert.equal('code' in error && error.code, 'ECONNRESET');
});

test('A body whose sender has hung up before it is read is the same error', async (t) => {
  const { request, socket } = await send(t, 'Content-Length: 5', 'ab');
  const closed = new Promise((resolve) => request.once('close', resolve));
  socket.destroy();
  await closed;
  let error: unknown;
  receiveBody(request, 5, (body) => {
    error = body;
  });
  assert.equal(Object(error).code, 'ECONNRESET');
});
