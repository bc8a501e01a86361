import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoBody } from '../../../packages/server/test/app/sample-bodies.ts';
import type { ReceivedSpan } from '../../setup/otlp-receiver.ts';
import { startTracedService } from './traced-service.ts';

const path = '/v1/transfers';

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
});
