import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { BlockList, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificates, trustAuthority } from '../../../../test/setup/certificates.ts';
import { type Names, startNameServer } from '../../../../test/setup/name-server.ts';
import { waitUntil } from '../../../../test/setup/wait-until.ts';
import { startWebhookReceiver } from '../../../../test/setup/webhook-receiver.ts';
import { lookUpBy, type Network, publicInternet } from '../../src/webhooks/connect.ts';
import { sendWebhook } from '../../src/webhooks/send-webhook.ts';

const refused = 'its address is not on the public internet';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('an address that is not on the public internet', () => {
  const hosts = [
    ...['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1', '127.0.0.1.', '0.0.0.0', '0'],
    ...[
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
    ],
    ...[
      '[64:ff9b:1::7f00:1]',
      '[2002:7f00:1::]',
      '[2001:0:7f00:1::]',
      '[fe80::1]',
      '[fd00::1]',
      '[ff02::1]',
      '[100::1]',
    ],
    ...['[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[fec0::1]', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]'],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '169.254.169.254', '0xa9fea9fe'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.0.8', '198.18.0.1', '192.0.2.1', '203.0.113.1'],
  ];
  for (const host of hosts) {
    it(`is refused as ${host}, with and without TLS`, async (t) => {
      const port = await portThatCounts(t);
      for (const scheme of ['http', 'https']) {
        assert.equal(
          await errorOf(`${scheme}://${host}:${port.number}/`, { ...publicInternet, requiresTls: false }),
          refused,
        );
      }
      assert.equal(port.connections, 0);
    });
  }

  for (const host of [
    '8.8.8.8',
    '[::ffff:8.8.8.8]',
    '1.1.1.1',
    '223.255.255.255',
    '[2606:4700::1111]',
    '[2a00::1]',
    '172.32.0.1',
    '100.128.0.1',
    '192.1.0.1',
  ]) {
    it(`is not ${host}`, () => {
      const address = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
      assert.equal(publicInternet.blockList?.check(address, address.includes(':') ? 'ipv6' : 'ipv4'), false);
    });
  }

  it('is refused behind a name, also one of several and with a dot at its end', async (t) => {
    const names = {
      'intern.test': ['10.0.0.1'],
      localhost: ['127.0.0.1', '::1'],
      'two.test': ['10.0.0.1', '127.0.0.1'],
    };
    const network = await networkOf(t, (name) => Object.entries(names).find(([each]) => each === name)?.[1] ?? []);
    const port = await portThatCounts(t);
    for (const name of ['intern.test', 'intern.test.', 'localhost', 'localhost.', 'LOCALHOST', 'two.test']) {
      for (const scheme of ['http', 'https']) {
        assert.equal(await errorOf(`${scheme}://${name}:${port.number}/`, network), refused, name);
      }
    }
    assert.equal(await errorOf(`http://nowhere.test:${port.number}/`, network), 'ENODATA');
    assert.equal(port.connections, 0);
  });
});

describe('a name', () => {
  // As if 127.0.0.1 were on the public internet, and 127.0.0.2 behind the service.
  const blockList = new BlockList();
  blockList.addAddress('127.0.0.2');

  it('that leads elsewhere from one moment to the next is checked as what is connected to', async (t) => {
    const receiver = await startWebhookReceiver(t);
    let questions = 0;
    const network = await networkOf(t, () => [`127.0.0.${++questions > 2 ? 2 : 1}`], blockList);
    const url = receiver.url.replace('127.0.0.1', 'shop.test');
    assert.equal((await send(url, network))?.status, 204);
    assert.equal(await errorOf(url, network), refused);
    assert.equal(receiver.received.length, 1);
    // IPv4 and IPv6 of each attempt: nothing looks it up a second time.
    assert.equal(questions, 4);
  });

  it('of two addresses leads to none that is behind the service, when the other one does not answer', async (t) => {
    const port = await portThatCounts(t);
    const behind = new BlockList();
    behind.addAddress('127.0.0.1');
    const network = await networkOf(t, () => ['127.0.0.3', '127.0.0.1'], behind);
    assert.notEqual(await errorOf(`http://shop.test:${port.number}/`, network), null);
    assert.equal(port.connections, 0);
  });

  it('is looked up by the name servers that the system has at the moment', async (t) => {
    const resolvers: unknown[] = [];
    for (const method of ['resolve4', 'resolve6'] as const) {
      t.mock.method(Resolver.prototype, method, async function (this: unknown) {
        resolvers.push(this);
        return [method === 'resolve4' ? '127.0.0.1' : '::1'];
      });
    }
    for (let attempt = 0; attempt < 2; attempt++)
      assert.equal(await errorOf('https://shop.test/', publicInternet), refused);
    assert.equal(new Set(resolvers).size, 2);
  });

  it('whose name server is silent about one family is looked up by the other one', async (t) => {
    const receiver = await startWebhookReceiver(t);
    const silent = () => new Promise<never>(() => undefined);
    const url = receiver.url.replace('127.0.0.1', 'shop.test');
    for (const names of [
      { resolve4: async () => ['127.0.0.1'], resolve6: silent },
      { resolve4: silent, resolve6: async () => ['::ffff:127.0.0.1'] },
    ]) {
      assert.equal((await send(url, { lookup: lookUpBy(names) }))?.status, 204);
    }
  });

  it('whose name server does not answer holds back no other look-up', async (t) => {
    const receiver = await startWebhookReceiver(t);
    const network = await networkOf(t, (name) => (name === 'shop.test' ? ['127.0.0.1'] : undefined), blockList);
    const hanging = Array.from({ length: 80 }, (_, index) => send(`http://hangs${index}.test/`, network));
    const attempt = await send(receiver.url.replace('127.0.0.1', 'shop.test'), network);
    assert.equal(attempt?.status, 204);
    assert.ok((attempt?.milliseconds ?? Infinity) < 1_000, `${attempt?.milliseconds} ms`);
    assert.ok((await Promise.all(hanging)).every((each) => each?.error === 'ETIMEOUT'));
  });
});

describe('a delivery', () => {
  it('follows no redirect', async (t) => {
    const behind = await startWebhookReceiver(t);
    for (const status of [301, 302, 303, 307, 308]) {
      const server = createHttpServer((_, response) => response.writeHead(status, { location: behind.url }).end());
      const url = await listen(t, server);
      assert.deepEqual(await resultOf(url, {}), [status, null]);
    }
    assert.deepEqual(behind.received, []);
  });

  it('goes by TLS to the host whose certificate is trusted, and to no other', async (t) => {
    const certificates = makeCertificates(t);
    const { cert, key } = certificates.server;
    let received = '';
    const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => {
      socket.on('data', (data) => {
        received += data;
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
      socket.on('error', () => undefined);
    });
    const url = (await listen(t, server)).replace('http:', 'https:').replace('127.0.0.1', 'hook.limits.test');
    const network = await networkOf(t, () => ['127.0.0.1'], new BlockList());
    assert.deepEqual(await resultOf(url, network), [null, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
    trustAuthority(t, certificates.ca);
    assert.deepEqual(await resultOf(url.replace('hook.limits.test', 'other.test'), network), [
      null,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ]);
    assert.equal(received, '');
    assert.deepEqual(await resultOf(url, network), [204, null]);
    assert.match(received, /^POST \/hook\?a=1 HTTP\/1\.1\r\nhost: hook\.limits\.test:/i);
  });

  it('goes nowhere without TLS on a real network, to whose database an endpoint of a sandbox belongs', async (t) => {
    const port = await portThatCounts(t);
    const network = { ...publicInternet, ...(await networkOf(t, () => ['127.0.0.1'], new BlockList())) };
    assert.equal(await errorOf(`http://shop.test:${port.number}/`, network), 'its URL does not begin with https://');
    assert.equal(port.connections, 0);
  });

  it('is not sent when it is not wanted any more once the connection is there', async (t) => {
    const receiver = await startWebhookReceiver(t);
    const socket = await portThatCounts(t);
    const request = { url: `http://127.0.0.1:${socket.number}/`, eventId: 'evt_1', body: '{}' };
    const options = { network: {}, now: () => Date.now() };
    assert.equal(await sendWebhook(request, { ...options, readSecrets: async () => undefined }), undefined);
    await waitUntil(() => socket.last().destroyed);
    assert.deepEqual([socket.connections, socket.bytes], [1, 0]);
    assert.deepEqual(receiver.received, []);
  });

  const answers: Readonly<
    Record<string, { answer: (socket: Socket) => void; result: [number | null, string | null] }>
  > = {
    'never answers': { answer: () => undefined, result: [null, 'it took longer than 10 seconds'] },
    'closes at once': { answer: (socket) => socket.destroy(), result: [null, 'UND_ERR_SOCKET'] },
    'answers what is not HTTP': {
      answer: (socket) => socket.end('hello\r\n\r\n'),
      result: [null, 'the connection failed'],
    },
    'sends its headers drop by drop': {
      answer: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x'),
      result: [null, 'it took longer than 10 seconds'],
    },
    'sends headers without end': {
      answer: (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'x-header: y\r\n'.repeat(1_000)),
      result: [null, 'UND_ERR_HEADERS_OVERFLOW'],
    },
    'says to go on without end': {
      answer: (socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n'),
      result: [null, 'it took longer than 10 seconds'],
    },
    'changes the protocol': {
      answer: (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'),
      result: [null, 'UND_ERR_SOCKET'],
    },
    'sends a body without end': {
      answer: (socket) => pour(socket, `${head}\r\n`, '1000\r\n'.padEnd(4_102, 'x').concat('\r\n')),
      result: [200, null],
    },
    'sends a body drop by drop': { answer: (socket) => drip(socket, `${head}\r\n`, '1\r\nx\r\n'), result: [200, null] },
    'announces a body that it does not send': {
      answer: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n'),
      result: [200, null],
    },
    'refuses with a page': {
      answer: (socket) => socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy'),
      result: [503, null],
    },
  };
  for (const [what, { answer, result }] of Object.entries(answers)) {
    it(`ends in time, and takes little, when its receiver ${what}`, async (t) => {
      shortenTimeouts(t);
      const port = await portThatCounts(t, answer);
      assert.deepEqual(await resultOf(`http://127.0.0.1:${port.number}/`, {}), result);
      await waitUntil(() => port.last().destroyed);
      assert.equal(port.connections, 1);
      assert.ok(port.last().bytesWritten < 8_000_000, `${port.last().bytesWritten} bytes`);
    });
  }

  it('ends when its receiver closes the connection before anything is sent', async (t) => {
    shortenTimeouts(t);
    const server = createServer((socket) => void socket.end());
    const url = await listen(t, server);
    const readSecrets = async () => {
      // A turn for each end of the connection, so that this one has read that it is closed.
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      return [secret];
    };
    const attempt = await sendWebhook(
      { url, eventId: 'evt_1', body: '{}' },
      { network: {}, readSecrets, now: () => Date.now() },
    );
    assert.equal(attempt?.error, 'the connection failed');
  });

  it('ends in time also when a look-up, or the beginning of TLS, does not end', async (t) => {
    shortenTimeouts(t);
    const port = await portThatCounts(t);
    const late = [null, 'it took longer than 10 seconds'];
    assert.deepEqual(await resultOf(`http://shop.test:${port.number}/`, { lookup: () => undefined }), late);
    assert.deepEqual(await resultOf(`https://127.0.0.1:${port.number}/`, {}), late);
    await waitUntil(() => port.last().destroyed);
  });

  it('goes through no proxy of the environment', async (t) => {
    const receiver = await startWebhookReceiver(t);
    const proxy = await portThatCounts(t);
    const url = `http://127.0.0.1:${proxy.number}`;
    const program = `
      import { sendWebhook } from ${JSON.stringify(new URL('../../src/webhooks/send-webhook.ts', import.meta.url))};
      const request = { url: ${JSON.stringify(receiver.url)}, eventId: 'evt_1', body: '{}' };
      const { status } = await sendWebhook(request, { network: {}, readSecrets: async () => [${JSON.stringify(secret)}], now: Date.now });
      console.log(status);`;
    const env = { PATH: process.env.PATH, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.equal((await text(child.stdout)).trim(), '204');
    assert.equal(proxy.connections, 0);
  });
});

/** As if 10 seconds were less than one. */
function shortenTimeouts(t: TestContext): void {
  const { timeout } = AbortSignal;
  t.mock.method(AbortSignal, 'timeout', (ms: number) => timeout.call(AbortSignal, ms / 20));
}

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';

function send(url: string, network: Network) {
  return sendWebhook(
    { url, eventId: 'evt_1', body: '{}' },
    { network, readSecrets: async () => [secret], now: () => Date.now() },
  );
}

async function resultOf(url: string, network: Network) {
  const attempt = await send(url, network);
  return [attempt?.status ?? null, attempt?.error ?? null];
}

async function errorOf(url: string, network: Network) {
  return (await send(url, network))?.error;
}

async function networkOf(t: TestContext, names: Names, blockList = publicInternet.blockList): Promise<Network> {
  return { ...(blockList && { blockList }), lookup: lookUpBy(await startNameServer(t, names)) };
}

async function listen(t: TestContext, server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook?a=1`;
}

/** A port that counts what connects to it and what it is sent, and answers the first bytes of each connection. */
async function portThatCounts(t: TestContext, answer: (socket: Socket) => void = () => undefined) {
  const sockets: Socket[] = [];
  let bytes = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).once('data', () => answer(socket));
    socket.on('data', (data) => {
      bytes += data.length;
    });
  });
  const { port } = new URL(await listen(t, server));
  t.after(() => sockets.forEach((socket) => void socket.destroy()));
  return {
    number: Number(port),
    get connections() {
      return sockets.length;
    },
    get bytes() {
      return bytes;
    },
    last(): Socket {
      const socket = sockets.at(-1);
      assert.ok(socket);
      return socket;
    },
  };
}

/** Sends something, and then a little again and again until the peer has enough. */
function drip(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(more), 10);
  socket.once('close', () => clearInterval(timer));
}

/** The same as fast as the peer reads. */
function pour(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const fill = (): void => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on('drain', fill);
  fill();
}
