import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionLimits, Connections } from '../../src/http/connections/connections.ts';

/** A server whose requests the test answers itself, with a clock that the test sets. */
async function startServer(t: TestContext, limits: Partial<ConnectionLimits> = {}) {
  const clock = { now: 0 };
  const connections = new Connections(
    {
      maxConnections: 100,
      maxHandledPerConnection: 3,
      maxPipelined: 100,
      maxHeldBytes: 1_000_000,
      maxReadingMs: 1_000,
      ...limits,
    },
    () => clock.now,
  );
  const handled: { request: IncomingMessage; response: ServerResponse }[] = [];
  let changed = Promise.withResolvers<void>();
  const server = createServer();
  connections.watch(server, (request, response) => {
    handled.push({ request, response });
    changed.resolve();
    changed = Promise.withResolvers<void>();
  });
  server.on('clientError', (_error, socket) => {
    if (socket instanceof Socket) connections.endAfterReplies(socket, () => socket.end('error'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  const untilHandled = async (count: number): Promise<void> => {
    while (handled.length < count) await changed.promise;
  };
  return { connections, clock, handled, untilHandled, port, server };
}

async function open(t: TestContext, port: number): Promise<Socket & { text: () => string }> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return Object.assign(socket, { text: () => text });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const urlsOf = (handled: readonly { request: IncomingMessage }[]): (string | undefined)[] =>
  handled.map(({ request }) => request.url);

test('Of one connection so many requests are handled at a time, and each other one when a reply was taken', async (t) => {
  const { handled, untilHandled, port, connections } = await startServer(t);
  const socket = await open(t, port);
  socket.write(['/1', '/2', '/3', '/4', '/5'].map(get).join(''));
  await untilHandled(3);
  assert.deepEqual(urlsOf(handled), ['/1', '/2', '/3']);
  assert.equal(connections.pipelined, 4);
  socket.write(get('/6'));
  // The second reply waits for the first.
  handled[1]?.response.end('second');
  handled[0]?.response.end('first');
  await untilHandled(5);
  for (const index of [2, 3, 4]) handled[index]?.response.end(`reply ${index}`);
  await untilHandled(6);
  handled[5]?.response.end('last');
  while (!socket.text().includes('last')) await once(socket, 'data');
  assert.deepEqual(socket.text().match(/first|second|reply \d|last/g), [
    'first',
    'second',
    'reply 2',
    'reply 3',
    'reply 4',
    'last',
  ]);
  assert.equal(connections.pipelined, 0);
});

test('A connection that makes too many requests wait is closed, and every request of others is handled', async (t) => {
  const { handled, untilHandled, port, connections } = await startServer(t, { maxPipelined: 10 });
  const patient = await open(t, port);
  patient.write(get('/patient').repeat(5));
  await untilHandled(3);
  const greedy = await open(t, port);
  greedy.write(get('/greedy').repeat(500));
  await once(greedy, 'close');
  const other = await open(t, port);
  other.write(get('/other'));
  await untilHandled(5);
  assert.deepEqual(urlsOf(handled.slice(3)), ['/greedy', '/other']);
  assert.equal(connections.pipelined, 4);
  assert.deepEqual(connections.takeClosed(), { stalled: 0, pipelined: 1, dropped: 0 });
  assert.equal(connections.takeClosed(), undefined);
});

test('A peer that does not read its reply in time is closed, and one whose reply is not ready is not', async (t) => {
  const { handled, untilHandled, port, clock, connections } = await startServer(t);
  const reader = await open(t, port);
  reader.write(get('/slow'));
  await untilHandled(1);
  const deaf = await open(t, port);
  deaf.pause();
  deaf.write(get('/large'));
  await untilHandled(2);
  const [slow, large] = handled;
  // More than the operating system takes on loopback.
  large?.response.end(Buffer.alloc(64_000_000));
  connections.closeStalled();
  clock.now = 999;
  connections.closeStalled();
  assert.equal(large?.request.socket.destroyed, false);
  clock.now = 1_000;
  connections.closeStalled();
  assert.equal(large?.request.socket.destroyed, true);
  assert.equal(slow?.request.socket.destroyed, false);
  assert.deepEqual(connections.takeClosed(), { stalled: 1, pipelined: 0, dropped: 0 });
});

test('Bytes that are not HTTP are refused after the replies to the requests before them', async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.write(`${get('/1')}${get('/2')}garbage\r\n\r\n`);
  await untilHandled(2);
  handled[1]?.response.end('second');
  handled[0]?.response.end('first');
  await once(socket, 'end');
  assert.match(socket.text(), /first[\s\S]*second[\s\S]*error$/);
});

test('A body that is not HTTP is answered in the place of its own request', async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  const post = 'POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket.write(`${get('/1')}${post}zz\r\n`);
  await untilHandled(2);
  handled[0]?.response.end('first');
  await once(socket, 'end');
  assert.match(socket.text(), /first[\s\S]*error$/);
});

test('A peer that closes its half of the connection after its requests gets the answers', async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.after(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  socket.end(get('/1') + get('/2'));
  await untilHandled(2);
  // The server knows of it now.
  while (!handled[0]?.request.socket.readableEnded) await new Promise((resolve) => setImmediate(resolve));
  for (const { response } of handled) response.end('answer');
  await once(socket, 'end');
  assert.equal(text.match(/answer/g)?.length, 2);
});

test('More connections than the bound are closed, and counted', async (t) => {
  const { port, connections } = await startServer(t, { maxConnections: 2 });
  await open(t, port);
  await open(t, port);
  const third = await open(t, port);
  await once(third, 'close');
  assert.deepEqual(connections.takeClosed(), { stalled: 0, pipelined: 0, dropped: 1 });
});

test('Of all pipelined requests one is handled in a turn of the event loop, so that other connections get theirs', async (t) => {
  const { handled, untilHandled, port } = await startServer(t, { maxHandledPerConnection: 50 });
  const socket = await open(t, port);
  socket.write(get('/').repeat(50));
  await untilHandled(1);
  assert.ok(handled.length < 3);
  for (let before = handled.length; before < 50; before = handled.length) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(handled.length <= before + 1, `${handled.length - before} in one turn`);
  }
  assert.equal(handled.length, 50);
});

test('Of what a connection sends no more is parsed than a few replies are waited for, and all of it in time', async (t) => {
  const { handled, untilHandled, port, connections } = await startServer(t, { maxPipelined: 1_000 });
  const socket = await open(t, port);
  const count = 1_000;
  socket.write(get('/').repeat(count));
  await untilHandled(3);
  const server = handled[0]?.request.socket;
  // What Node does after each request that it parses.
  server?.resume();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(handled.length, 3);
  assert.ok(connections.pipelined < 100, `${connections.pipelined} were parsed`);
  for (let index = 0; index < count; index++) {
    await untilHandled(index + 1);
    handled[index]?.response.end(`<${index}>`);
  }
  while (!socket.text().endsWith(`<${count - 1}>`)) await once(socket, 'data');
  assert.equal(connections.pipelined, 0);
});

test('Once connections keep too many bytes waiting to be parsed, one that adds to them is closed, and what it had is counted off', async (t) => {
  const { handled, untilHandled, port, connections } = await startServer(t, { maxHeldBytes: 50_000 });
  const first = await open(t, port);
  first.write(get('/').repeat(1_000));
  await untilHandled(3);
  const second = await open(t, port);
  second.write(get('/').repeat(2_000));
  await Promise.race([once(first, 'close'), once(second, 'close')]);
  const third = await open(t, port);
  third.write(get('/third'));
  for (let count = 1; !urlsOf(handled).includes('/third'); count++) await untilHandled(count);
  assert.equal(connections.takeClosed()?.pipelined, 1);
});

/** Waits until a server has received so many bytes of a request's connection that it did not parse. */
async function untilHeld(t: TestContext, request: IncomingMessage | undefined, bytes: number): Promise<void> {
  while ((request?.socket.readableLength ?? bytes) < bytes) {
    t.signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const timeout = 20_000;

test('Requests of a peer that leaves a reply unread are not parsed, and answered in their order once it reads', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.pause();
  socket.write(get('/1'));
  await untilHandled(1);
  // More than the operating system takes on loopback.
  handled[0]?.response.end(Buffer.alloc(64_000_000));
  for (const [index, path] of ['/2', '/3', '/4'].entries()) {
    socket.write(get(path));
    await untilHeld(t, handled[0]?.request, get(path).length * (index + 1));
  }
  assert.equal(handled.length, 1);
  socket.resume();
  for (const index of [1, 2, 3]) {
    await untilHandled(index + 1);
    handled[index]?.response.end(`<${index}>`);
  }
  while (!socket.text().endsWith('<3>')) await once(socket, 'data');
  assert.deepEqual(urlsOf(handled), ['/1', '/2', '/3', '/4']);
});

test('Requests behind a large reply that waits for an earlier one are not parsed until that is answered', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.write(get('/1'));
  await untilHandled(1);
  socket.write(get('/2'));
  await untilHandled(2);
  handled[1]?.response.end('2'.repeat(100_000));
  for (const [index, path] of ['/3', '/4'].entries()) {
    socket.write(get(path));
    await untilHeld(t, handled[0]?.request, get(path).length * (index + 1));
  }
  assert.equal(handled.length, 2);
  handled[0]?.response.end('<1>');
  await untilHandled(4);
  for (const index of [2, 3]) handled[index]?.response.end(`<${index + 1}>`);
  while (!socket.text().endsWith('<4>')) await once(socket, 'data');
  assert.deepEqual(socket.text().match(/<\d>|2{100000}/g), ['<1>', '2'.repeat(100_000), '<3>', '<4>']);
});
