import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { type ChainObserver, silentObserver } from '../../src/chain/chain-observer.ts';
import type { QueryReport } from '../../src/store/sql/query-reports.ts';
import { CallSpans } from '../../src/traces/call-spans.ts';
import { runFor, type TracedRequest, workTracer } from '../../src/traces/traced-request.ts';
import { sampledRequest, startRecording, unsampledRequest } from './recorded-spans.ts';

const query: QueryReport = {
  database: 'postgresql',
  operation: 'SELECT',
  table: 'api_keys',
  durationMs: 1,
  isFailed: false,
};

function start() {
  const { tracer, spans } = startRecording();
  return { tracer, spans, calls: new CallSpans(tracer) };
}

const nanosOf = ([seconds, nanos]: ReadableSpan['startTime']): bigint =>
  BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
const idOf = ({ span }: TracedRequest): string => span.spanContext().spanId;
const linksOf = (span: ReadableSpan | undefined) => span?.links.map(({ context }) => context.spanId);
const endOf = ({ span }: TracedRequest, spans: readonly ReadableSpan[]): ReadableSpan | undefined => {
  span.end();
  return spans.at(-1);
};

/** Work on behalf of all these requests. */
function shareAmong([first, ...others]: readonly TracedRequest[]) {
  assert.ok(first);
  const work = runFor(first, () => workTracer.share());
  for (const other of others) runFor(other, () => work.join());
  return work;
}

describe('the span of an attempt to call a node', () => {
  it('is a client call below its request, named by its method and its node, and ends now', () => {
    const { tracer, spans, calls } = start();
    const request = sampledRequest(tracer);
    const observer = calls.observing(silentObserver);
    const before = request.timeOf(performance.now());
    runFor(request, () => observer.attempted('upstream_2', 'getAccountInfo', undefined, 250));
    const after = request.timeOf(performance.now());
    const [span, ...more] = spans;
    assert.ok(span);
    assert.deepEqual(more, []);
    assert.deepEqual([span.name, span.kind], ['getAccountInfo', SpanKind.CLIENT]);
    assert.deepEqual(span.attributes, {
      'rpc.system': 'jsonrpc',
      'rpc.method': 'getAccountInfo',
      'peer.service': 'upstream_2',
    });
    assert.equal(span.parentSpanContext?.spanId, idOf(request));
    assert.deepEqual([span.status.code, span.links], [SpanStatusCode.UNSET, []]);
    assert.ok(nanosOf(before) <= nanosOf(span.endTime) && nanosOf(span.endTime) <= nanosOf(after));
    // Of two times that are each cut to nanoseconds, which doubles of this size have not.
    const durationMs = Number(nanosOf(span.endTime) - nanosOf(span.startTime)) / 1_000_000;
    assert.ok(Math.abs(durationMs - 250) < 0.01, `${durationMs} ms`);
  });

  it('that failed is an error, with its fault', () => {
    const { tracer, spans, calls } = start();
    const request = sampledRequest(tracer);
    const observer = calls.observing(silentObserver);
    runFor(request, () => observer.attempted('upstream_1', 'getSlot', 'timeout', 1));
    assert.equal(spans[0]?.status.code, SpanStatusCode.ERROR);
    assert.equal(spans[0]?.attributes['error.type'], 'timeout');
  });

  it('does not keep the observer from hearing of it, and of everything else', () => {
    const { calls } = start();
    const heard: unknown[] = [];
    const hear =
      (name: string) =>
      (...given: readonly unknown[]): void =>
        void heard.push([name, ...given]);
    const inner: ChainObserver = {
      attempted: hear('attempted'),
      hedged: hear('hedged'),
      usageChanged: hear('usageChanged'),
      disagreed: hear('disagreed'),
      batchSent: hear('batchSent'),
    };
    const observer = calls.observing(inner);
    observer.attempted('upstream_1', 'getSlot', 'timeout', 5);
    observer.hedged('upstream_1');
    observer.usageChanged('upstream_2', undefined);
    observer.disagreed(true);
    observer.batchSent(3, 9);
    assert.deepEqual(heard, [
      ['attempted', 'upstream_1', 'getSlot', 'timeout', 5],
      ['hedged', 'upstream_1'],
      ['usageChanged', 'upstream_2', undefined],
      ['disagreed', true],
      ['batchSent', 3, 9],
    ]);
  });
});

describe('the span of a statement', () => {
  it('is named by its kind and its table', () => {
    const { tracer, spans, calls } = start();
    runFor(sampledRequest(tracer), () => calls.noteQuery(query));
    assert.deepEqual([spans[0]?.name, spans[0]?.kind], ['SELECT api_keys', SpanKind.CLIENT]);
    assert.deepEqual(spans[0]?.attributes, {
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'api_keys',
    });
    assert.equal(spans[0]?.status.code, SpanStatusCode.UNSET);
  });

  it('without a table is named by its kind alone, and one that failed is an error', () => {
    const { tracer, spans, calls } = start();
    const failed: QueryReport = { ...query, database: 'sqlite', operation: 'BEGIN', table: undefined, isFailed: true };
    runFor(sampledRequest(tracer), () => calls.noteQuery(failed));
    assert.equal(spans[0]?.name, 'BEGIN');
    assert.deepEqual(spans[0]?.attributes, {
      'db.system.name': 'sqlite',
      'db.operation.name': 'BEGIN',
      'error.type': 'failed',
    });
    assert.equal(spans[0]?.status.code, SpanStatusCode.ERROR);
  });
});

describe('the span of a count in Redis', () => {
  for (const isFailed of [false, true]) {
    it(isFailed ? 'that failed is an error' : 'is named by what is done', () => {
      const { tracer, spans, calls } = start();
      runFor(sampledRequest(tracer), () => calls.noteCount(1, isFailed));
      assert.equal(spans[0]?.name, 'EVALSHA');
      assert.deepEqual(spans[0]?.attributes, {
        'db.system.name': 'redis',
        'db.operation.name': 'EVALSHA',
        ...(isFailed && { 'error.type': 'failed' }),
      });
      assert.equal(spans[0]?.status.code, isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
    });
  }
});

describe('a call', () => {
  it('that is made for no request has no span', () => {
    const { spans, calls } = start();
    calls.noteQuery(query);
    assert.deepEqual(spans, []);
  });

  it('that is made for a request that is answered, or not sampled, has no span', () => {
    const { tracer, spans, calls } = start();
    const answered = sampledRequest(tracer);
    answered.span.end();
    for (const request of [answered, unsampledRequest(tracer)]) runFor(request, () => calls.noteQuery(query));
    assert.deepEqual(spans, [answered.span]);
  });

  it('that requests share is of the first that is sampled, and linked with the other sampled ones as they are with it', () => {
    const { tracer, spans, calls } = start();
    const [first, second, third] = [sampledRequest(tracer), sampledRequest(tracer), sampledRequest(tracer)];
    const work = shareAmong([unsampledRequest(tracer), first, unsampledRequest(tracer), second, third]);
    work.run(() => calls.noteCount(1, false));
    const [call] = spans;
    assert.ok(call);
    assert.equal(call.parentSpanContext?.spanId, idOf(first));
    assert.deepEqual(linksOf(call), [idOf(second), idOf(third)]);
    assert.deepEqual(linksOf(endOf(first, spans)), []);
    for (const other of [second, third]) {
      assert.deepEqual(linksOf(endOf(other, spans)), [call.spanContext().spanId]);
    }
  });

  it('that very many share is linked with 128 of them', () => {
    const { tracer, spans, calls } = start();
    const requests = Array.from({ length: 131 }, () => sampledRequest(tracer));
    shareAmong(requests).run(() => calls.noteCount(1, false));
    assert.deepEqual(linksOf(spans[0]), requests.slice(1, 129).map(idOf));
    const [linked, notLinked] = requests.slice(128, 130);
    assert.ok(linked && notLinked);
    assert.equal(linksOf(endOf(linked, spans))?.length, 1);
    assert.equal(linksOf(endOf(notLinked, spans))?.length, 0);
  });
});
