import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Behaviour, resultOf, startFakeUpstream } from '../../../../../test/setup/fake-upstream.ts';
import { addressFromBytes } from '../../../../core/src/addresses/address.ts';
import { RpcChainReader } from '../../../src/chain/reader/rpc-chain-reader.ts';
import { anyAddress, nodeAt } from '../upstream-nodes.ts';

/** A reader of nodes of which two must agree. */
async function startReader(t: TestContext, ...behaviours: readonly Behaviour[]) {
  const nodes = await Promise.all(behaviours.map((behaviour) => startFakeUpstream(t, behaviour)));
  const reader = new RpcChainReader({
    urls: nodes.map(({ url }) => url),
    timeoutMs: 5_000,
    blockhashMaxAgeMs: 1_000,
    maxSlotLag: 8,
    quorum: 2,
    now: () => performance.now(),
  });
  // Closed by one test itself.
  t.after(() => reader.close().catch(() => undefined));
  const read = async (): Promise<bigint | undefined> => {
    const { accounts } = await reader.readAccounts([anyAddress], performance.now() + 5_000);
    return accounts[0]?.lamports;
  };
  return { reader, nodes, read };
}

// A node that has so many lamports at every address.
const having = (id: number): Behaviour => nodeAt({ slot: 1_000, id });

test('An account that as many upstreams say the same of as must agree is read', async (t) => {
  const { read } = await startReader(t, having(7), having(7));
  assert.equal(await read(), 7n);
});

test('Where one upstream says something else of an account, it is read from those that agree', async (t) => {
  const { read, nodes } = await startReader(t, having(7), having(8), having(8));
  assert.equal(await read(), 8n);
  assert.ok(nodes.every(({ calls }) => calls.some(({ method }) => method === 'getMultipleAccounts')));
});

test('An account that stays in dispute is never taken for one that was read', async (t) => {
  const { read } = await startReader(t, having(7), having(8));
  await assert.rejects(read(), { code: 'upstream_disagreement' });
});

test('An account in dispute does not hold up those that others ask for in the same call', async (t) => {
  const disputed = addressFromBytes(new Uint8Array(32).fill(7));
  const differingAt = (id: number): Behaviour => {
    const accountAt = (address: unknown): object => {
      return { lamports: address === disputed ? id : 5, owner: anyAddress, data: ['', 'base64'], executable: false };
    };
    const accounts = resultOf(({ params: [addresses] }) => {
      return { context: { slot: 1_000 }, value: Array.isArray(addresses) ? addresses.map(accountAt) : [] };
    });
    return (call, response) => (call.method === 'getMultipleAccounts' ? accounts : having(id))(call, response);
  };
  const { reader, nodes } = await startReader(t, differingAt(7), differingAt(8));
  await reader.compareClusters();
  const read = (address: typeof disputed) => reader.readAccounts([address], performance.now() + 5_000);
  const [agreed, refused] = await Promise.allSettled([read(anyAddress), read(disputed)]);
  assert.ok(agreed.status === 'fulfilled');
  assert.equal(agreed.value.accounts[0]?.lamports, 5n);
  assert.equal(refused.status === 'rejected' && refused.reason.code, 'upstream_disagreement');
  assert.deepEqual(nodes[0]?.calls.find(({ method }) => method === 'getMultipleAccounts')?.params[0], [
    anyAddress,
    disputed,
  ]);
});

test('The ledgers of the upstreams are compared, and their states are known', async (t) => {
  const same = await startReader(t, having(7), having(7));
  await same.reader.compareClusters();
  assert.deepEqual(
    same.reader.upstreams.map(({ name, state }) => [name, state]),
    [
      ['upstream_1', 'closed'],
      ['upstream_2', 'closed'],
    ],
  );
  const foreign = nodeAt({ slot: 1_000, genesis: `${'1'.repeat(31)}2` });
  const { reader } = await startReader(t, having(7), foreign);
  await assert.rejects(reader.compareClusters(), { kind: 'other_cluster' });
});

test('A reader is closed once what it was asked before has been answered', async (t) => {
  const { reader, nodes, read } = await startReader(t, having(7), having(7));
  await reader.compareClusters();
  const events: string[] = [];
  const releases: (() => void)[] = [];
  const closed = new Promise<void>((resolve) => {
    for (const node of nodes) {
      const well = node.behaviour;
      node.behaviour = (call, response) => {
        releases.push(() => well(call, response));
        if (releases.length < nodes.length) return;
        resolve(reader.close().then(() => void events.push('closed')));
        for (const release of releases) release();
      };
    }
  });
  assert.equal(await read(), 7n);
  events.push('read');
  await closed;
  assert.deepEqual(events, ['read', 'closed']);
});
