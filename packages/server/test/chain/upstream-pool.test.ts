import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Behaviour, silence, startFakeUpstream, text } from '../../../../test/setup/fake-upstream.ts';
import { accountsRequest } from '../../src/chain/chain-requests.ts';
import { type ChainObserver, silentObserver } from '../../src/chain/upstream-faults.ts';
import { UpstreamPool } from '../../src/chain/upstream-pool.ts';
import { anyAddress, nodeAt } from './upstream-nodes.ts';

const failing = text('', 503);
const foreign = nodeAt({ slot: 1_000, genesis: `${'1'.repeat(31)}2` });

interface PoolOptions {
  timeoutMs?: number;
  observer?: Partial<ChainObserver>;
  now?: () => number;
}

/** A pool of nodes that behave as told, and what it reported. */
async function startPool(t: TestContext, behaviours: readonly Behaviour[], options: PoolOptions = {}) {
  const nodes = await Promise.all(behaviours.map((behaviour) => startFakeUpstream(t, behaviour)));
  const events: string[] = [];
  const { now = () => performance.now(), observer, timeoutMs = 5_000 } = options;
  const pool = new UpstreamPool({
    urls: nodes.map(({ url }) => url),
    timeoutMs,
    observer: {
      ...silentObserver,
      hedged: (upstream) => events.push(`${upstream} hedged`),
      usageChanged: (upstream, fault) => events.push(`${upstream} ${fault ? fault.kind : 'joined'}`),
      ...observer,
    },
    now,
  });
  // Closed by one test itself.
  t.after(() => pool.close().catch(() => undefined));
  const read = async (leftMs = 5_000): Promise<unknown> => {
    const { accounts } = await pool.call(accountsRequest([anyAddress], pool.head), now() + leftMs);
    return accounts[0]?.lamports;
  };
  const methods = () => nodes.map(({ calls }) => calls.splice(0).map(({ method }) => method));
  return { pool, nodes, events, read, methods, now };
}

const well = (id: number): Behaviour => nodeAt({ slot: 1_000, id });

test('A preferred upstream whose slot stands still is left: once a second the other one shows where the chain is', async (t) => {
  const other = { slot: 1_000, id: 2 };
  let time = 0;
  const { pool, read, methods } = await startPool(t, [well(1), nodeAt(other)], { now: () => time });
  await pool.compareClusters();
  assert.equal(await read(), 1n);
  other.slot = 1_011;
  time = 999;
  assert.equal(await read(), 1n);
  assert.deepEqual(methods()[1], ['getGenesisHash']);
  time = 1_000;
  const nodes = new Set<unknown>();
  for (let tries = 0; tries < 100 && !nodes.has(2n); tries++) nodes.add(await read());
  assert.ok(nodes.has(2n));
});

test('The upstreams have names by their order, and their states are known without asking them', async (t) => {
  const { pool, methods, read } = await startPool(t, [well(1), foreign, failing]);
  await assert.rejects(pool.compareClusters());
  await read();
  methods();
  // The third may be under a probe, which a call begins.
  const state = pool.statuses[2]?.state === 'half_open' ? 'half_open' : 'open';
  assert.deepEqual(pool.statuses, [
    { name: 'upstream_1', state: 'closed', slotLag: 0n },
    { name: 'upstream_2', state: 'foreign', slotLag: undefined },
    { name: 'upstream_3', state, slotLag: undefined },
  ]);
  assert.deepEqual(methods(), [[], [], []]);
});

test('The preferred upstream alone is asked', async (t) => {
  // The time never comes at which the other one is asked, too.
  const { pool, read, methods } = await startPool(t, [well(1), well(2)], { now: () => 0 });
  await pool.compareClusters();
  assert.deepEqual(methods(), [['getGenesisHash'], ['getGenesisHash']]);
  assert.equal(await read(), 1n);
  assert.deepEqual(methods(), [['getMultipleAccounts'], []]);
});

test('A single upstream is not asked for its ledger', async (t) => {
  const { pool, read, methods } = await startPool(t, [foreign]);
  await pool.compareClusters();
  await read();
  assert.deepEqual(methods(), [['getMultipleAccounts']]);
});

test('An upstream that is asked because another one is slow is reported', async (t) => {
  const { pool, nodes, read, events } = await startPool(t, [well(1), well(2)]);
  await pool.compareClusters();
  const [first] = nodes;
  assert.ok(first);
  first.behaviour = silence;
  assert.equal(await read(), 2n);
  assert.deepEqual(events, ['upstream_2 hedged']);
});

test('An upstream that does not answer the comparison of the ledgers is reported, and no hindrance', async (t) => {
  const { pool, events } = await startPool(t, [well(1), failing]);
  await pool.compareClusters();
  assert.deepEqual(events, ['upstream_2 http_status']);
});

test('Every upstream is asked for its health, with its fault and its lag', async (t) => {
  const { pool } = await startPool(t, [nodeAt({ slot: 1_005 }), well(2), failing]);
  const healths = await pool.checkHealth(performance.now() + 5_000);
  assert.deepEqual(
    healths.map(({ name, reason }) => [name, reason]),
    [
      ['upstream_1', undefined],
      ['upstream_2', undefined],
      ['upstream_3', 'it answered HTTP 503'],
    ],
  );
  assert.deepEqual(
    pool.statuses.map(({ slotLag }) => slotLag),
    [0n, 5n, undefined],
  );
  const [, second] = await pool.checkHealth(performance.now() + 5_000);
  assert.equal(second?.slotLag, 5n);
});

test('A newest slot that stands still while nodes answer is a reason of its own, until it moves', async (t) => {
  const state = { slot: 1_000 };
  const clock = { ahead: 0 };
  const { pool, now } = await startPool(t, [nodeAt(state)], { now: () => performance.now() + clock.ahead });
  const reason = async () => (await pool.checkHealth(now() + 5_000))[0]?.reason;
  assert.equal(await reason(), undefined);
  clock.ahead += 12_000;
  const words =
    /^its newest confirmed slot, 1000, has not moved for 12 s: it hangs, or the cluster confirms no blocks$/;
  assert.match((await reason()) ?? '', words);
  state.slot = 1_001;
  assert.equal(await reason(), undefined);
});

test('A health check ends at its deadline, at once where that has passed, and blames no upstream for it', async (t) => {
  const clock = { now: 100_000 };
  for (const leftMs of [50, 0, -1_000]) {
    const kinds: unknown[] = [];
    const attempted: ChainObserver['attempted'] = (_upstream, _method, kind) => kinds.push(kind);
    const options = { timeoutMs: 2_000, now: () => clock.now, observer: { attempted } };
    const { pool } = await startPool(t, [silence], options);
    const [health] = await pool.checkHealth(clock.now + leftMs);
    assert.equal(health?.reason, 'it did not answer in time');
    // That is what a timeout of less than a quarter of the usual one is called.
    assert.equal(kinds[0], 'hurried', `${leftMs} ms were left`);
  }
});

test('A pool that is closed calls no upstream any more', async (t) => {
  const { pool, read, methods } = await startPool(t, [well(1)]);
  assert.equal(await read(), 1n);
  methods();
  await pool.close();
  await assert.rejects(read(100));
  assert.deepEqual(methods(), [[]]);
});
