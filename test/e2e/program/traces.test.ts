import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { alice, batchBody, linkBody, memoBody, usdc } from '../../../packages/server/test/http/sample-bodies.ts';
import { postgresOfThisFile } from '../../../packages/server/test/store/databases.ts';
import type { ReceivedSpan } from '../../setup/otlp-receiver.ts';
import { postgresPassword } from '../../setup/postgres.ts';
import { startRedis } from '../../setup/redis.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { land } from '../idempotency/keyed-client.ts';
import { nodeSecret, startTracedService } from './traced-service.ts';

const path = '/v1/transfers';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

const namesOf = (spans: readonly ReceivedSpan[]): readonly string[] => spans.map(({ name }) => name).sort();

/** Each span but the first is a child of the first, a client's, and within its time. */
function assertChildren([request, ...calls]: readonly ReceivedSpan[]): void {
  assert.ok(request);
  for (const call of calls) {
    assert.deepEqual([call.parentSpanId, call.kind], [request.spanId, 'CLIENT'], call.name);
    assert.ok(request.startNanos <= call.startNanos && call.startNanos <= call.endNanos, call.name);
    assert.ok(call.endNanos <= request.endNanos, call.name);
  }
}

describe('a traced request', () => {
  it('to build a transfer has a span, and each of its calls a span below it', async (t) => {
    // On a busy machine a blockhash may be older than usual when it arrives: it would be asked for again.
    const environment = { BLOCKHASH_MAX_AGE_MS: '20000' };
    const { post, traceOf, service, collector } = await startTracedService(t, environment);
    const response = await post(path, memoBody, { 'x-request-id': 'mine-1' });
    assert.equal(response.status, 200);
    const spans = await traceOf(`POST ${path}`);
    assert.deepEqual(namesOf(spans.slice(1)), ['SELECT api_keys', 'getLatestBlockhash', 'getMultipleAccounts']);
    assertChildren(spans);
    const [request] = spans;
    assert.deepEqual(request?.attributes, {
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'http.route': path,
      'http.response.status_code': '200',
      'splwright.request_id': 'mine-1',
    });
    assert.deepEqual([request.parentSpanId, request.isError, request.links], ['', false, []]);
    assert.deepEqual(spans.find(({ name }) => name === 'getMultipleAccounts')?.attributes, {
      'rpc.system': 'jsonrpc',
      'rpc.method': 'getMultipleAccounts',
      'peer.service': 'upstream_1',
    });
    assert.deepEqual(spans.find(({ name }) => name === 'SELECT api_keys')?.attributes, {
      'db.system.name': 'sqlite',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'api_keys',
    });
    const { resource } = request;
    assert.deepEqual([resource['service.name'], resource['service.version']], ['splwright', '0.0.0-test']);
    assert.deepEqual(collector.exports.map((received) => [received.path, received.headers['content-type']])[0], [
      '/v1/traces',
      'application/x-protobuf',
    ]);
    const line = JSON.parse(service.log.find((text) => text.includes('mine-1')) ?? '');
    assert.deepEqual([line.trace_id, line.span_id, line.trace_flags], [request.traceId, request.spanId, '01']);
  });

  it('that is refused says why, which is no error of the service', async (t) => {
    const { post, traceOf } = await startTracedService(t);
    assert.equal((await post(path, { ...memoBody, to_address: usdc })).status, 422);
    const [request, ...calls] = await traceOf(`POST ${path}`);
    assert.equal(request?.attributes['splwright.problem'], 'recipient_is_mint');
    assert.deepEqual([request.attributes['http.response.status_code'], request.isError], ['422', false]);
    assert.ok(namesOf(calls).includes('getMultipleAccounts'));
    assert.equal((await post('/v1/transfers/batch', {}, { authorization: 'Bearer none' })).status, 401);
    const refused = await traceOf('POST /v1/transfers/batch');
    assert.equal(refused.length, 1, 'nothing was called for it');
    assert.equal(refused[0]?.attributes['splwright.problem'], 'api_key_invalid');
  });

  it('whose node fails is an error, and so is each attempt', async (t) => {
    const { post, traceOf, sandbox, service } = await startTracedService(t, { BLOCKHASH_MAX_AGE_MS: '0' });
    await sandbox.close();
    assert.equal((await post(path, memoBody)).status, 503);
    const [request, ...calls] = await traceOf(`POST ${path}`);
    assert.deepEqual([request?.isError, request?.attributes['error.type']], [true, 'upstream_unavailable']);
    const attempts = calls.filter(({ name }) => name === 'getMultipleAccounts');
    assert.ok(attempts.length > 1);
    for (const attempt of attempts) {
      assert.deepEqual([attempt.isError, attempt.attributes['error.type']], [true, 'connection']);
    }
    const logged = service.log.filter((line) => line.includes('"refused"')).map((line) => JSON.parse(line));
    assert.deepEqual(
      logged.map((line) => line.trace_id),
      [request?.traceId],
    );
  });

  it('with an Idempotency-Key shows what it stores, and a retry that it is one', async (t) => {
    const { post, traceOf } = await startTracedService(t);
    const headers = { 'idempotency-key': 'order-7' };
    assert.equal((await post(path, memoBody, headers)).status, 200);
    const first = await traceOf(`POST ${path}`);
    assert.deepEqual(
      namesOf(first).filter((name) => name.includes('idempotent')),
      [
        'INSERT idempotent_messages',
        'INSERT idempotent_requests',
        'SELECT idempotent_bytes',
        'UPDATE idempotent_requests',
      ],
    );
    assertChildren(first);
    assert.equal((await post(path, memoBody, { ...headers, traceparent: `00-${traceId}-${parentId}-01` })).status, 200);
    const retry = await traceOf(`POST ${path}`);
    assert.deepEqual([retry[0]?.traceId, retry[0]?.attributes['splwright.replay']], [traceId, true]);
    assert.ok(namesOf(retry).includes('SELECT idempotent_requests'));
    assert.ok(!namesOf(retry).includes('INSERT idempotent_messages'), 'nothing was built');
  });

  it('for many recipients is one request with its calls', async (t) => {
    const { post, traceOf } = await startTracedService(t);
    assert.equal((await post('/v1/transfers/batch', batchBody)).status, 200);
    const spans = await traceOf('POST /v1/transfers/batch');
    assert.ok(namesOf(spans).includes('getMultipleAccounts'));
    assertChildren(spans);
  });

  it('that looks whether a payment link is paid shows what the node was asked', async (t) => {
    const { post, collector, sandbox, service } = await startTracedService(t, { PAY_RATE_LIMIT_PER_MINUTE: '0' });
    const made = await post('/v1/payment-links', { ...linkBody, message: 'Two cups' });
    const { data } = (await made.json()) as { data: { id: string } };
    const built = await fetch(`${service.url}/pay/${data.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: alice, type: 'transaction' }),
    });
    const { transaction } = (await built.json()) as { transaction: string };
    await land(sandbox, transaction);
    await readUntil(
      async () => (await fetch(`${service.url}/pay/${data.id}/state`)).text(),
      (text) => text.includes('"state":"paid"'),
    );
    const request = await collector.until((spans) => {
      const read = spans.find(({ name }) => name === 'getTransaction');
      return read && spans.find(({ spanId }) => spanId === read.parentSpanId);
    });
    assert.equal(request.name, 'GET /pay/:id/state');
    const calls = collector.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    for (const name of ['SELECT payment_links', 'getSignaturesForAddress', 'INSERT link_payments']) {
      assert.ok(namesOf(calls).includes(name), `${name}: ${namesOf(calls)}`);
    }
    assertChildren([request, ...calls]);
  });
});

describe('a trace that a caller began', () => {
  it('is continued, with its state', async (t) => {
    const { post, traceOf } = await startTracedService(t);
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=a1,other=b2' };
    assert.equal((await post(path, memoBody, headers)).status, 200);
    const [request, ...calls] = await traceOf(`POST ${path}`);
    assert.deepEqual([request?.traceId, request?.parentSpanId], [traceId, parentId]);
    for (const span of [request, ...calls]) assert.equal(span?.traceState, 'vendor=a1,other=b2');
    assert.ok(calls.length > 0);
  });

  it('and does not sample is named in the log and sent nowhere', async (t) => {
    const { post, traceOf, service, collector } = await startTracedService(t);
    const headers = { traceparent: `00-${traceId}-${parentId}-00`, 'x-request-id': 'unsampled' };
    assert.equal((await post(path, memoBody, headers)).status, 200);
    assert.equal((await post('/v1/transfers/batch', batchBody)).status, 200);
    await traceOf('POST /v1/transfers/batch');
    assert.deepEqual(
      collector.spans.filter((span) => span.traceId === traceId),
      [],
    );
    const line = JSON.parse(service.log.find((text) => text.includes('unsampled')) ?? '');
    assert.deepEqual([line.trace_id, line.trace_flags], [traceId, '00']);
  });

  it('is ignored when its header is not valid', async (t) => {
    const { post, traceOf } = await startTracedService(t);
    for (const traceparent of [
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `ff-${traceId}-${parentId}-01`,
      `00-${traceId}-${parentId}-01-more`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
    ]) {
      assert.equal((await post(path, memoBody, { traceparent })).status, 200);
      const [request] = await traceOf(`POST ${path}`);
      assert.notEqual(request?.traceId, traceId, traceparent);
      assert.equal(request?.parentSpanId, '', traceparent);
    }
  });

  it('goes no further: nodes are not told of it', async (t) => {
    const seen: IncomingHttpHeaders[] = [];
    const node = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(503).end();
    }).listen(0, '127.0.0.1');
    await once(node, 'listening');
    t.after(() => node.close());
    const { port } = node.address() as AddressInfo;
    const { post, traceOf } = await startTracedService(t, { SOLANA_RPC_URLS: `http://127.0.0.1:${port}` });
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=a1' };
    assert.equal((await post(path, memoBody, headers)).status, 503);
    await traceOf(`POST ${path}`);
    assert.ok(seen.length > 0);
    for (const sent of seen) assert.deepEqual([sent.traceparent, sent.tracestate], [undefined, undefined]);
  });
});

describe('a call that several requests share', () => {
  it('is one span, of one of them, linked with the others, as they are with it', async (t) => {
    const { post, collector } = await startTracedService(t);
    const count = 12;
    const answers = await Promise.all(Array.from({ length: count }, () => post(path, memoBody)));
    for (const { status } of answers) assert.equal(status, 200);
    const requests = await collector.until((spans) => {
      const found = spans.filter(({ kind }) => kind === 'SERVER');
      return found.length === count ? found : undefined;
    });
    const calls = collector.spans.filter(({ name }) => name === 'getMultipleAccounts');
    const owners = new Map(calls.map((call) => [call.spanId, call.parentSpanId]));
    for (const request of requests) {
      const own = calls.filter(({ parentSpanId }) => parentSpanId === request.spanId);
      const shared = calls.filter(({ links }) => links.some(({ spanId }) => spanId === request.spanId));
      assert.equal(own.length + shared.length, 1, 'each request waited for one call');
      const back = request.links.filter(({ spanId }) => owners.has(spanId));
      assert.deepEqual(
        back.map(({ spanId }) => spanId),
        shared.map(({ spanId }) => spanId),
      );
    }
    assert.ok(calls.length < count, `${calls.length} calls`);
  });

  it('belongs to a request that is sampled when there is one', async (t) => {
    const { post, traceOf, collector } = await startTracedService(t);
    const unsampled = { traceparent: `00-${'a'.repeat(32)}-${parentId}-00` };
    const sampled = { traceparent: `00-${traceId}-${parentId}-01` };
    await Promise.all([unsampled, unsampled, sampled].map((headers) => post(path, memoBody, headers)));
    await traceOf(`POST ${path}`);
    for (const span of collector.spans) assert.equal(span.traceId, traceId);
  });
});

describe('the database and Redis of a traced request', () => {
  it('have spans, on PostgreSQL too, without a value', async (t) => {
    const redis = await startRedis(t);
    const databaseUrl = await (await postgresOfThisFile()).createDatabase();
    const { post, traceOf, apiKey, collector, service } = await startTracedService(t, {
      REDIS_URL: redis.url,
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_PER_MINUTE: '600',
    });
    const memo = 'MEMO-SECRET-5b2e';
    const headers = { 'idempotency-key': 'IDEMPOTENCY-SECRET-77', tracestate: `vendor=${apiKey}` };
    const traceparent = `00-${traceId}-${parentId}-01`;
    assert.equal((await post(path, { ...memoBody, memo }, { ...headers, traceparent })).status, 200);
    const spans = await traceOf(`POST ${path}`);
    assertChildren(spans);
    for (const name of ['SELECT api_keys', 'INSERT idempotent_requests', 'UPDATE idempotent_requests']) {
      const span = spans.find((each) => each.name === name);
      assert.equal(span?.attributes['db.system.name'], 'postgresql', name);
    }
    const counts = spans.filter(({ name }) => name === 'EVALSHA');
    assert.deepEqual(
      counts.map(({ attributes }) => attributes),
      [{ 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' }],
    );
    assert.equal((await post(`${path}?key=${apiKey}`, { ...memoBody, memo: 7 })).status, 400);
    await traceOf(`POST ${path}`);
    const bytes = Buffer.concat(collector.exports.map((received) => received.bytes)).toString('latin1');
    const secrets = [apiKey, memo, alice, nodeSecret, redis.password, postgresPassword, 'IDEMPOTENCY-SECRET'];
    for (const secret of [...secrets, encodeURIComponent(postgresPassword), new URL(service.url).port]) {
      assert.ok(!bytes.includes(secret), `${secret} was sent`);
    }
  });
});
