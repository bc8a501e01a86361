import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { fastify } from 'fastify';
import { type OtlpReceiver, startOtlpReceiver } from '../../../../test/setup/otlp-receiver.ts';
import { runFor } from '../../src/traces/traced-request.ts';
import { Traces, type TracesOptions } from '../../src/traces/traces.ts';
import { callerTraceId, sampledRequest, startRecording } from './recorded-spans.ts';

const never = 600_000;

/** Traces of a server, and a collector that they go to. */
async function start(t: TestContext, changes: Partial<TracesOptions> = {}) {
  const collector = await startOtlpReceiver(t);
  const reports: unknown[] = [];
  const traces = new Traces({
    url: `${collector.url}/v1/traces`,
    serviceName: undefined,
    version: '1.2.3',
    sampler: 'always_on',
    ratio: 1,
    scheduleDelayMs: never,
    maxQueueSize: 100,
    maxBatchSize: 50,
    onLoss: (reason) => reports.push(reason),
    onRecovery: (lostSpans) => reports.push(lostSpans),
    ...changes,
  });
  const app = fastify();
  traces.watch(app);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('isReplay', false);
  const logged: object[] = [];
  app.get('/x', async () => {
    logged.push(traces.logFields());
    traces.calls.noteCount(1, false);
    return {};
  });
  t.after(() => app.close());
  const get = (headers: Record<string, string> = {}) => app.inject({ method: 'GET', url: '/x', headers });
  return { traces, collector, reports, logged, get };
}

/** Lets a collector take what it is sent without an answer; what is returned answers all of it, and what follows. */
function holdAnswers(collector: OtlpReceiver): () => void {
  const held: ServerResponse[] = [];
  const { answer } = collector;
  collector.answer = (response) => void held.push(response);
  return () => {
    collector.answer = answer;
    for (const response of held) answer(response);
  };
}

/** Sets a variable of this process until the test ends. */
function setVariable(t: TestContext, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

describe('traces', () => {
  it('are sent to the collector when the service stops, requests and their calls', async (t) => {
    const { traces, collector, get } = await start(t);
    await get();
    assert.equal(collector.spans.length, 0);
    await traces.close();
    assert.deepEqual(
      collector.exports.map(({ path }) => path),
      ['/v1/traces'],
    );
    const [call, request] = collector.spans;
    assert.deepEqual([call?.name, request?.name], ['EVALSHA', 'GET /x']);
    assert.equal(call?.parentSpanId, request?.spanId);
  });

  it('are sent without a stop once their time has come', async (t) => {
    const { traces, collector, get } = await start(t, { scheduleDelayMs: 1 });
    await get();
    await collector.until((spans) => (spans.length === 2 ? true : undefined));
    await traces.close();
  });

  it('are sent in batches of the size that is set', async (t) => {
    const { traces, collector, get } = await start(t, { maxBatchSize: 3 });
    for (let count = 0; count < 4; count += 1) await get();
    await traces.close();
    const sizes = collector.exports.map(({ spans }) => spans.length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      8,
    );
    assert.equal(Math.max(...sizes), 3);
  });

  it('wait in a queue of the size that is set, and more are dropped', async (t) => {
    const { traces, collector, get } = await start(t, { maxQueueSize: 5, maxBatchSize: 5 });
    const answerAll = holdAnswers(collector);
    for (let count = 0; count < 20; count += 1) await get();
    await traces.close();
    answerAll();
    await traces.close();
    assert.ok(collector.spans.length <= 10, `${collector.spans.length} spans`);
  });

  it('say what the collector does not take', async (t) => {
    const { traces, collector, reports, get } = await start(t);
    collector.answer = (response) => void response.writeHead(400).end();
    await get();
    await traces.close();
    assert.deepEqual(reports, ['HTTP 400']);
  });

  it('do not hold up a stop when the collector never answers', async (t) => {
    setVariable(t, 'OTEL_EXPORTER_OTLP_TIMEOUT', '120000');
    const { traces, collector, get } = await start(t);
    const answerAll = holdAnswers(collector);
    await get();
    const startedAt = performance.now();
    await traces.close();
    assert.ok(performance.now() - startedAt < 60_000);
    assert.equal(collector.spans.length, 2);
    answerAll();
    await traces.close();
  });

  it('leave no timer behind when they are closed', async (t) => {
    const { traces, get } = await start(t);
    await get();
    const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    await traces.close();
    assert.ok(timers() <= before, `${timers()} timers, ${before} before`);
  });

  for (const [name, variable, expected] of [
    [undefined, undefined, 'splwright'],
    [undefined, 'service.name=tea-house', 'tea-house'],
    ['payments', 'service.name=tea-house', 'payments'],
  ] as const) {
    it(`name the service ${expected}`, async (t) => {
      setVariable(t, 'OTEL_RESOURCE_ATTRIBUTES', variable ?? 'team=a%20b');
      const { traces, collector, get } = await start(t, { serviceName: name });
      await get();
      await traces.close();
      const { resource } = collector.spans[0] ?? {};
      assert.deepEqual([resource?.['service.name'], resource?.['service.version']], [expected, '1.2.3']);
      if (variable === undefined) assert.equal(resource?.team, 'a b');
      assert.equal(String(resource?.['process.pid']), String(process.pid));
      assert.match(String(resource?.['service.instance.id']), /^[0-9a-f-]{36}$/);
      assert.equal(resource?.['telemetry.sdk.language'], 'nodejs');
    });
  }
});

describe('a sampler', () => {
  // For a request without a caller's trace, with a sampled one, with an unsampled one.
  for (const [sampler, ratio, none, sampled, unsampled] of [
    ['always_on', 0, true, true, true],
    ['always_off', 1, false, false, false],
    ['traceidratio', 1, true, true, true],
    ['traceidratio', 0, false, false, false],
    ['parentbased_always_on', 0, true, true, false],
    ['parentbased_always_off', 1, false, true, false],
    ['parentbased_traceidratio', 1, true, true, false],
    ['parentbased_traceidratio', 0, false, true, false],
  ] as const) {
    it(`${sampler} with ratio ${ratio} decides as OpenTelemetry says`, async (t) => {
      const { traces, collector, get } = await start(t, { sampler, ratio });
      await get();
      for (const flags of ['01', '00']) await get({ traceparent: `00-${callerTraceId}-00f067aa0ba902b7-${flags}` });
      await traces.close();
      const sent = collector.spans.filter(({ name }) => name === 'GET /x');
      assert.equal(sent.length, [none, sampled, unsampled].filter(Boolean).length);
      assert.equal(sent.filter(({ traceId }) => traceId !== callerTraceId).length, none ? 1 : 0);
    });
  }
});

describe('a log line', () => {
  it('of a request names its trace, sampled or not', async (t) => {
    const { traces, collector, logged, get } = await start(t, { sampler: 'parentbased_always_on' });
    await get({ traceparent: `00-${callerTraceId}-00f067aa0ba902b7-01` });
    await get({ traceparent: `00-${callerTraceId}-00f067aa0ba902b7-00` });
    await traces.close();
    const request = collector.spans.find(({ name }) => name === 'GET /x');
    const [first, second] = logged as Record<string, unknown>[];
    assert.deepEqual(first, { trace_id: callerTraceId, span_id: request?.spanId, trace_flags: '01' });
    assert.deepEqual([second?.trace_id, second?.trace_flags], [callerTraceId, '00']);
  });

  it('of work that requests share names the first of them', async (t) => {
    const { traces } = await start(t);
    const { tracer } = startRecording();
    const [first, second] = [sampledRequest(tracer), sampledRequest(tracer)];
    const work = runFor(first, () => traces.work.share());
    runFor(second, () => work.join());
    assert.deepEqual(
      work.run(() => traces.logFields()),
      first.fields,
    );
    await traces.close();
  });

  it('of no request names none', async (t) => {
    const { traces } = await start(t);
    assert.deepEqual(traces.logFields(), {});
    await traces.close();
  });
});
