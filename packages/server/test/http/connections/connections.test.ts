import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionBound, type ConnectionLimits, Connections } from '../../../src/http/connections/connections.ts';

/** A server whose requests the test answers itself, with a clock that the test sets. */
async function startServer(t: TestContext, limits: Partial<ConnectionLimits> = {}) {
  const clock = { now: 0 };
  const closed: ConnectionBound[] = [];
  const connections = new Connections(
    { maxConnections: 100, maxWaitingBytes: 1_000_000, maxReadingMs: 1_000, ...limits },
    () => clock.now,
    (bound) => closed.push(bound),
  );
  const sockets: Socket[] = [];
  const handled: { request: IncomingMessage; response: ServerResponse }[] = [];
  let changed = Promise.withResolvers<void>();
  const server = createServer().on('connection', (socket: Socket) => sockets.push(socket));
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
  return { connections, clock, closed, handled, untilHandled, port, sockets };
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
  const count = 1_000;
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
  for (const length of [1, 2, 3, 5, 17, 100, 1_000, 100_000]) {
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

test('Chunks of one byte are parsed in short turns, also those that come with the head', { timeout }, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  const count = 10_000;
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}`);
  await untilHandled(1);
  socket.write('0\r\n\r\n');
  const { request } = handled[0] ?? assert.fail();
  let [received, thisTurn, most, isEnded] = [0, 0, 0, false];
  request.on('data', ({ length }) => {
    received += length;
    thisTurn += length;
    most = Math.max(most, thisTurn);
  });
  request.on('end', () => {
    isEnded = true;
  });
  await until(t, () => {
    thisTurn = 0;
    return isEnded;
  });
  assert.equal(received, count);
  assert.ok(most <= 400, `${most} chunks in one turn`);
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

test('A body that arrives in pieces leaves its connection open', { timeout }, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx');
  await untilHandled(1);
  const { request, response } = handled[0] ?? assert.fail();
  socket.write('y');
  await request.toArray();
  response.end();
  socket.write(get('/next'));
  await untilHandled(2);
  assert.doesNotMatch(socket.text(), /connection: close/i);
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

const junk = 'x'.repeat(200_000);
const endings = {
  'was refused for bytes that are not HTTP': `garbage\r\n\r\n${junk}`,
  'was refused in the middle of a body': `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${junk}`,
  'has sent its last request': `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${junk}`,
  'will be refused once a reply is read': `${get('/')}garbage\r\n\r\n${junk}`,
};
for (const [what, bytes] of Object.entries(endings)) {
  test(`What a peer sends after it ${what} is read and thrown away at once`, { timeout }, async (t) => {
    const { handled, port, connections, closed, sockets } = await startServer(t);
    const socket = await open(t, port);
    socket.write(bytes);
    if (what.startsWith('will')) {
      await until(t, () => handled.length === 1);
      handled[0]?.response.end('reply');
    }
    await until(t, () => sockets[0]?.bytesRead === bytes.length);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(connections.waitingBytes, 0);
    assert.deepEqual(closed, []);
  });
}

test('The rest of a body that was answered before it arrived is thrown away, also while the peer does not read', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port, connections, sockets } = await startServer(t);
  const socket = await open(t, port);
  socket.pause();
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n';
  socket.write(head);
  await untilHandled(1);
  const [first] = handled;
  // Less waits in the service than makes Node stop to parse.
  while (first?.request.socket.writableLength === 0) first.response.write(Buffer.alloc(10_000));
  first?.response.end();
  for (let count = 0; count < 50; count++) socket.write(junk);
  await until(t, () => {
    connections.closeUnread();
    return sockets[0]?.bytesRead === head.length + 50 * junk.length;
  });
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

test('Of all connections that pipeline one request is handled in a turn of the event loop, so that the rest get theirs', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const padded = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(200)}\r\n\r\n`;
  const peers = 20;
  for (let peer = 0; peer < peers; peer++) (await open(t, port)).write(padded.repeat(3));
  await untilHandled(peers);
  for (const { response } of handled.slice(0, peers)) response.end();
  for (let before = handled.length; before < 2 * peers; before = handled.length) {
    t.signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(handled.length <= before + 1, `${handled.length - before} in one turn`);
  }
});

/** Waits until a server has received so many bytes of a request's connection that it did not parse. */
async function untilHeld(t: TestContext, request: IncomingMessage | undefined, bytes: number): Promise<void> {
  while ((request?.socket.readableLength ?? bytes) < bytes) {
    t.signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (const [what, head, rest] of [
  ['blank lines', '', '\r\n'.repeat(30_000)],
  [
    'chunks of one byte',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\nx\r\n'.repeat(10_000),
  ],
] as const) {
  test(`Of ${what}, which cost more than they weigh, a few are parsed in a turn of the event loop`, {
    timeout,
  }, async (t) => {
    const { handled, port, connections, sockets } = await startServer(t);
    const socket = await open(t, port);
    socket.write(head + rest + get('/last'));
    await until(t, () => connections.waitingBytes > 40_000);
    for (let before = connections.waitingBytes; before > 0; before = connections.waitingBytes) {
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(before - connections.waitingBytes <= 4_096, `${before - connections.waitingBytes} bytes in one turn`);
      if (head !== '' && sockets[0]?.bytesRead === head.length + rest.length + get('/last').length) break;
    }
    assert.ok(handled.length <= 1);
  });
}

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

test('Requests of a peer that leaves a reply unread are not parsed, and answered in their order once it reads', {
  timeout,
}, async (t) => {
  const { handled, untilHandled, port } = await startServer(t);
  const socket = await open(t, port);
  socket.pause();
  socket.write(get('/1'));
  await untilHandled(1);
  // More than the operating system takes on loopback.
  handled[0]?.response.end(Buffer.alloc(16_000_000));
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
