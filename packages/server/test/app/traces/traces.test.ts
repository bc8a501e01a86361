import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { fastify } from 'fastify';
import { startOtlpReceiver } from '../../../../../test/setup/otlp-receiver.ts';
import { Traces, type TracesOptions } from '../../../src/app/traces/traces.ts';

const callerTraceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpanId = '00f067aa0ba902b7';
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
  app.get('/pay/:id', async () => {
    logged.push(traces.logFields());
    traces.calls.noteCount(1, false);
    return {};
  });
  t.after(() => app.close());
  const get = (headers: Record<string, string> = {}) =>
    app.inject({
      method: 'GET',
      url: '/pay/SECRET?key=SECRET',
      headers: { authorization: 'Bearer SECRET', ...headers },
    });
  return { traces, collector, reports, logged, get };
}

describe('traces', () => {
  it('are sent to the collector when the service stops, requests and their calls, without a secret of either', async (t) => {
    const { traces, collector, get } = await start(t);
    await get();
    assert.equal(collector.spans.length, 0);
    await traces.close();
    assert.deepEqual(
      collector.exports.map(({ path }) => path),
      ['/v1/traces'],
    );
    const [call, request] = collector.spans;
    assert.deepEqual([call?.name, request?.name], ['EVALSHA', 'GET /pay/:id']);
    assert.equal(call?.parentSpanId, request?.spanId);
    assert.equal(request?.resource['service.name'], 'splwright');
    assert.ok(!String(collector.exports.map(({ bytes }) => bytes)).includes('SECRET'));
  });

  it('are sampled as their caller says, and log lines name them either way', async (t) => {
    const { traces, collector, logged, get } = await start(t, { sampler: 'parentbased_always_on' });
    for (const flags of ['01', '00']) await get({ traceparent: `00-${callerTraceId}-${callerSpanId}-${flags}` });
    await traces.close();
    const requests = collector.spans.filter(({ name }) => name === 'GET /pay/:id');
    assert.deepEqual(
      requests.map(({ traceId }) => traceId),
      [callerTraceId],
    );
    const [first, second] = logged;
    assert.deepEqual(first, { trace_id: callerTraceId, span_id: requests[0]?.spanId, trace_flags: '01' });
    assert.deepEqual({ ...second, span_id: '' }, { trace_id: callerTraceId, span_id: '', trace_flags: '00' });
    assert.deepEqual(traces.logFields(), {}, 'where no request runs');
  });

  it('say what the collector does not take', async (t) => {
    const { traces, collector, reports, get } = await start(t);
    collector.answer = (response) => void response.writeHead(400).end();
    await get();
    await traces.close();
    assert.deepEqual(reports, ['HTTP 400']);
  });

  it('do not hold up a stop when the collector never answers', async (t) => {
    const { traces, collector, get } = await start(t);
    const held: ServerResponse[] = [];
    const { answer } = collector;
    collector.answer = (response) => void held.push(response);
    await get();
    await traces.close();
    assert.equal(collector.spans.length, 2);
    collector.answer = answer;
    for (const response of held) answer(response);
    await traces.close();
  });
});
