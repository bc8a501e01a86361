import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../setup/free-port.ts';
import { type LoadOptions, type Sample, startLoad } from './load.ts';
import { between, describeStatuses, failed, percentile } from './statistics.ts';

async function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${port}`;
}

/** Loads a server for a second. */
async function loadFor1Second(url: string, options: Partial<LoadOptions> = {}): Promise<readonly Sample[]> {
  const load = startLoad({
    url,
    apiKey: 'key',
    rate: 50,
    connections: 64,
    request: () => ({ path: '/', body: {} }),
    ...options,
  });
  await sleep(1000);
  return load.stop();
}

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'solana-blockhash': 'hash', 'solana-last-valid-block-height': '7' }).end('{}');
};

test('A load tells refusals, broken connections and what it saw of the successes', async (t) => {
  let count = 0;
  const problems: string[] = [];
  const heights: bigint[] = [];
  const url = await startServer(t, (request, response) => {
    count += 1;
    if (count % 3 === 0) response.writeHead(503, { 'retry-after': '2' }).end('{"code":"overloaded"}');
    else if (count % 3 === 1) response.destroy();
    else answer(request, response);
  });
  const samples = await loadFor1Second(url, {
    onProblem: (text) => problems.push(text),
    onSuccess: ({ heightBefore }) => heights.push(heightBefore),
  });
  const refused = samples.filter(({ status }) => status === 503);
  assert.deepEqual(new Set(refused.map(({ code, retryAfter }) => `${code} ${retryAfter}`)), new Set(['overloaded 2']));
  assert.equal(problems.length, refused.length);
  assert.deepEqual([heights[0], heights.at(-1)], [0n, 7n]);
  assert.match(describeStatuses(samples), /^(?=.*\b200 ×\d)(?=.*none UND_ERR_SOCKET ×\d)(?=.*503 overloaded ×\d)/);
});

test('Statistics are of the samples that were due in their time', () => {
  const samples = Array.from({ length: 100 }, (_, index) => ({
    dueAt: index,
    latency: 100 - index,
    status: index === 7 ? 503 : 200,
    code: '',
    retryAfter: undefined,
  }));
  assert.deepEqual([percentile(samples, 0.5), percentile(samples, 0.99), percentile(samples, 1)], [50, 99, 100]);
  assert.equal(percentile([], 0.99), 0);
  assert.equal(between(samples, 10, 20).length, 10);
  assert.equal(failed(between(samples, 0, 8)).length, 1);
});
