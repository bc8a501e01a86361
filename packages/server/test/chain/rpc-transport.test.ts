import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  type Behaviour,
  drip,
  type FakeUpstream,
  resetMidBody,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
  upstreamSecret,
} from '../../../../test/setup/fake-upstream.ts';
import { readU64 } from '../../src/chain/json-values.ts';
import { type RpcRequest, RpcTransport } from '../../src/chain/rpc-transport.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { isAppError, type ProblemCode } from '../../src/problems.ts';

const never = Number.POSITIVE_INFINITY;
const getHealth: RpcRequest<unknown> = {
  method: 'getHealth',
  params: [],
  read: (result) => result,
  maxAnswerBytes: 8_388_608,
};

async function connectTo(t: TestContext, behaviour: Behaviour, timeoutMs = 5000) {
  const upstream = await startFakeUpstream(t, behaviour);
  const transport = new RpcTransport({ url: upstream.url, timeoutMs });
  t.after(() => transport.close());
  return { upstream, transport, call: (remaining = never) => transport.call(getHealth, remaining) };
}

async function assertRefused(call: Promise<unknown>, code: ProblemCode, detail: RegExp): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(isAppError(error, code), String(error));
    assert.match(error.message, detail);
    assert.equal(error.retryAfterSeconds, code === 'upstream_unavailable' ? 1 : undefined);
    return true;
  });
}

const faults: readonly [name: string, behaviour: Behaviour, code: ProblemCode, detail: RegExp][] = [
  ['HTTP 429', text('{}', 429), 'upstream_unavailable', /HTTP 429/],
  ['HTTP 502', text('<html>', 502), 'upstream_unavailable', /HTTP 502/],
  ['HTTP 503', text('{}', 503), 'upstream_unavailable', /HTTP 503/],
  ['HTTP 504', text('', 504), 'upstream_unavailable', /HTTP 504/],
  ['HTTP 500 with HTML', text('<html>', 500), 'upstream_error', /HTTP 500 with something that is not JSON/],
  ['HTTP 302', text('', 302), 'upstream_error', /HTTP 302/],
  ['HTML', text('<!doctype html>'), 'upstream_error', /not JSON/],
  ['nothing', text(''), 'upstream_error', /not JSON/],
  ['truncated JSON', text('{"jsonrpc":"2.0","id":$id,"result":{"con'), 'upstream_error', /not JSON/],
  ['null', text('null'), 'upstream_error', /not the answer to this request/],
  ['a batch', text('[{"jsonrpc":"2.0","id":$id,"result":"ok"}]'), 'upstream_error', /not the answer to this request/],
  [
    'the answer to another request',
    text('{"id":99,"result":"ok"}'),
    'upstream_error',
    /not the answer to this request/,
  ],
  ['an id as text', text('{"id":"$id","result":"ok"}'), 'upstream_error', /not the answer to this request/],
  ['no result', text('{"id":$id}'), 'upstream_error', /without a result/],
  ['a result with HTTP 500', text('{"id":$id,"result":"ok"}', 500), 'upstream_error', /HTTP 500 without a result/],
  ['an error that is a text', text('{"id":$id,"error":"no"}'), 'upstream_error', /without a result/],
  ['an error without a code', text('{"id":$id,"error":{"message":"no"}}'), 'upstream_error', /has no code/],
  ['a broken connection', (_call, response) => response.destroy(), 'upstream_unavailable', /the connection failed/],
  ['half an answer', resetMidBody, 'upstream_unavailable', /the connection failed/],
];

test('An upstream that answers with', async (t) => {
  const { upstream, call } = await connectTo(t, silence);
  for (const [name, behaviour, code, detail] of faults) {
    await t.test(`${name} is refused as ${code}`, async () => {
      upstream.behaviour = behaviour;
      await assertRefused(call(), code, detail);
    });
  }
  const tooMuch = `{"id":$id,"result":"${'x'.repeat(8 * 1024 * 1024)}"}`;
  const tooLarge: readonly [name: string, behaviour: Behaviour][] = [
    ['says that it sends', text(tooMuch)],
    ['sends without saying so', (_call, response) => response.write(tooMuch)],
  ];
  for (const [name, behaviour] of tooLarge) {
    await t.test(`more than 8 MiB, which it ${name}, is refused as upstream_error`, async () => {
      upstream.behaviour = behaviour;
      await assertRefused(call(), 'upstream_error', /larger than 8388608 bytes/);
    });
  }
  await t.test('a valid answer after all of these is read', async () => {
    upstream.behaviour = resultOf(() => 'ok');
    assert.equal(await call(), 'ok');
  });
});

test('An upstream that cannot be reached is refused as upstream_unavailable', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const transport = new RpcTransport({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000 });
  await assertRefused(transport.call(getHealth, never), 'upstream_unavailable', /the connection failed/);
  await transport.close();
});

test('An upstream that is too slow is refused as upstream_timeout', async (t) => {
  for (const [name, behaviour] of [
    ['never answers', silence],
    ['drips bytes', drip],
  ] as const) {
    await t.test(`when it ${name}, after the time of one attempt`, async (t2) => {
      const { call } = await connectTo(t2, behaviour, 100);
      await assertRefused(call(), 'upstream_timeout', /did not answer in time/);
    });
    await t.test(`when it ${name}, as soon as the request has waited long enough`, async (t2) => {
      const { call } = await connectTo(t2, behaviour, 60_000);
      await assertRefused(call(100), 'upstream_timeout', /did not answer in time/);
    });
  }
});

test('Integers past 2^53 arrive exact where they are read', async (t) => {
  const { upstream, transport } = await connectTo(t, silence);
  const readAt = (index: number): Promise<unknown> => {
    const read = (result: unknown): bigint => readU64(Array.isArray(result) ? result[index] : undefined, 'the number');
    return transport.call({ ...getHealth, read }, never);
  };
  upstream.behaviour = text(
    '{"id":$id,"result":[5,9007199254740993,18446744073709551615,18446744073709551616,1e30,-9007199254740993]}',
  );
  assert.equal(await readAt(0), 5n);
  assert.equal(await readAt(1), 9007199254740993n);
  assert.equal(await readAt(2), 18446744073709551615n);
  for (const index of [3, 4, 5]) {
    await assertRefused(readAt(index), 'upstream_error', /the number is not an unsigned integer/);
  }
});

test('The credentials and the query of the URL are sent to the node', async (t) => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    response.end('{"id":1,"result":"ok"}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const transport = new RpcTransport({
    url: `http://us%40er:p%3Aw@127.0.0.1:${port}/v2/key?a=b`,
    timeoutMs: 5000,
  });
  await transport.call(getHealth, never);
  await transport.close();
  assert.deepEqual(seen, [['/v2/key?a=b', `Basic ${Buffer.from('us@er:p:w').toString('base64')}`]]);
});

test('No error holds an encoded part of the URL, in any form, or its host', async (t) => {
  const { upstream } = await connectTo(t, silence);
  const { port } = new URL(upstream.url);
  upstream.behaviour = rpcError(-32000, 'at 127.0.0.1: pass%40word is pass@word, key+long1 is odd');
  const transport = new RpcTransport({
    url: `http://u:pass%40word@127.0.0.1:${port}/?k=key+long1`,
    timeoutMs: 5000,
  });
  await assert.rejects(transport.call(getHealth, never), (error) => {
    assert.ok(error instanceof UpstreamFault);
    assert.deepEqual(error.cause, { code: -32000, message: 'at …: … is …, … is odd' });
    return true;
  });
  await transport.close();
});

test('No error holds a secret of the URL, even when the node quotes it', async (t) => {
  const { upstream, call } = await connectTo(
    t,
    rpcError(-32000, `bad key ${upstreamSecret} in /?api-key=${upstreamSecret}`),
  );
  await assert.rejects(call(), (error) => {
    assert.ok(error instanceof UpstreamFault);
    assert.deepEqual(error.cause, { code: -32000, message: 'bad key … in /?api-key=…' });
    return true;
  });
  const pages: FakeUpstream['behaviour'][] = [
    text(upstreamSecret),
    text(`"${upstreamSecret}"`),
    text('', 429),
    resetMidBody,
  ];
  for (const behaviour of pages) {
    upstream.behaviour = behaviour;
    await assert.rejects(call(), (error) => {
      for (let cause = error; cause instanceof Error; cause = cause.cause) {
        assert.doesNotMatch(`${cause.message} ${cause.stack} ${JSON.stringify(cause)}`, new RegExp(upstreamSecret));
      }
      return true;
    });
  }
});
