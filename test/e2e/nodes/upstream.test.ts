import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '../../../packages/server/src/errors.ts';
import { genesisHash } from '../../../packages/server/test/chain/upstream-nodes.ts';
import { assertFaults, assertProblem, readProblem } from '../../../packages/server/test/http/problem.ts';
import { createBody, createPath, memoBody, memoPath } from '../../../packages/server/test/http/sample-bodies.ts';
import {
  type Behaviour,
  drip,
  resetMidBody,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
  upstreamSecret,
} from '../../setup/fake-upstream.ts';
import { freePort } from '../../setup/free-port.ts';
import { healthyNode, onlyFor } from './upstream-node.ts';
import { startServiceOn } from './upstream-service.ts';

const system = '1'.repeat(32);
const context = { slot: 1000 };
const account = { lamports: 5, owner: system, data: ['', 'base64'], executable: false };
const accounts = (part: object): Behaviour =>
  onlyFor(
    'getMultipleAccounts',
    resultOf(({ params }) => {
      const count = Array.isArray(params[0]) ? params[0].length : 0;
      return { context, value: Array.from({ length: count }, () => ({ ...account, ...part })) };
    }),
  );
const blockhash = (result: unknown): Behaviour =>
  onlyFor(
    'getLatestBlockhash',
    resultOf(() => result),
  );
const quotingPage = `<html>no access to /?api-key=${upstreamSecret}</html>`;

const faults: readonly [name: string, behaviour: Behaviour, code: ProblemCode][] = [
  ['breaks every connection', (_call, response) => response.destroy(), 'upstream_unavailable'],
  ['breaks off in its answer', resetMidBody, 'upstream_unavailable'],
  ['answers HTTP 429', text('Too many', 429), 'upstream_unavailable'],
  ['answers HTTP 503', text('<html>', 503), 'upstream_unavailable'],
  ['is behind (-32005)', rpcError(-32005, `unhealthy ${upstreamSecret}`), 'upstream_unavailable'],
  ['has not reached the slot (-32016)', rpcError(-32016), 'upstream_unavailable'],
  ['is behind for the blockhash alone', onlyFor('getLatestBlockhash', rpcError(-32005)), 'upstream_unavailable'],
  ['never answers', silence, 'upstream_timeout'],
  ['never answers for the blockhash alone', onlyFor('getLatestBlockhash', silence), 'upstream_timeout'],
  ['never answers for the accounts alone', onlyFor('getMultipleAccounts', silence), 'upstream_timeout'],
  ['drips bytes', drip, 'upstream_timeout'],
  ['answers HTTP 500 with HTML', text(quotingPage, 500), 'upstream_error'],
  ['answers HTML', text(quotingPage), 'upstream_error'],
  ['answers the secret alone', text(upstreamSecret), 'upstream_error'],
  ['answers truncated JSON', text('{"jsonrpc":"2.0","id":$id,"result":{"context"'), 'upstream_error'],
  ['answers with another id', text('{"jsonrpc":"2.0","id":"x","result":null}'), 'upstream_error'],
  ['answers result null', resultOf(() => null), 'upstream_error'],
  ['answers a result of the wrong type', resultOf(() => [1, 'a']), 'upstream_error'],
  ['answers without a context', resultOf(() => ({ value: [] })), 'upstream_error'],
  ['answers too few accounts', resultOf(() => ({ context, value: [null] })), 'upstream_error'],
  ['refuses the call (-32602)', rpcError(-32602, `bad parameter in ?api-key=${upstreamSecret}`), 'upstream_error'],
  ['answers data that is not base64', accounts({ data: ['***', 'base64'] }), 'upstream_error'],
  ['answers negative lamports', accounts({ lamports: -1 }), 'upstream_error'],
  ['answers an owner that is no address', accounts({ owner: 'nobody' }), 'upstream_error'],
  ['answers a blockhash that is none', blockhash({ context, value: { blockhash: 'x' } }), 'upstream_error'],
  ['answers no blockhash', blockhash({ context, value: null }), 'upstream_error'],
];

function errorsIn(log: readonly string[]) {
  return log.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
}

test('A request is refused as a fault of the upstream, in time and never as a fact, when the node', {
  concurrency: true,
}, async (t) => {
  const startLane = async (rpcTimeoutMs: number, deadlineMs: number) => {
    const upstream = await startFakeUpstream(t, healthyNode);
    const service = await startServiceOn(t, upstream.url, {
      RPC_TIMEOUT_MS: String(rpcTimeoutMs),
      REQUEST_DEADLINE_MS: String(deadlineMs),
      BLOCKHASH_MAX_AGE_MS: '0',
    });
    return { upstream, service, deadlineMs, refusals: [] as string[] };
  };
  // They wait for most of their time: each lane has a node and a service, which go from fault to fault.
  const startLanes = (...times: [rpcTimeoutMs: number, deadlineMs: number]) =>
    Promise.all(Array.from({ length: 4 }, () => startLane(...times)));
  // A fault of another kind must not become a timeout on a slow machine.
  const [hasty, patient] = await Promise.all([startLanes(300, 600), startLanes(5_000, 10_000)]);
  const lanes = [...hasty, ...patient];

  const meet = async (fault: (typeof faults)[number], lane: (typeof lanes)[number]): Promise<void> => {
    const [name, behaviour, code] = fault;
    const { upstream, service, deadlineMs, refusals } = lane;
    await t.test(`${name}: ${code}`, async () => {
      upstream.behaviour = behaviour;
      const startedAt = performance.now();
      const response = await service.post(createPath, createBody);
      const elapsed = performance.now() - startedAt;
      assert.equal(response.headers.get('retry-after'), code === 'upstream_unavailable' ? '1' : null);
      const body = await readProblem(response);
      assert.deepEqual([body.code, body.errors], [code, undefined], body.detail);
      assert.ok(elapsed < deadlineMs + 3_000, `${elapsed} ms`);
      assert.doesNotMatch(JSON.stringify([body, [...response.headers]]), new RegExp(upstreamSecret));
      refusals.push(code);
    });

    await t.test(`${name}, and is answered again soon after its recovery`, async () => {
      upstream.behaviour = healthyNode;
      const healedAt = performance.now();
      for (;;) {
        const response = await service.post(createPath, createBody);
        if (response.status === 200) break;
        refusals.push((await readProblem(response)).code);
      }
      // Two seconds, where the machine has nothing else to do.
      assert.ok(performance.now() - healedAt < 60_000);
    });
  };
  const isTimeout = ([, , code]: (typeof faults)[number]): boolean => code === 'upstream_timeout';
  await Promise.all(
    [
      { own: hasty, met: faults.filter(isTimeout) },
      { own: patient, met: faults.filter((fault) => !isTimeout(fault)) },
    ].flatMap(({ own, met }) =>
      own.map(async (lane, offset) => {
        for (const [index, fault] of met.entries()) if (index % own.length === offset) await meet(fault, lane);
      }),
    ),
  );

  await t.test('the log has the code of each, and never a secret of the URL', () => {
    for (const { service, refusals } of lanes) {
      assert.deepEqual(
        errorsIn(service.log).map(({ code }) => code),
        refusals,
      );
      for (const line of service.log) assert.doesNotMatch(line, new RegExp(upstreamSecret));
    }
  });

  await t.test('and in what way, without the stack trace of a fault of the service', () => {
    const lines = lanes.flatMap(({ service }) => errorsIn(service.log));
    for (const { err, reason } of lines) assert.deepEqual([err, typeof reason], [undefined, 'string']);
    assert.doesNotMatch(JSON.stringify(lines), /"stack"|\.ts:\d/);
  });
});

test('A node that cannot be reached', async (t) => {
  const port = await freePort();
  const service = await startServiceOn(t, `http://user:${upstreamSecret}@127.0.0.1:${port}/${upstreamSecret}`);

  await t.test('is a 503 with Retry-After', async () => {
    const response = await service.post(memoPath, memoBody);
    assert.equal(response.headers.get('retry-after'), '1');
    const detail = 'The Solana node cannot serve this now: the connection failed. Try again.';
    await assertProblem(response, 'upstream_unavailable', detail);
    for (const line of service.log) assert.doesNotMatch(line, new RegExp(upstreamSecret));
  });

  await t.test('is no hindrance to refusing a request that is at fault in itself', async () => {
    const response = await service.post(createPath, { ...createBody, to_address: createBody.from_address });
    await assertFaults(response, [['/to_address', 'same_wallet', /both/]]);
  });

  await t.test('makes the service not ready, and leaves it alive', async () => {
    const ready = await fetch(`${service.url}/readyz`);
    const checks = { upstream: 'failed', keys: 'ok' };
    const upstreams = { upstream_1: { status: 'failed', reason: 'the connection failed' } };
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'not_ready', checks, upstreams }]);
    const alive = await fetch(`${service.url}/livez`);
    assert.deepEqual([alive.status, await alive.json()], [200, { status: 'alive' }]);
  });
});

test('An answer of more than 8 MiB is not read to its end: upstream_error', async (t) => {
  const upstream = await startFakeUpstream(t, text(`{"id":$id,"result":"${'x'.repeat(8 * 1024 * 1024)}"}`));
  const service = await startServiceOn(t, upstream.url);
  const body = await readProblem(await service.post(createPath, createBody));
  assert.equal(body.code, 'upstream_error');
});

test('The deadline of a request holds though every attempt alone would be in time', async (t) => {
  const upstream = await startFakeUpstream(t, silence);
  const service = await startServiceOn(t, upstream.url, { RPC_TIMEOUT_MS: '30000', REQUEST_DEADLINE_MS: '150' });
  const startedAt = performance.now();
  const body = await readProblem(await service.post(createPath, createBody));
  assert.equal(body.code, 'upstream_timeout');
  assert.ok(performance.now() - startedAt < 10_000);
});

test('The upstream is asked', async (t) => {
  const upstream = await startFakeUpstream(t, (call, response) =>
    (call.method === 'getGenesisHash' ? resultOf(() => genesisHash) : healthyNode)(call, response),
  );
  const service = await startServiceOn(t, upstream.url, { BLOCKHASH_MAX_AGE_MS: '20000' });
  const methods = (): readonly string[] =>
    upstream.calls
      .splice(0)
      .map(({ method }) => method)
      .sort();

  await t.test('at the start which ledger it serves', () => {
    assert.deepEqual(methods(), ['getGenesisHash']);
  });

  await t.test('nothing for a request that is refused without it', async () => {
    for (const body of ['', '{', '[]', {}, { ...createBody, amount: '0' }, { ...createBody, x: 1 }]) {
      assert.equal((await service.post(createPath, body)).status, 400);
    }
    assert.equal((await service.post(createPath, createBody, { authorization: 'Bearer x' })).status, 401);
    assert.equal((await service.post('/nothing', createBody)).status, 404);
    assert.deepEqual(methods(), []);
  });

  await t.test('twice for the first transfer, and once for the next while the blockhash is fresh', async () => {
    for (const expected of [['getLatestBlockhash', 'getMultipleAccounts'], ['getMultipleAccounts']]) {
      assert.equal((await service.post(createPath, createBody)).status, 200);
      assert.deepEqual(methods(), expected);
    }
  });

  await t.test('for the accounts of several transfers at once', async () => {
    // On a slow machine each may have come and gone before the next is read.
    let calls = 20;
    for (let round = 0; round < 20 && calls >= 20; round++) {
      methods();
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await service.post(createPath, createBody)).status),
      );
      assert.deepEqual(new Set(statuses), new Set([200]));
      const asked = methods();
      assert.deepEqual(new Set(asked), new Set(['getMultipleAccounts']));
      calls = asked.length;
    }
    assert.ok(calls < 20, `${calls} calls for 20 transfers`);
  });
});
