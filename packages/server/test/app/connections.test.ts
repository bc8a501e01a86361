import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionBound, type ConnectionLimits, Connections } from '../../src/app/connections.ts';

/** A server whose requests the test answers itself, with a clock that the test sets. */
async function startServer(t: TestContext, limits: Partial<ConnectionLimits> = {}) {
  const clock = { now: 0 };
  const closed: ConnectionBound[] = [];
  const connections = new Connections(
    { maxConnections: 100, maxWaitingBytes: 1_000_000, maxReadingMs: 1_000, ...limits },
    () => clock.now,
    (bound) => closed.push(bound),
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
  return { connections, clock, closed, handled, untilHandled, port };
}

type Server = Awaited<ReturnType<typeof startServer>>;

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

/** Waits for what a server does in a later turn of its event loop. */
async function until(t: TestContext, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    t.signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const timeout = 20_000;

test('Of one connection one request is handled at a time, and the others wait unparsed', { timeout }, async (t) => {
  const { handled, untilHandled, port, connections } = await startServer(t);
  const socket = await open(t, port);
  const count = 400;
  const padding = `X-Padding: ${'x'.repeat(100)}\r\n`;
  const request = (index: number): string => `GET /${index} HTTP/1.1\r\nHost: x\r\n${padding}\r\n`;
  const bytes = Array.from({ length: count }, (_, index) => request(index)).join('');
  socket.write(bytes);
  for (let index = 0; index < count; index++) {
    await untilHandled(index + 1);
    if (index < 5) {
      // What Node does after each request that it parses.
      handled[index]?.request.socket.resume();
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(connections.waitingBytes > 40_000, `${connections.waitingBytes} bytes wait`);
    }
    assert.equal(handled.length, index + 1);
    assert.equal(handled[index]?.request.url, `/${index}`);
    handled[index]?.response.end(`<${index}>`);
  }
  while (!socket.text().endsWith(`<${count - 1}>`)) await once(socket, 'data');
  assert.equal(connections.waitingBytes, 0);
});

test('Pipelined requests with bodies of every kind, in pieces of every length, are answered in order', {
  timeout,
}, async (t) => {
  const bodies = ['', 'x', '\r\n\r\n', 'y'.repeat(1_000), '\r\n\r\nGET / HTTP/1.1\r\n\r\n'.repeat(20)];
  const requests = bodies.flatMap((body, index) => [
    `POST /${index} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    get(`/${index}`),
    `POST /${index} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `${body && `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`,
  ]);
  const expected = bodies.flatMap((body, index) => [
    `/${index} ${body.length}`,
    `/${index} 0`,
    `/${index} ${body.length}`,
  ]);
  for (const length of [1, 17, 1_000, 100_000]) {
    const { handled, untilHandled, port } = await startServer(t);
    const socket = await open(t, port);
    socket.setNoDelay(true);
    const all = requests.join('');
    const sending = (async () => {
      for (let start = 0; start < all.length; start += length) {
        socket.write(all.slice(start, start + length));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const answered: string[] = [];
    for (const [index] of expected.entries()) {
      await untilHandled(index + 1);
      const { request, response } = handled[index] ?? {};
      const body = await request?.setEncoding('latin1').toArray();
      assert.equal(handled.length, index + 1);
      answered.push(`${request?.url} ${body?.join('').length}`);
      response?.end(`<${index}>`);
    }
    assert.deepEqual(answered, expected);
    while (!socket.text().endsWith(`<${expected.length - 1}>`)) await once(socket, 'data');
    await sending;
  }
});

test('A reply before the body has arrived is the last, is read whole, and what comes after it is not parsed', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port, connections, clock } = await startServer(t);
  const socket = await open(t, port);
  const piece = `fff\r\n${'x'.repeat(0xfff)}\r\n`;
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${piece}`);
  await untilHandled(1);
  const { request, response } = handled[0] ?? assert.fail();
  response.end('refused');
  while (!socket.text().endsWith('refused')) {
    socket.write(piece);
    await once(socket, 'data');
  }
  assert.match(socket.text(), /connection: close/i);
  const read = request.socket.bytesRead;
  socket.write(`0\r\n\r\n${get('/next')}`);
  await until(t, () => request.socket.bytesRead > read);
  assert.deepEqual([handled.length, connections.waitingBytes, request.complete], [1, 0, false]);
  connections.closeUnread();
  clock.now = 1_000;
  connections.closeUnread();
  assert.equal(request.socket.destroyed, true, 'one that stays is closed in time');
});

const [pieceBytes, refusedBytes] = [2 ** 16, 2 ** 21];

/** Opens connections that are each refused a request, and then send its body. */
async function sendRefused(t: TestContext, count: number, { handled, untilHandled, port }: Server): Promise<void> {
  const peers = await Promise.all(Array.from({ length: count }, () => open(t, port)));
  for (const peer of peers) peer.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${refusedBytes}\r\n\r\n`);
  await untilHandled(count);
  for (const { response } of handled) response.end('refused');
  await until(t, () => peers.every((peer) => peer.text().endsWith('refused')));
  for (const peer of peers) peer.write('x'.repeat(refusedBytes));
}

test('What follows a refusal is read to its end, one piece every other millisecond over all connections', {
  timeout,
}, async (t) => {
  const server = await startServer(t);
  const startedAt = performance.now();
  await sendRefused(t, 2, server);
  const bytesRead = (): number => server.handled.reduce((sum, { request }) => sum + request.socket.bytesRead, 0);
  await until(t, () => {
    // Each also has the piece before the first pause, and up to two that are kept. Timers may be early by a part of a millisecond.
    const pieces = 2 * 3 + (performance.now() - startedAt) / 1.5;
    assert.ok(bytesRead() <= pieces * pieceBytes, `${bytesRead()} bytes are at most ${pieces} pieces`);
    return bytesRead() >= 2 * refusedBytes;
  });
});

test('Where more would be kept of what follows refusals than the bound, the connection that waits longest is closed', {
  timeout,
}, async (t) => {
  const server = await startServer(t, { maxWaitingBytes: 2 * pieceBytes });
  await sendRefused(t, 3, server);
  await until(t, () => server.closed.length > 0);
  assert.deepEqual(server.closed, ['waiting_bytes']);
  assert.equal(server.handled.filter(({ request }) => request.socket.destroyed).length, 1);
});

test('At the bound on what waits over all connections the one with the most is closed, not the one that adds', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port, closed, connections } = await startServer(t, { maxWaitingBytes: 100_000 });
  const modest = await open(t, port);
  modest.write(get('/modest').repeat(20));
  await untilHandled(1);
  const greedy = await open(t, port);
  greedy.write(get('/greedy').repeat(2_500));
  await until(t, () => connections.waitingBytes > 60_000);
  const last = await open(t, port);
  last.write(get('/last').repeat(2_000));
  await once(greedy, 'close');
  assert.deepEqual(closed, ['waiting_bytes']);
  for (let index = 0; urlsOf(handled).filter((url) => url === '/modest').length < 20; index++) {
    await untilHandled(index + 1);
    handled[index]?.response.end();
  }
  assert.ok(connections.waitingBytes < 100_000);
});

test('A peer that does not read its reply in time is closed, and one whose reply is not ready is not', async (t) => {
  const { handled, untilHandled, port, clock, closed, connections } = await startServer(t);
  const reader = await open(t, port);
  reader.write(get('/slow'));
  await untilHandled(1);
  const deaf = await open(t, port);
  deaf.pause();
  deaf.write(get('/large'));
  await untilHandled(2);
  const [slow, large] = handled;
  // More than the operating system takes on loopback.
  large?.response.end(Buffer.alloc(16_000_000));
  connections.closeUnread();
  clock.now = 999;
  connections.closeUnread();
  assert.equal(large?.request.socket.destroyed, false);
  clock.now = 1_000;
  connections.closeUnread();
  assert.equal(large?.request.socket.destroyed, true);
  assert.equal(slow?.request.socket.destroyed, false);
  assert.deepEqual(closed, ['unread_reply']);
});

test('Bytes that are not HTTP are refused after the replies to the requests before them', async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.write(`${get('/1')}${get('/2')}garbage\r\n\r\n`);
  for (const index of [0, 1]) {
    await untilHandled(index + 1);
    handled[index]?.response.end(`reply ${index}`);
  }
  await once(socket, 'end');
  assert.match(socket.text(), /reply 0[\s\S]*reply 1[\s\S]*error$/);
});

test('A body that is not HTTP is answered in the place of its own request', async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  const post = 'POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  socket.write(`${get('/1')}${post}zz\r\n`);
  await untilHandled(1);
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
  for (const index of [0, 1]) {
    await untilHandled(index + 1);
    handled[index]?.response.end('answer');
  }
  await once(socket, 'end');
  assert.equal(text.match(/answer/g)?.length, 2);
});

test('More connections than the bound are closed, and counted', async (t) => {
  const { port, closed } = await startServer(t, { maxConnections: 2 });
  await open(t, port);
  await open(t, port);
  const third = await open(t, port);
  await once(third, 'close');
  assert.deepEqual(closed, ['max_connections']);
});

test('What follows a request that asks for an upgrade is not parsed, since Node loses its place in it', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  const inner = get('/inner');
  socket.write(
    'GET /1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n' +
      `POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
  );
  await untilHandled(1);
  handled[0]?.response.end('first');
  await once(socket, 'close');
  assert.match(socket.text(), /Connection: close[\s\S]*first$/);
  assert.deepEqual(urlsOf(handled), ['/1']);
});
