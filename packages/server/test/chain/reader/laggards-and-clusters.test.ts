import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Behaviour, resultOf, rpcError, startFakeUpstream } from '../../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../../core/src/accounts/sysvars.ts';
import { UpstreamFault } from '../../../src/chain/upstream-faults.ts';
import {
  answeringNode,
  anyAddress,
  clockOf,
  genesisHash,
  nodeAt,
  startReader,
  startTwoNodes,
} from '../upstream-nodes.ts';

const dead: Behaviour = (_call, response) => response.destroy();
const otherGenesis = '11111111111111111111111111111112';
const isOfKind = (kind: string) => (error: unknown) => error instanceof UpstreamFault && error.kind === kind;

test('An upstream that lags behind what another one has shown', async (t) => {
  await t.test('is not used, until it has caught up', async (t2) => {
    const { reader, states, first } = await startTwoNodes(t2);
    first.behaviour = dead;
    states[1].slot = 1_100;
    assert.equal(await answeringNode(reader), 2);
    first.behaviour = nodeAt(states[0]);
    for (let count = 0; count < 20; count++) assert.equal(await answeringNode(reader), 2);
    states[0].slot = 1_092;
    while ((await answeringNode(reader)) !== 1);
  });

  await t.test('is not used even when it is the only one left', async (t2) => {
    const { reader, states, first, second } = await startTwoNodes(t2);
    first.behaviour = dead;
    states[1].slot = 1_100;
    assert.equal(await answeringNode(reader), 2);
    first.behaviour = nodeAt(states[0]);
    second.behaviour = dead;
    await assert.rejects(answeringNode(reader, 5_000), (error) => {
      assert.ok(error instanceof UpstreamFault);
      assert.equal(error.code, 'upstream_unavailable');
      return true;
    });
  });
});

test('Upstreams of different clusters', async (t) => {
  await t.test('are refused at the start, with both genesis hashes', async (t2) => {
    const first = await startFakeUpstream(t2, nodeAt({ slot: 1_000 }));
    const second = await startFakeUpstream(t2, nodeAt({ slot: 1_000, genesis: otherGenesis }));
    const reader = startReader(t2, [first.url, second.url]);
    await assert.rejects(reader.compareClusters(), (error) => {
      assert.ok(isOfKind('other_cluster')(error));
      assert.match(String(error), new RegExp(otherGenesis));
      return true;
    });
  });

  await t.test('are detected when one of them starts later, which is never used', async (t2) => {
    const first = await startFakeUpstream(t2, dead);
    const second = await startFakeUpstream(t2, nodeAt({ slot: 1_000, id: 2 }));
    const reader = startReader(t2, [first.url, second.url]);
    await reader.compareClusters();
    first.behaviour = nodeAt({ slot: 1_000, id: 1, genesis: otherGenesis });
    while (!first.calls.some(({ method }) => method === 'getGenesisHash') || first.calls.length < 2) {
      assert.equal(await answeringNode(reader), 2);
    }
    for (let count = 0; count < 20; count++) assert.equal(await answeringNode(reader), 2);
    second.behaviour = dead;
    await assert.rejects(answeringNode(reader, 5_000), UpstreamFault);
    assert.ok(first.calls.every(({ method }) => method === 'getGenesisHash'));
  });

  await t.test('are detected when one of them changes its cluster in use', async (t2) => {
    const { reader, first, events } = await startTwoNodes(t2);
    assert.equal(await answeringNode(reader), 1);
    first.behaviour = nodeAt({ slot: 5_000_000, id: 1, genesis: otherGenesis });
    for (let count = 0; count < 50; count++) assert.equal(await answeringNode(reader), 2);
    assert.deepEqual(new Set(events), new Set(['upstream_1 left']));
  });

  await t.test(
    'are not confused with one that is far ahead of the other: it is used as soon as that is clear',
    async (t2) => {
      const { reader, first, second, states } = await startTwoNodes(t2);
      first.behaviour = dead;
      assert.equal(await answeringNode(reader), 2);
      states[0].slot = 2_000;
      second.behaviour = dead;
      first.behaviour = nodeAt(states[0]);
      assert.equal(await answeringNode(reader, 5_000), 1);
    },
  );

  await t.test('are detected when one of them has another cluster after an outage', async (t2) => {
    const { reader, first } = await startTwoNodes(t2);
    first.behaviour = dead;
    while (first.calls.length < 6) assert.equal(await answeringNode(reader), 2);
    first.behaviour = nodeAt({ slot: 1_000, id: 1, genesis: otherGenesis });
    const asked = (): number => first.calls.filter(({ method }) => method === 'getGenesisHash').length;
    const before = asked();
    while (asked() === before) assert.equal(await answeringNode(reader), 2);
    for (let count = 0; count < 20; count++) assert.equal(await answeringNode(reader), 2);
  });
});

test('An upstream that is down at the start', async (t) => {
  await t.test('is no hindrance, and is used when it comes up', async (t2) => {
    const first = await startFakeUpstream(t2, dead);
    const second = await startFakeUpstream(t2, nodeAt({ slot: 1_000, id: 2 }));
    const reader = startReader(t2, [first.url, second.url]);
    await reader.compareClusters();
    assert.equal(await answeringNode(reader), 2);
    first.behaviour = nodeAt({ slot: 1_000, id: 1 });
    while ((await answeringNode(reader)) !== 1);
  });

  await t.test('is no hindrance even when it is all of them', async (t2) => {
    const first = await startFakeUpstream(t2, dead);
    const second = await startFakeUpstream(t2, dead);
    const reader = startReader(t2, [first.url, second.url]);
    await reader.compareClusters();
    await assert.rejects(answeringNode(reader, 5_000), UpstreamFault);
    second.behaviour = nodeAt({ slot: 1_000, id: 2 });
    assert.equal(await answeringNode(reader, 5_000), 2);
  });

  await t.test('and does not tell its cluster is used all the same: there is nothing to compare', async (t2) => {
    const healthy = nodeAt({ slot: 1_000, id: 1 });
    const first = await startFakeUpstream(t2, (call, response) =>
      (call.method === 'getGenesisHash' ? rpcError(-32601) : healthy)(call, response),
    );
    const second = await startFakeUpstream(t2, nodeAt({ slot: 1_000, id: 2 }));
    const reader = startReader(t2, [first.url, second.url]);
    await reader.compareClusters();
    assert.equal(await answeringNode(reader), 1);
  });
});

const clockRead = [clockSysvar];

/** A node that is well but for the sysvars in its answers. */
function withClock(state: { slot: number; id: number }, data: Buffer | undefined): Behaviour {
  const healthy = nodeAt(state);
  const account = data && {
    lamports: 1,
    owner: anyAddress,
    data: [data.toString('base64'), 'base64'],
    executable: false,
  };
  const lacking = resultOf(() => ({ context: { slot: state.slot }, value: [account ?? null] }));
  return (call, response) => (call.method === 'getMultipleAccounts' ? lacking : healthy)(call, response);
}

test('The answer of an upstream is rejected when', async (t) => {
  for (const [name, data] of [
    ['it has no clock', undefined],
    ['its clock is empty', Buffer.alloc(0)],
    ['its clock is of another slot than its answer', clockOf(500)],
  ] as const) {
    await t.test(`${name}: the other one is asked`, async (t2) => {
      const { reader, first } = await startTwoNodes(t2);
      first.behaviour = withClock({ slot: 1_000, id: 1 }, data);
      const { accounts } = await reader.readAccounts(clockRead, performance.now() + 5_000);
      assert.equal(accounts[0]?.lamports, 2n);
    });
  }

  await t.test('its slot is far in the future, which its own clock does not bear out', async (t2) => {
    const { reader, first } = await startTwoNodes(t2);
    assert.equal(await answeringNode(reader), 1);
    first.behaviour = resultOf(({ method, params }) => {
      if (method === 'getGenesisHash') return genesisHash;
      const data = [clockOf(1_000).toString('base64'), 'base64'];
      const account = { lamports: 1, owner: anyAddress, data, executable: false };
      return { context: { slot: 9_000_000 }, value: (params[0] as unknown[]).map(() => account) };
    });
    const probes = (): number =>
      first.calls.filter(({ params }) => JSON.stringify(params).includes(clockSysvar)).length;
    while (probes() < 2) assert.equal(await answeringNode(reader), 2);
  });
});

test('A last valid block height that is a lie costs no request once the liar is gone, and none when it is no number of blocks', async (t) => {
  const withHeight =
    (height: number): Behaviour =>
    (call, response) => {
      const value = { blockhash: anyAddress, lastValidBlockHeight: height };
      const lie = resultOf(() => ({ context: { slot: 1_000 }, value }));
      (call.method === 'getLatestBlockhash' ? lie : nodeAt({ slot: 1_000 }))(call, response);
    };
  for (const [lie, believed] of [
    [1_150, 1_150n],
    [2 ** 53 - 1, 400n],
  ] as const) {
    await t.test(String(lie), async (t2) => {
      const { reader, first, second } = await startTwoNodes(t2);
      const heightNow = async (): Promise<bigint> =>
        (await reader.readBlockhash(performance.now() + 5_000)).lastValidBlockHeight;
      first.behaviour = withHeight(lie);
      second.behaviour = withHeight(400);
      assert.equal(await heightNow(), believed);
      first.behaviour = dead;
      const endsAt = performance.now() + 1_500;
      let height = await heightNow();
      while (performance.now() < endsAt) {
        height = await heightNow();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal(height, 400n);
    });
  }
});
