import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Behaviour, resultOf, text } from '../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { answeringNode, anyAddress, clockOf, genesisHash, nodeAt, startTwoNodes } from './upstream-nodes.ts';

const otherGenesis = '11111111111111111111111111111112';

const faults: Readonly<Record<string, Behaviour>> = {
  'breaks every connection': (_call, response) => response.destroy(),
  'answers HTTP 503': text('<html>', 503),
  'answers too few accounts': resultOf(() => ({ context: { slot: 1_000 }, value: [] })),
  'answers from the past': nodeAt({ slot: 900, id: 1 }),
  'serves another ledger': nodeAt({ slot: 5_000_000, id: 1, genesis: otherGenesis }),
};

test('When the preferred upstream fails, lags or lies, the other one answers every request', async (t) => {
  for (const [name, behaviour] of Object.entries(faults)) {
    await t.test(name, async (t2) => {
      const { first, reader } = await startTwoNodes(t2);
      assert.equal(await answeringNode(reader), 1);
      first.behaviour = behaviour;
      const nodes = await Promise.all(Array.from({ length: 20 }, () => answeringNode(reader)));
      assert.deepEqual(new Set(nodes), new Set([2]));
      assert.equal((await reader.readBlockhash(performance.now() + 1_000)).lastValidBlockHeight, 1_150n);
    });
  }
});

test('An upstream that lags behind what another one has shown is not used even when it is the only one left', async (t) => {
  const { reader, states, first, second } = await startTwoNodes(t);
  first.behaviour = text('', 503);
  states[1].slot = 1_100;
  assert.equal(await answeringNode(reader), 2);
  first.behaviour = nodeAt(states[0]);
  second.behaviour = text('', 503);
  await assert.rejects(answeringNode(reader, 100), UpstreamFault);
});

test('An answer whose clock is missing, empty or of another slot is not believed', async (t) => {
  for (const data of [undefined, Buffer.alloc(0), clockOf(500)]) {
    const { reader, first } = await startTwoNodes(t);
    const account = data && {
      lamports: 1,
      owner: anyAddress,
      data: [data.toString('base64'), 'base64'],
      executable: false,
    };
    first.behaviour = resultOf(({ method }) =>
      method === 'getGenesisHash' ? genesisHash : { context: { slot: 1_000 }, value: [account ?? null] },
    );
    const { accounts } = await reader.readAccounts([clockSysvar], performance.now() + 5_000);
    assert.equal(accounts[0]?.lamports, 2n);
  }
});
