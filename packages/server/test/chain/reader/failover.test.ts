import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Behaviour,
  drip,
  resetMidBody,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
} from '../../../../../test/setup/fake-upstream.ts';
import { UpstreamFault } from '../../../src/chain/upstream-faults.ts';
import { isAppError } from '../../../src/errors.ts';
import { answeringNode, anyAddress, forget, nodeAt, startReader, startTwoNodes } from '../upstream-nodes.ts';

const hundredMegabytes: Behaviour = (_call, response) => {
  const block = Buffer.alloc(1024 * 1024, ' ');
  const write = (left: number): void => {
    if (left > 0 && !response.destroyed) response.write(block, () => write(left - 1));
  };
  write(100);
};

const faults: readonly [name: string, behaviour: Behaviour][] = [
  ['breaks every connection', (_call, response) => response.destroy()],
  ['breaks off in its answer', resetMidBody],
  ['answers HTTP 429', text('', 429)],
  ['answers HTTP 500', text('<html>', 500)],
  ['answers HTTP 503', text('<html>', 503)],
  ['answers HTTP 403', text('{"error":"no"}', 403)],
  ['is behind (-32005)', rpcError(-32005)],
  ['has not reached the slot (-32016)', rpcError(-32016)],
  ['has an internal error (-32603)', rpcError(-32603)],
  ['does not know the method (-32601)', rpcError(-32601)],
  ['answers HTML', text('<!doctype html>')],
  ['answers truncated JSON', text('{"jsonrpc":"2.0","id":$id,"result":{"context"')],
  ['answers with another id', text('{"jsonrpc":"2.0","id":"x","result":null}')],
  ['answers values of the wrong types', resultOf(() => ({ context: { slot: '1' }, value: [{ lamports: 'x' }] }))],
  ['answers null', text('null')],
  ['answers too few accounts', resultOf(() => ({ context: { slot: 1_000 }, value: [] }))],
  ['answers from the past', nodeAt({ slot: 900, id: 1 })],
  ['never ends its answer', hundredMegabytes],
  ['never answers', silence],
  ['drips bytes', drip],
];

test('When the preferred upstream', async (t) => {
  for (const [name, behaviour] of faults) {
    await t.test(`${name}, the other one answers every request`, async (t2) => {
      const { first, reader } = await startTwoNodes(t2, { timeoutMs: 500 });
      assert.equal(await answeringNode(reader), 1);
      first.behaviour = behaviour;
      const nodes = await Promise.all(Array.from({ length: 20 }, () => answeringNode(reader)));
      assert.deepEqual(new Set(nodes), new Set([2]));
      assert.equal((await reader.readBlockhash(performance.now() + 1_000)).lastValidBlockHeight, 1_150n);
    });
  }
});

test('While both upstreams are well the preferred one is asked, and no other', async (t) => {
  const { second, reader } = await startTwoNodes(t);
  for (let count = 0; count < 10; count++) assert.equal(await answeringNode(reader), 1);
  assert.equal(second.calls.length, 0);
});

test('An upstream that fails again and again is left alone, and used again when it is well', async (t) => {
  const { first, healthy, reader, events } = await startTwoNodes(t);
  first.behaviour = (_call, response) => response.destroy();
  const startedAt = performance.now();
  for (let count = 0; count < 50; count++) assert.equal(await answeringNode(reader), 2);
  assert.deepEqual(events, ['upstream_1 left']);
  const asked = first.calls.length;
  // A probe a quarter of a second at most; there are one or two, unless the machine is busy.
  const probes = 2 + Math.floor((performance.now() - startedAt) / 250);
  assert.ok(asked <= 5 + probes, `asked ${asked} times, of which ${probes} may be probes`);
  first.behaviour = healthy[0];
  while ((await answeringNode(reader)) !== 1);
  assert.deepEqual(events, ['upstream_1 left', 'upstream_1 joined']);
});

test('An upstream that asks for rest is given it', async (t) => {
  const { first, healthy, reader } = await startTwoNodes(t);
  first.behaviour = (_call, response) => {
    response.writeHead(429, { 'retry-after': '2' }).end();
  };
  while (first.calls.length < 5) assert.equal(await answeringNode(reader), 2);
  first.behaviour = healthy[0];
  const restedFrom = performance.now();
  forget(first);
  while (first.calls.length === 0) {
    await answeringNode(reader);
    const [health] = await reader.checkHealth(performance.now() + 1_000);
    if (first.calls.length === 0) assert.equal(health?.reason, 'it answered HTTP 429');
  }
  assert.ok(performance.now() - restedFrom >= 1_900);
});

test('A call that the preferred upstream is slow to answer goes to the other one too, and the first answer counts', async (t) => {
  const { first, second, reader, events } = await startTwoNodes(t);
  let release = (): void => undefined;
  for (let count = 0; count < 10; count++) await answeringNode(reader);
  first.behaviour = (call, response) => {
    release = () => nodeAt({ slot: 1_000, id: 1 })(call, response);
  };
  const startedAt = performance.now();
  assert.equal(await answeringNode(reader), 2);
  assert.ok(performance.now() - startedAt < 1_500, 'long before it counts as failed');
  assert.deepEqual(events, ['upstream_2 hedged']);
  release();
  const slow = answeringNode(reader);
  second.behaviour = silence;
  while (first.calls.length < 12) await new Promise((resolve) => setTimeout(resolve, 1));
  release();
  assert.equal(await slow, 1);
});

test('A node that does not take a call is not blamed for it', async (t) => {
  const { first, reader, events } = await startTwoNodes(t);
  first.behaviour = (call, response) =>
    (call.method === 'getMultipleAccounts' ? rpcError(-32602) : nodeAt({ slot: 1_000 }))(call, response);
  for (let count = 0; count < 20; count++) assert.equal(await answeringNode(reader), 2);
  assert.deepEqual(events, []);
});

test('When every upstream is dead', async (t) => {
  const { first, second, healthy, reader } = await startTwoNodes(t);
  const dead: Behaviour = (_call, response) => response.destroy();
  first.behaviour = dead;
  second.behaviour = dead;

  await t.test('each request fails within a second or two', async () => {
    const startedAt = performance.now();
    const reads = Array.from({ length: 20 }, () => answeringNode(reader, 60_000));
    for (const read of reads) await assert.rejects(read, (error) => isAppError(error, 'upstream_unavailable'));
    assert.ok(performance.now() - startedAt < 15_000, 'of a minute that it might wait');
  });

  await t.test('they are not asked more than their probes take', async () => {
    forget(first, second);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1_500) {
      await assert.rejects(answeringNode(reader, 200), UpstreamFault);
    }
    const allowed = Math.ceil((5 * (performance.now() - startedAt)) / 1_500);
    assert.ok(first.calls.length <= allowed, `${first.calls.length} calls`);
    assert.ok(second.calls.length <= allowed, `${second.calls.length} calls`);
  });

  await t.test('requests are served soon after the first is well again', async () => {
    second.behaviour = healthy[1];
    const healedAt = performance.now();
    for (;;) {
      const outcome = await Promise.allSettled([answeringNode(reader, 100)]);
      if (outcome[0].status === 'fulfilled') break;
    }
    // Two seconds, where the machine has nothing else to do.
    assert.ok(performance.now() - healedAt < 60_000);
  });
});

test('Upstreams that fail in turn fail no request', async (t) => {
  const { first, second, healthy, reader } = await startTwoNodes(t);
  const dead: Behaviour = (_call, response) => response.destroy();
  for (let turn = 0; turn < 6; turn++) {
    first.behaviour = turn % 2 === 0 ? dead : healthy[0];
    second.behaviour = turn % 2 === 0 ? healthy[1] : dead;
    const endsAt = performance.now() + 400;
    while (performance.now() < endsAt) {
      const reads = Array.from({ length: 5 }, () => answeringNode(reader, 5_000));
      assert.deepEqual(new Set(await Promise.all(reads)), new Set([turn % 2 === 0 ? 2 : 1]));
    }
  }
});

test('Upstreams that hang in turn, and never answer what they were asked meanwhile, fail no request', async (t) => {
  const { first, second, healthy, reader } = await startTwoNodes(t);
  const reads: Promise<number>[] = [];
  for (let turn = 0; turn < 6; turn++) {
    first.behaviour = turn % 2 === 0 ? silence : healthy[0];
    second.behaviour = turn % 2 === 0 ? healthy[1] : silence;
    const endsAt = performance.now() + 1_000;
    while (performance.now() < endsAt) {
      reads.push(answeringNode(reader, 5_000));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const failed = (await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected');
  assert.equal(failed.length, 0, `${failed.length} of ${reads.length} failed`);
});

test('With one upstream', async (t) => {
  await t.test('a connection that breaks is no failure of the request', async (t2) => {
    const healthy = nodeAt({ slot: 1_000, id: 1 });
    const upstream = await startFakeUpstream(t2, (call, response) => {
      upstream.behaviour = healthy;
      resetMidBody(call, response);
    });
    assert.equal(await answeringNode(startReader(t2, [upstream.url])), 1);
  });

  await t.test('it is not asked which cluster it is of', async (t2) => {
    const upstream = await startFakeUpstream(t2, nodeAt({ slot: 1_000 }));
    const reader = startReader(t2, [upstream.url]);
    await reader.compareClusters();
    await reader.readAccounts([anyAddress], performance.now() + 1_000);
    assert.deepEqual(
      upstream.calls.map(({ method }) => method),
      ['getMultipleAccounts'],
    );
  });
});
