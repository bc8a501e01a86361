import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { runFor, runningRequests, TracedRequest, workTracer } from '../../src/traces/traced-request.ts';
import { callerTraceId, sampledRequest, startRecording, unsampledRequest } from './recorded-spans.ts';

const running = (): readonly TracedRequest[] => [...runningRequests()];

describe('a traced request', () => {
  it('starts its span now, by the wall clock, with its options and below its parent', (t) => {
    t.mock.method(Date, 'now', () => 1_700_000_000_250);
    t.mock.method(performance, 'now', () => 1_000.5);
    const { tracer, spans } = startRecording();
    const parent = tracer.startSpan('caller');
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    const request = new TracedRequest(tracer, 'GET /x', { kind: SpanKind.SERVER, attributes: { a: 1 } }, context);
    request.span.end(request.timeOf(1_000.5));
    const [span] = spans;
    assert.deepEqual([span?.name, span?.kind, span?.attributes], ['GET /x', SpanKind.SERVER, { a: 1 }]);
    assert.equal(span?.parentSpanContext?.spanId, parent.spanContext().spanId);
    assert.deepEqual(
      [span?.startTime, span?.duration],
      [
        [1_700_000_000, 250_000_000],
        [0, 0],
      ],
    );
  });

  it('tells times by one offset between the two clocks, to the nanosecond, also when the wall clock is set', (t) => {
    t.mock.method(performance, 'now', () => 1_000.5);
    const clock = t.mock.method(Date, 'now', () => 1_700_000_000_250);
    const request = sampledRequest(startRecording().tracer);
    clock.mock.mockImplementation(() => 5);
    assert.deepEqual(request.timeOf(1_000.5), [1_700_000_000, 250_000_000]);
    assert.deepEqual(request.timeOf(2_750.75), [1_700_000_002, 250_000]);
    assert.deepEqual(request.timeOf(0.5), [1_699_999_999, 250_000_000]);
  });

  it('is the parent of the spans that start in its context', () => {
    const { tracer, spans } = startRecording();
    const request = sampledRequest(tracer);
    tracer.startSpan('call', {}, request.context).end();
    assert.equal(spans[0]?.parentSpanContext?.spanId, request.span.spanContext().spanId);
    assert.equal(request.context, request.context);
  });

  it('is named in log lines by its trace, its span and its flags, sampled or not', () => {
    const { tracer } = startRecording();
    const sampled = sampledRequest(tracer);
    const { traceId, spanId } = sampled.span.spanContext();
    assert.deepEqual(sampled.fields, { trace_id: traceId, span_id: spanId, trace_flags: '01' });
    assert.equal(sampled.fields, sampled.fields);
    const unsampled = unsampledRequest(tracer);
    assert.deepEqual([unsampled.fields.trace_id, unsampled.fields.trace_flags], [callerTraceId, '00']);
  });

  it('has flags of two hexadecimal digits', () => {
    for (const [traceFlags, text] of [
      [3, '03'],
      [0x1f, '1f'],
    ] as const) {
      const span = trace.wrapSpanContext({ traceId: callerTraceId, spanId: '00f067aa0ba902b7', traceFlags });
      const tracer: Pick<Tracer, 'startSpan'> = { startSpan: () => span };
      assert.equal(sampledRequest(tracer as Tracer).fields.trace_flags, text);
    }
  });
});

describe('code', () => {
  it('runs for no request unless it is told so', () => {
    assert.deepEqual(running(), []);
  });

  it('runs for the request it was started for, and so does what it starts', async () => {
    const request = sampledRequest(startRecording().tracer);
    const seen = await runFor(request, async () => {
      const now = running();
      await nextTurn();
      return [now, running()];
    });
    assert.deepEqual(seen, [[request], [request]]);
    assert.deepEqual(running(), []);
  });
});

describe('work that requests share', () => {
  it('is done for the one that began it and all that joined, also for one that joins while it is under way', async () => {
    const { tracer } = startRecording();
    const [first, second, late, stranger] = ['first', 'second', 'late', 'stranger'].map((name) =>
      sampledRequest(tracer, name),
    );
    assert.ok(first && second && late && stranger);
    const work = runFor(first, () => workTracer.share());
    runFor(second, () => work.join());
    runFor(second, () => work.join());
    const result = runFor(stranger, () =>
      work.run(async () => {
        const before = running();
        await nextTurn();
        return [before, running()];
      }),
    );
    runFor(late, () => work.join());
    assert.deepEqual(await result, [
      [first, second],
      [first, second, late],
    ]);
  });

  it('that no request began is done for those that join', () => {
    const request = sampledRequest(startRecording().tracer);
    const work = workTracer.share();
    work.join();
    assert.deepEqual(work.run(running), []);
    runFor(request, () => work.join());
    assert.deepEqual(work.run(running), [request]);
  });

  it('and that shares other work brings all its requests along', () => {
    const { tracer } = startRecording();
    const [first, second] = [sampledRequest(tracer), sampledRequest(tracer)];
    const outer = runFor(first, () => workTracer.share());
    runFor(second, () => outer.join());
    const begun = outer.run(() => workTracer.share());
    assert.deepEqual(begun.run(running), [first, second]);
    const joined = workTracer.share();
    outer.run(() => joined.join());
    assert.deepEqual(joined.run(running), [first, second]);
  });
});

describe('a bound action', () => {
  it('runs for the requests for which it was bound, whoever calls it, with what it is given', () => {
    const { tracer } = startRecording();
    const [owner, caller] = [sampledRequest(tracer), sampledRequest(tracer)];
    const action = (...given: readonly unknown[]) => ({ given, requests: running() });
    const bound = runFor(owner, () => workTracer.bind(action));
    assert.deepEqual(bound(1, 'two'), { given: [1, 'two'], requests: [owner] });
    assert.deepEqual(
      runFor(caller, () => bound()),
      { given: [], requests: [owner] },
    );
    const shared = runFor(owner, () => workTracer.share());
    runFor(caller, () => shared.join());
    const boundToBoth = shared.run(() => workTracer.bind(action));
    assert.deepEqual(boundToBoth().requests, [owner, caller]);
  });

  it('is itself where no request runs', () => {
    const action = () => running();
    assert.equal(workTracer.bind(action), action);
  });
});
