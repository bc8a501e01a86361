import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { memoBody } from '../../../packages/server/test/http/sample-bodies.ts';
import { freePort } from '../../setup/free-port.ts';
import { startOtlpReceiver } from '../../setup/otlp-receiver.ts';
import { assertEndsWell, startServer } from './cli-process.ts';

const path = '/v1/transfers';

async function post(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(memoBody) });
  await response.text();
  return response.status;
}

/** Asks so many times, in turn, and every time with success. */
async function postEach(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) assert.equal(await post(url), 200);
}

const serve = (t: TestContext, endpoint: string, environment: Record<string, string> = {}) =>
  startServer(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...environment,
  });

const linesOf = (output: string, text: string): readonly string[] =>
  output.split('\n').filter((line) => line.includes(text));

const lost = 'the collector does not take them';

describe('a collector', () => {
  it('that is away costs no request and one warning, and is used when it comes', async (t) => {
    const port = await freePort();
    const { server, url } = await serve(t, `http://127.0.0.1:${port}/SECRET-PATH`);
    await postEach(url, 1);
    await server.waitFor(/does not take them/);
    await postEach(url, 20);
    const collector = await startOtlpReceiver(t, port);
    const askUntilTaken = async (): Promise<void> => {
      while (collector.spans.length === 0) await postEach(url, 1);
    };
    await askUntilTaken();
    await server.waitFor(/takes them again/);
    const stdout = await assertEndsWell(server, 'SIGINT');
    const [warning, ...more] = linesOf(stdout, lost);
    assert.deepEqual(more, []);
    const { level, reason } = JSON.parse(warning ?? '');
    assert.deepEqual([level, reason], [40, 'ECONNREFUSED']);
    assert.ok(JSON.parse(linesOf(stdout, 'takes them again')[0] ?? '').lost_spans > 0);
    assert.doesNotMatch(stdout, /SECRET-PATH/);
    assert.equal(collector.exports[0]?.path, '/SECRET-PATH/v1/traces');
  });

  const faults: readonly [string, string, (response: ServerResponse) => void][] = [
    ['that answers 500', 'HTTP 500', (response) => void response.writeHead(500).end('SECRET-ANSWER')],
    ['that answers 503', 'unavailable', (response) => void response.writeHead(503).end()],
    ['that breaks every connection', 'ECONNRESET', (response) => void response.destroy()],
    ['that never answers', 'timeout', () => undefined],
  ];
  for (const [name, reason, answer] of faults) {
    it(`${name} costs no request, one warning, and a queue that is bounded`, async (t) => {
      const collector = await startOtlpReceiver(t);
      collector.answer = answer;
      const sizes = { OTEL_BSP_MAX_QUEUE_SIZE: '8', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4' };
      const { server, url } = await serve(t, collector.url, sizes);
      await postEach(url, 30);
      await server.waitFor(/does not take them/);
      await postEach(url, 30);
      const stdout = await assertEndsWell(server, 'SIGINT');
      const [warning, ...more] = linesOf(stdout, lost);
      assert.deepEqual(more, []);
      assert.equal(JSON.parse(warning ?? '').reason, reason);
      assert.doesNotMatch(stdout, /SECRET-ANSWER/);
      for (const { spans } of collector.exports) assert.ok(spans.length <= 4);
      const answered = linesOf(stdout, '"msg":"request"').map((line) => JSON.parse(line).status);
      assert.deepEqual(
        answered,
        answered.map(() => 200),
      );
      assert.equal(answered.length, 60);
    });
  }
});

describe('a service that stops', () => {
  it('sends the spans that wait, of each of its processes', async (t) => {
    const collector = await startOtlpReceiver(t);
    const { server, url } = await serve(t, collector.url, {
      WORKERS: '2',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_SERVICE_NAME: 'payments',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret%20of%20collector',
    });
    const count = 40;
    // Connections of their own: the system spreads them over the processes.
    await Promise.all(Array.from({ length: count }, () => post(url)));
    assert.deepEqual(collector.spans, []);
    server.kill('SIGTERM');
    assert.equal((await server.ended).status, 0);
    const requests = collector.spans.filter(({ name }) => name === `POST ${path}`);
    assert.equal(requests.length, count);
    const processes = new Set(requests.map(({ resource }) => resource['service.instance.id']));
    assert.equal(processes.size, 2);
    for (const { resource } of requests) {
      const { 'service.name': name, 'deployment.environment.name': environment, team } = resource;
      assert.deepEqual([name, environment, team], ['payments', 'test', 'a b']);
    }
    for (const { headers } of collector.exports) assert.equal(headers['api-key'], 'secret of collector');
  });

  it('does not wait for a collector that never answers', async (t) => {
    const collector = await startOtlpReceiver(t);
    collector.answer = () => undefined;
    const { server, url } = await serve(t, collector.url, {
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    });
    await postEach(url, 3);
    const asked = collector.until((spans) => (spans.length > 0 ? performance.now() : undefined));
    server.kill('SIGTERM');
    assert.equal((await server.ended).status, 0);
    assert.ok(performance.now() - (await asked) < 20_000);
  });
});

describe('sampling', () => {
  it('of no request sends nothing, and of a part decides by the trace', async (t) => {
    const collector = await startOtlpReceiver(t);
    const { server, url } = await serve(t, collector.url, {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    });
    const count = 60;
    await postEach(url, count);
    server.kill('SIGTERM');
    const { stdout } = await server.ended;
    const sent = new Set(collector.spans.filter(({ kind }) => kind === 'SERVER').map((span) => span.traceId));
    assert.ok(sent.size > 0 && sent.size < count, `${sent.size} of ${count}`);
    const lines = linesOf(stdout, '"msg":"request"').map((line) => JSON.parse(line));
    for (const line of lines) assert.equal(sent.has(line.trace_id), line.trace_flags === '01', line.trace_id);
  });
});
