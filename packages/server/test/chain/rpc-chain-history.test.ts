import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { resultOf, startFakeUpstream } from '../../../../test/setup/fake-upstream.ts';
import { RpcChainReader } from '../../src/chain/rpc-chain-reader.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { answeringNode, genesisHash, startTwoNodes } from './upstream-nodes.ts';

const namesOf = ({ history }: RpcChainReader): readonly string[] => history.nodes().map(({ name }) => name);

/** A reader of so many nodes, none of which is asked. */
function readerOf(t: TestContext, size: number, quorum: number): RpcChainReader {
  const urls = Array.from({ length: size }, (_, index) => `http://127.0.0.1:${index + 1}`);
  const options = { timeoutMs: 5_000, now: () => 0 };
  const reader = new RpcChainReader({ urls, quorum, ...options });
  t.after(() => reader.close());
  return reader;
}

test('A denial needs two nodes where there are as many, and a sighting as many as must agree', (t) => {
  const needs = ([size, quorum]: readonly [number, number]) => {
    const { neededDenials, neededSightings } = readerOf(t, size, quorum).history;
    return [neededDenials, neededSightings];
  };
  const cases = [
    [1, 1],
    [2, 1],
    [3, 1],
    [2, 2],
    [3, 3],
  ] as const;
  assert.deepEqual(cases.map(needs), [
    [1, 1],
    [2, 1],
    [2, 1],
    [2, 2],
    [3, 3],
  ]);
});

test('A node that is not usable comes last, and is not replaced by another one', async (t) => {
  const { reader, first, second } = await startTwoNodes(t);
  assert.deepEqual(namesOf(reader), ['upstream_1', 'upstream_2']);
  first.behaviour = (_call, response) => response.destroy();
  while (reader.upstreams[0]?.state === 'closed') await answeringNode(reader);
  assert.deepEqual(namesOf(reader), ['upstream_2', 'upstream_1']);
  second.calls.length = 0;
  const last = reader.history.nodes()[1];
  await assert.rejects(async () => last?.readFinalizedHeight(performance.now() + 300), UpstreamFault);
  assert.deepEqual(second.calls, []);
});

test('Each node is asked by itself', async (t) => {
  const { reader, first, second } = await startTwoNodes(t);
  for (const [index, upstream] of [first, second].entries()) {
    upstream.behaviour = resultOf(({ method }) => (method === 'getGenesisHash' ? genesisHash : 100 + index));
  }
  const slots = reader.history.nodes().map((node) => node.readFirstAvailableSlot(performance.now() + 5_000));
  assert.deepEqual(await Promise.all(slots), [100n, 101n]);
  assert.deepEqual([first.calls.length, second.calls.length], [1, 1]);
});

test('A node of another ledger fails without being asked', async (t) => {
  const first = await startFakeUpstream(
    t,
    resultOf(() => genesisHash),
  );
  const second = await startFakeUpstream(t, (_call, response) => response.destroy());
  const options = { timeoutMs: 5_000, now: () => performance.now() };
  const reader = new RpcChainReader({ urls: [first.url, second.url], ...options });
  t.after(() => reader.close());
  await reader.compareClusters();
  second.behaviour = resultOf(() => '11111111111111111111111111111112');
  await assert.rejects(reader.compareClusters(), UpstreamFault);
  assert.deepEqual(namesOf(reader), ['upstream_1', 'upstream_2']);
  second.calls.length = 0;
  const other = reader.history.nodes()[1];
  await assert.rejects(
    async () => other?.readFirstAvailableSlot(performance.now() + 5_000),
    (error) => error instanceof UpstreamFault && error.kind === 'other_cluster',
  );
  assert.deepEqual(second.calls, []);
});
