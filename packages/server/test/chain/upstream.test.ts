import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Behaviour,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
} from '../../../../test/setup/fake-upstream.ts';
import { addressFromBytes } from '../../../core/src/addresses/address.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import { accountsRequest, probeRequest } from '../../src/chain/chain-requests.ts';
import { Cluster } from '../../src/chain/cluster.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { Upstream } from '../../src/chain/upstream.ts';
import { silentObserver, UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { genesisHash, nodeAt } from './upstream-nodes.ts';

const state = { slot: 1_000 };
const well = nodeAt(state);
const failing = text('', 503);
const foreign = nodeAt({ ...state, genesis: `${'1'.repeat(31)}2` });

/** An upstream on a node that does as the test says, in a time that the test sets. */
async function startUpstream(t: TestContext, { alone = true, behaviour = well, timeoutMs = 5_000 } = {}) {
  const clock = { now: 100_000 };
  const node = await startFakeUpstream(t, behaviour);
  const events: string[] = [];
  const attempts: unknown[] = [];
  const now = (): number => clock.now;
  const head = new ChainHead({ hasSeveralUpstreams: !alone, now });
  const cluster = alone ? undefined : new Cluster();
  cluster?.admit(genesisHash);
  const upstream = new Upstream({
    name: 'upstream_1',
    url: node.url,
    timeoutMs,
    head,
    cluster,
    observer: {
      ...silentObserver,
      attempted: (...attempt) => attempts.push(attempt),
      usageChanged: (_name, fault) => events.push(fault ? `left: ${fault.kind}` : 'joined'),
    },
    now,
  });
  // Closed by one test itself.
  t.after(() => upstream.close().catch(() => undefined));
  const attempt = () => upstream.attempt(probeRequest(head), 5_000);
  const fail = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) await assert.rejects(attempt());
  };
  const methods = () => node.calls.splice(0).map(({ method }) => method);
  return { upstream, node, clock, head, events, attempts, attempt, fail, methods };
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
  assert.deepEqual(await Promise.all([upstream.revive(), upstream.revive()]), [false, false]);
  assert.deepEqual([upstream.state, methods()], ['open', ['getMultipleAccounts']], 'one probe serves all');
  assert.equal(upstream.probeDueAt, clock.now + 250);

  clock.now += 250;
  node.behaviour = (call, response) => {
    assert.equal(upstream.state, 'half_open');
    well(call, response);
  };
  assert.equal(await upstream.revive(), true);
  assert.deepEqual([upstream.state, methods()], ['closed', ['getMultipleAccounts']]);
  assert.deepEqual(events, ['left: http_status', 'joined']);
  assert.equal(await upstream.revive(), true);
  assert.deepEqual(methods(), [], 'a usable one is not probed');
});

test('A failure of an attempt that began before the last success does not count', async (t) => {
  const { upstream, node, clock, attempt } = await startUpstream(t);
  const releases: (() => void)[] = [];
  node.behaviour = (call, response) => releases.push(() => failing(call, response));
  const early = Array.from({ length: 6 }, attempt);
  while (releases.length < early.length) await new Promise((resolve) => setImmediate(resolve));
  clock.now += 1;
  node.behaviour = well;
  await attempt();
  for (const release of releases) release();
  assert.deepEqual(new Set((await Promise.allSettled(early)).map(({ status }) => status)), new Set(['rejected']));
  assert.equal(upstream.isUsable, true);
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

test('A signal that is aborted ends an attempt, which counts as one that took too long', async (t) => {
  const abortion = new AbortController();
  const { upstream } = await startUpstream(t, { behaviour: () => abortion.abort() });
  await assert.rejects(upstream.attempt(getSlot, 5_000, abortion.signal), { kind: 'timeout' });
});

test('An upstream that limits the rate rests for two seconds, or for as long as it asks', async (t) => {
  for (const [headers, restMs] of [
    [{}, 2_000],
    [{ 'retry-after': '1' }, 2_000],
    [{ 'retry-after': '30' }, 30_000],
  ] as const) {
    const behaviour: Behaviour = (_call, response) => void response.writeHead(429, headers).end();
    const { upstream, clock, fail } = await startUpstream(t, { behaviour });
    await fail(5);
    assert.equal(upstream.probeDueAt, clock.now + restMs);
  }
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

test('Before one of several upstreams is believed a slot that does not follow, it shows its ledger', async (t) => {
  const { upstream, node, head, events, attempt, fail, methods } = await startUpstream(t, { alone: false });
  await upstream.join();
  await attempt();
  head.note(1_200n);
  methods();
  await assert.rejects(attempt(), { kind: 'lagging' });
  state.slot = 5_000;
  t.after(() => {
    state.slot = 1_000;
  });
  await attempt();
  assert.deepEqual(methods(), ['getMultipleAccounts', 'getMultipleAccounts', 'getGenesisHash']);
  assert.equal(head.lagOf(4_999n), 1n);
  node.behaviour = nodeAt({ slot: 9_000, genesis: `${'1'.repeat(31)}2` });
  await fail(1);
  assert.deepEqual([upstream.state, events, head.lagOf(4_999n)], ['foreign', ['left: other_cluster'], 1n]);
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
  clock.now += 1_999;
  assert.equal((await upstream.check(5_000))?.kind, 'rate_limited');
  assert.deepEqual(methods(), []);
  clock.now += 1;
  assert.equal((await upstream.check(5_000))?.kind, 'rate_limited');
  assert.notDeepEqual(methods(), []);
});

test('An upstream that was left is used again when a check finds it well', async (t) => {
  const { upstream, node, events, fail } = await startUpstream(t, { behaviour: failing });
  await fail(5);
  node.behaviour = well;
  assert.equal(await upstream.check(5_000), undefined);
  assert.deepEqual([upstream.isUsable, events], [true, ['left: http_status', 'joined']]);
});

const getSlot: RpcRequest<bigint> = {
  method: 'getSlot',
  params: [],
  read: (result) => BigInt(Number(result)),
  slotOf: (slot) => slot,
  maxAnswerBytes: 1_000,
};

const faultOf = async (call: Promise<unknown>): Promise<UpstreamFault> => {
  const error = await call.catch((reason: unknown) => reason);
  return error instanceof UpstreamFault ? error : assert.fail(`no fault: ${error}`);
};

test('An attempt is reported with its method, its fault and its duration', async (t) => {
  const { upstream, node, clock, attempts } = await startUpstream(t);
  const taking =
    (durationMs: number, answer: Behaviour): Behaviour =>
    (call, response) => {
      clock.now += durationMs;
      answer(call, response);
    };
  node.behaviour = taking(30, failing);
  assert.equal((await faultOf(upstream.attempt(getSlot, 5_000))).kind, 'http_status');
  node.behaviour = taking(
    20,
    resultOf(() => 100),
  );
  assert.equal(await upstream.attempt(getSlot, 5_000), 100n);
  assert.deepEqual(attempts, [
    ['upstream_1', 'getSlot', 'http_status', 30],
    ['upstream_1', 'getSlot', undefined, 20],
  ]);
  assert.equal(upstream.lastFault?.kind, 'http_status', 'the latest fault is remembered');
});

test('What is no fault of the transport is an answer that cannot be read', async (t) => {
  const { upstream } = await startUpstream(t);
  const read = (): never => {
    throw new TypeError('it is odd');
  };
  const fault = await faultOf(upstream.attempt({ ...getSlot, read }, 5_000));
  assert.deepEqual([fault.kind, `${fault.cause}`], ['malformed', 'TypeError: it is odd']);
  assert.equal(upstream.lastFault, fault);
});

test('The lag of an upstream is that of its last answer', async (t) => {
  const slots = { slot: 100 };
  const { upstream, head } = await startUpstream(t, { behaviour: resultOf(() => slots.slot) });
  assert.equal(upstream.slotLag, undefined);
  await upstream.attempt(getSlot, 5_000);
  assert.equal(upstream.slotLag, 0n);
  head.note(105n);
  assert.equal(upstream.slotLag, 5n);
  slots.slot = 90;
  assert.equal((await faultOf(upstream.attempt(getSlot, 5_000))).kind, 'lagging');
  assert.equal(upstream.slotLag, 15n);
  const { slotOf: _, ...withoutSlot } = getSlot;
  slots.slot = 5;
  assert.equal(await upstream.attempt(withoutSlot, 5_000), 5n);
});

test('A timeout of less than a quarter of the usual time is not blamed on the upstream', async (t) => {
  const { upstream, node } = await startUpstream(t, { behaviour: silence, timeoutMs: 400 });
  assert.equal((await faultOf(upstream.attempt(getSlot, 99))).kind, 'hurried');
  assert.equal((await faultOf(upstream.attempt(getSlot, 100))).kind, 'timeout');
  node.behaviour = failing;
  assert.equal((await faultOf(upstream.attempt(getSlot, 99))).kind, 'http_status');
});

test('An upstream that takes fewer accounts in a call is asked in parts, and from then on never for more', async (t) => {
  const addresses = Array.from({ length: 100 }, (_, index) => addressFromBytes(new Uint8Array(32).fill(index + 1)));
  const texts: readonly string[] = addresses;
  const limited = 'getMultipleAccounts is limited to a 5 range, upgrade from discover plan';
  for (const [limit, refusal, parts] of [
    [10, rpcError(-32602, 'Too many inputs provided; max 10'), 10],
    [5, rpcError(-32615, limited, 413), 20],
    [1, text('Request Entity Too Large', 413), 100],
  ] as const) {
    const accountAt = (address: string) => {
      return {
        lamports: texts.indexOf(address),
        owner: address,
        data: ['', 'base64'],
        executable: false,
      };
    };
    const behaviour: Behaviour = (call, response) => {
      const asked = call.params[0] as readonly string[];
      // The last part comes from a slot before.
      const slot = asked.includes(addresses.at(-1) ?? '') ? 1_099 : 1_100;
      const answer = resultOf(() => ({ context: { slot }, value: asked.map(accountAt) }));
      (asked.length > limit ? refusal : answer)(call, response);
    };
    const { upstream, node, head } = await startUpstream(t, { behaviour });
    const counts = (): number[] => node.calls.map(({ params }) => (params[0] as readonly string[]).length);
    const read = await upstream.attempt(accountsRequest(addresses, head), 5_000);
    assert.deepEqual(
      read.accounts.map((account) => account?.lamports),
      addresses.map((_, index) => BigInt(index)),
    );
    assert.equal(read.slot, 1_099n);
    node.calls.length = 0;
    await upstream.attempt(accountsRequest(addresses, head), 5_000);
    assert.deepEqual(
      counts(),
      Array.from({ length: parts }, () => limit),
    );
    await upstream.attempt(accountsRequest(addresses.slice(0, limit), head), 5_000);
    assert.equal(node.calls.length, parts + 1);
  }
});

test('An upstream that takes not even one account fails with what it says', async (t) => {
  const { upstream, head } = await startUpstream(t, { behaviour: text('No accounts at all', 413) });
  const addresses = [1, 2, 3].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte)));
  const { kind, reason } = await faultOf(upstream.attempt(accountsRequest(addresses, head), 5_000));
  assert.deepEqual([kind, reason], ['too_large', 'it answered HTTP 413: "No accounts at all"']);
});
