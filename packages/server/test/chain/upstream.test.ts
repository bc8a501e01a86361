import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Behaviour, rpcError, silence, startFakeUpstream, text } from '../../../../test/setup/fake-upstream.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { silentObserver } from '../../src/chain/chain-observer.ts';
import { probeRequest } from '../../src/chain/chain-requests.ts';
import { Cluster } from '../../src/chain/cluster.ts';
import { Upstream } from '../../src/chain/upstream.ts';
import { genesisHash, nodeAt } from './upstream-nodes.ts';

const state = { slot: 1_000 };
const well = nodeAt(state);
const failing = text('', 503);
const foreign = nodeAt({ ...state, genesis: `${'1'.repeat(31)}2` });

/** An upstream on a node that does as the test says, in a time that the test sets. */
async function startUpstream(t: TestContext, { alone = true, behaviour = well } = {}) {
  const clock = { now: 100_000 };
  const node = await startFakeUpstream(t, behaviour);
  const events: string[] = [];
  const now = (): number => clock.now;
  const head = new ChainHead({ maxSlotLag: 8, hasSeveralUpstreams: !alone, now });
  const cluster = alone ? undefined : new Cluster();
  cluster?.admit(genesisHash);
  const upstream = new Upstream({
    name: 'upstream_1',
    url: node.url,
    timeoutMs: 5_000,
    head,
    cluster,
    observer: {
      ...silentObserver,
      usageChanged: (_name, fault) => events.push(fault ? `left: ${fault.kind}` : 'joined'),
    },
    now,
  });
  // Closed by one test itself.
  t.after(() => upstream.close().catch(() => undefined));
  const attempt = () => upstream.attempt(probeRequest(head), 5_000, new AbortController().signal);
  const fail = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) await assert.rejects(attempt());
  };
  const methods = () => node.calls.splice(0).map(({ method }) => method);
  return { upstream, node, clock, head, events, attempt, fail, methods };
}

test('An upstream is left at its fifth failure in a row, and a success begins the count again', async (t) => {
  const { upstream, node, events, attempt, fail } = await startUpstream(t);
  assert.deepEqual([upstream.isUsable, upstream.state, upstream.lastFault], [true, 'closed', undefined]);
  node.behaviour = failing;
  await fail(4);
  node.behaviour = well;
  await attempt();
  node.behaviour = failing;
  await fail(4);
  assert.deepEqual([upstream.isUsable, events], [true, []]);
  await fail(1);
  assert.deepEqual([upstream.isUsable, upstream.state, events], [false, 'open', ['left: http_status']]);
  await fail(6);
  assert.deepEqual(events, ['left: http_status']);
});

test('An upstream that refuses a call is not left for it', async (t) => {
  const { upstream, fail } = await startUpstream(t, { behaviour: rpcError(-32601) });
  await fail(6);
  assert.equal(upstream.isUsable, true);
});

test('An upstream that was left is probed a quarter of a second later, and used again when that succeeds', async (t) => {
  const { upstream, node, clock, events, fail, methods } = await startUpstream(t, { behaviour: failing });
  await fail(5);
  assert.equal(upstream.probeDueAt, clock.now + 250);
  methods();
  clock.now += 250;
  const failed = upstream.revive();
  assert.equal(upstream.revive(), failed, 'one probe serves all');
  assert.equal(await failed, false);
  assert.deepEqual([upstream.state, methods()], ['open', ['getMultipleAccounts']]);
  assert.equal(upstream.probeDueAt, clock.now + 500);

  clock.now += 500;
  node.behaviour = (call, response) => {
    assert.equal(upstream.state, 'half_open');
    well(call, response);
  };
  assert.equal(await upstream.revive(), true);
  assert.deepEqual([upstream.state, methods()], ['closed', ['getMultipleAccounts']]);
  assert.deepEqual(events, ['left: http_status', 'joined']);
  assert.equal(await upstream.revive(), true);
  assert.deepEqual(methods(), [], 'a usable one is not probed');

  node.behaviour = failing;
  await fail(5);
  assert.equal(upstream.probeDueAt, clock.now + 250, 'the pauses begin again');
});

test('A probe that hangs is sent again', async (t) => {
  const { upstream, node, clock, fail } = await startUpstream(t, { behaviour: failing });
  await fail(5);
  clock.now += 250;
  let probes = 0;
  node.behaviour = (call, response) => {
    probes += 1;
    (probes === 1 ? silence : well)(call, response);
  };
  assert.equal(await upstream.revive(), true);
  assert.equal(probes, 2);
});

test('After it is closed an upstream is not probed', async (t) => {
  const { upstream, fail, methods } = await startUpstream(t, { behaviour: failing });
  await fail(5);
  methods();
  const revival = upstream.revive();
  await upstream.close();
  assert.equal(await revival, false);
  assert.equal(await upstream.revive(), false);
  assert.deepEqual(methods(), []);
});

test('One of several upstreams is used only once it has shown that it serves their ledger', async (t) => {
  const { upstream, clock, attempt, methods } = await startUpstream(t, { alone: false });
  assert.deepEqual([upstream.isUsable, upstream.state], [false, 'open']);
  assert.equal(await upstream.revive(), true);
  assert.deepEqual(methods(), ['getGenesisHash', 'getMultipleAccounts']);
  clock.now += 30_000;
  await attempt();
  assert.deepEqual(methods(), ['getMultipleAccounts']);
  clock.now += 1;
  await attempt();
  await attempt();
  assert.deepEqual(methods().sort(), ['getGenesisHash', 'getMultipleAccounts', 'getMultipleAccounts']);
});

test('One of several upstreams that serves another ledger is not used, and is asked again after 30 seconds', async (t) => {
  const { upstream, node, clock, events, methods } = await startUpstream(t, { alone: false, behaviour: foreign });
  await assert.rejects(upstream.join());
  assert.deepEqual([upstream.isUsable, upstream.state, events], [false, 'foreign', ['left: other_cluster']]);
  assert.equal(upstream.lastFault?.kind, 'other_cluster');
  assert.equal(upstream.probeDueAt, clock.now + 30_000);
  methods();
  assert.equal((await upstream.check(5_000))?.kind, 'other_cluster');
  assert.deepEqual(methods(), [], 'that is known');
  clock.now += 30_000;
  assert.equal(await upstream.revive(), false);
  assert.equal(upstream.probeDueAt, clock.now + 30_000);
  clock.now += 30_000;
  node.behaviour = well;
  assert.equal(await upstream.revive(), true);
  assert.deepEqual([upstream.state, upstream.lastFault?.kind], ['closed', undefined]);
});

test('One of several upstreams that does not tell its ledger is used all the same', async (t) => {
  const { upstream } = await startUpstream(t, { alone: false, behaviour: rpcError(-32601) });
  await upstream.join();
  assert.equal(upstream.isUsable, true);
});

test('One of several upstreams whose slot is implausible is left at once, and has to show its ledger again', async (t) => {
  const { upstream, head, events, fail, methods, clock } = await startUpstream(t, { alone: false });
  await upstream.join();
  head.accept(500n, true, 'upstream_2');
  await fail(1);
  assert.deepEqual([upstream.isUsable, events], [false, ['left: implausible']]);
  methods();
  clock.now += 250;
  assert.equal(await upstream.revive(), true);
  assert.deepEqual(methods(), ['getGenesisHash', 'getMultipleAccounts']);
});

test('A check asks an upstream for its health and for an answer', async (t) => {
  const { upstream, node, methods } = await startUpstream(t);
  assert.equal(await upstream.check(5_000), undefined);
  assert.deepEqual(methods().sort(), ['getHealth', 'getMultipleAccounts']);
  const only =
    (method: string, behaviour: Behaviour): Behaviour =>
    (call, response) =>
      (call.method === method ? behaviour : well)(call, response);
  node.behaviour = only('getHealth', rpcError(-32601));
  assert.equal(await upstream.check(5_000), undefined, 'not every provider offers it');
  node.behaviour = only('getHealth', rpcError(-32005));
  assert.equal((await upstream.check(5_000))?.kind, 'node');
  node.behaviour = only('getMultipleAccounts', rpcError(-32601));
  assert.equal((await upstream.check(5_000))?.kind, 'refused');
});

test('A check does not ask an upstream that limits the rate before its next probe is due', async (t) => {
  const { upstream, clock, fail, methods } = await startUpstream(t, { behaviour: text('', 429) });
  await fail(5);
  methods();
  clock.now += 999;
  assert.equal((await upstream.check(5_000))?.kind, 'rate_limited');
  assert.deepEqual(methods(), []);
  clock.now += 1;
  assert.equal((await upstream.check(5_000))?.kind, 'rate_limited');
  assert.notDeepEqual(methods(), []);
});

test('A check lets an upstream that was left be probed', async (t) => {
  const { upstream, node, clock, fail } = await startUpstream(t, { behaviour: failing });
  await fail(5);
  node.behaviour = well;
  clock.now += 250;
  assert.equal(await upstream.check(5_000), undefined);
  assert.equal(await upstream.revive(), true);
});
