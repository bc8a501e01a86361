import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { callWithFailover } from '../../src/chain/upstream-pool.ts';
import { type FakeAttempt, type FakeNode, startNodes } from './fake-attempts.ts';

const request = { method: 'getSlot' } as RpcRequest<string>;

/** A call to these upstreams, made at the time 0, with 5,000 ms before its deadline. */
function startCall(t: TestContext, changes: readonly Partial<FakeNode>[], leftMs = 5_000) {
  const start = startNodes(t, changes.length);
  for (const [index, node] of start.nodes.entries()) Object.assign(node, changes[index]);
  const hedges: string[] = [];
  const outcome: { answer?: string; error?: string; at?: number } = {};
  const { nodes, now } = start;
  callWithFailover(request, {
    upstreams: nodes.map(({ upstream }) => upstream),
    deadline: now() + leftMs,
    onHedge: ({ name }) => hedges.push(name),
    now,
  }).then(
    (answer) => Object.assign(outcome, { answer, at: now() - 10_000 }),
    (error: Error) => Object.assign(outcome, { error: error.message, at: now() - 10_000 }),
  );
  const last = (): FakeAttempt => start.attempts.at(-1) ?? assert.fail('nothing was asked');
  return { ...start, hedges, outcome, last };
}

test('an upstream without an answer after 250 ms is left to go on, and the next one is asked beside it', async (t) => {
  const { pass, asked, hedges, last, outcome } = startCall(t, [{}, {}]);
  await pass(249);
  assert.deepEqual(asked(), ['a 0']);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 250'], ['b']]);
  await last().answer('from b');
  assert.deepEqual(outcome, { answer: 'from b', at: 250 });
});

test('upstreams that all hang are asked again, each time after twice as long', async (t) => {
  const { pass, asked, hedges, outcome } = startCall(t, [{}, {}]);
  await pass(4_999);
  assert.deepEqual(asked(), ['a 0', 'b 250', 'a 750', 'b 1750', 'a 3750']);
  assert.deepEqual([hedges, outcome], [['b', 'a', 'b', 'a'], {}]);
  await pass(1);
  assert.equal(outcome.at, 5_000);
  assert.match(`${outcome.error}`, /did not answer in time/);
});

test('what is slower than its hedge is ended 250 ms after the answer, and nothing more is asked', async (t) => {
  const { attempts, pass, asked, last } = startCall(t, [{}, {}]);
  await pass(300);
  await last().answer('from b');
  const [slow] = attempts;
  await pass(249);
  assert.equal(slow?.signal?.aborted, false);
  await pass(1);
  assert.equal(slow?.signal?.aborted, true);
  await slow?.fail('timeout');
  await pass(5_000);
  assert.deepEqual(asked(), ['a 0', 'b 250']);
});

test('the slow one may still answer first', async (t) => {
  const { pass, attempts, outcome } = startCall(t, [{}, {}]);
  await pass(260);
  await attempts[0]?.answer('from a');
  assert.deepEqual(outcome, { answer: 'from a', at: 260 });
});

test('one that fails makes way for the next one at once, which has 250 ms of its own', async (t) => {
  const { pass, asked, hedges, last } = startCall(t, [{}, {}, {}]);
  await pass(20);
  await last().fail();
  await pass(249);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 20'], []]);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 20', 'c 270'], ['c']]);
  await last().answer('from c');
});

test('one beside a slow one that fails makes way for another one', async (t) => {
  const { pass, asked, last, outcome } = startCall(t, [{}, {}, {}]);
  await pass(300);
  await last().fail();
  assert.deepEqual(asked(), ['a 0', 'b 250', 'c 300']);
  await last().answer('from c');
  assert.equal(outcome.answer, 'from c');
});

test('an attempt leaves each upstream that was not tried yet its share of the time, and the last one all of it', async (t) => {
  const { attempts, last } = startCall(t, [{}, {}, {}], 900);
  await last().fail();
  await last().fail();
  assert.deepEqual(
    attempts.map(({ timeoutMs }) => timeoutMs),
    [300, 450, 900],
  );
  await last().answer('from c');
});

test('past its deadline nothing is asked, and a millisecond before it is', async (t) => {
  const late = startCall(t, [{}], 0);
  await late.pass(1);
  assert.deepEqual(late.asked(), []);
  assert.match(`${late.outcome.error}`, /did not answer in time/);
  t.mock.timers.reset();
  const inTime = startCall(t, [{}], 1);
  assert.equal(inTime.last().timeoutMs, 1);
  await inTime.last().answer('in time');
  assert.equal(inTime.outcome.answer, 'in time');
});

test('one upstream that fails is asked three times, after 40 and 80 ms', async (t) => {
  const { pass, asked, last, outcome } = startCall(t, [{}]);
  await last().fail();
  await pass(39);
  assert.deepEqual(asked(), ['a 0']);
  await pass(1);
  assert.deepEqual(asked(), ['a 0', 'a 40']);
  await last().fail();
  await pass(79);
  assert.equal(asked().length, 2);
  await pass(1);
  assert.deepEqual(asked(), ['a 0', 'a 40', 'a 120']);
  assert.deepEqual(outcome, {});
  await last().fail();
  assert.match(`${outcome.error}`, /a failed/);
  await pass(5_000);
  assert.equal(asked().length, 3);
});

test('one upstream that refuses the call is not asked again, and another one is', async (t) => {
  const { pass, asked, last, outcome } = startCall(t, [{}, {}]);
  await last().fail('refused');
  await last().fail();
  await pass(40);
  await last().fail('too_large');
  await pass(1_000);
  assert.deepEqual(asked(), ['a 0', 'b 0', 'b 40']);
  assert.match(`${outcome.error}`, /b failed/);
});

test('of several upstreams that fail, each is asked once before any is asked again', async (t) => {
  const { pass, asked, last, hedges, outcome } = startCall(t, [{}, {}]);
  await last().fail();
  await last().fail();
  await pass(40);
  await last().fail();
  await last().fail();
  await pass(80);
  await last().fail();
  await last().fail();
  assert.deepEqual(asked(), ['a 0', 'b 0', 'a 40', 'b 40', 'a 120', 'b 120']);
  assert.deepEqual(hedges, []);
  assert.match(`${outcome.error}`, /b failed/);
});

test('a single upstream that hangs is asked once, for all the time there is, and again when that fails', async (t) => {
  const { pass, asked, last } = startCall(t, [{}]);
  assert.equal(last().timeoutMs, 5_000);
  await pass(2_000);
  await last().fail('timeout');
  await pass(40);
  assert.deepEqual(asked(), ['a 0', 'a 2040']);
});

test('where no upstream is usable a call waits for a second, and fails with the fault of the preferred one', async (t) => {
  const { pass, asked, outcome } = startCall(t, [{ isUsable: false }, { isUsable: false }]);
  await pass(999);
  assert.deepEqual(outcome, {});
  await pass(11);
  assert.ok((outcome.at ?? 0) >= 1_000);
  assert.match(`${outcome.error}`, /a is away/);
  assert.deepEqual(asked(), []);
});

test('a call whose time is over before one is usable fails with the fault of the preferred one', async (t) => {
  const { pass, outcome } = startCall(t, [{ isUsable: false }, { isUsable: false }], 500);
  await pass(510);
  assert.match(`${outcome.error}`, /a is away/);
});

test('it does not wait for an upstream that is probed only later', async (t) => {
  const { pass, outcome } = startCall(t, [{ isUsable: false, probeDueAt: 11_000 }]);
  await pass(1);
  assert.match(`${outcome.error}`, /a is away/);
  assert.ok((outcome.at ?? 0) <= 1);
});

test('an upstream that is usable again in time is asked', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, [{ isUsable: false }, { isUsable: false }]);
  await pass(400);
  await nodes[1]?.revive(true);
  await pass(10);
  assert.deepEqual(asked(), ['b 410']);
  await last().answer('revived');
  assert.deepEqual(outcome, { answer: 'revived', at: 410 });
});

test('an upstream that is usable again while a slow one is still under way is asked beside it', async (t) => {
  const { nodes, pass, asked, hedges, last, outcome } = startCall(t, [{}, { isUsable: false }]);
  await pass(740);
  await nodes[1]?.revive(true);
  await pass(10);
  assert.deepEqual(
    [asked(), hedges],
    [
      ['a 0', 'a 250', 'b 750'],
      ['a', 'b'],
    ],
  );
  await last().answer('revived');
  assert.deepEqual(outcome, { answer: 'revived', at: 750 });
});

test('an upstream that failed until it was left is asked again when a probe has found it well', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, [{}]);
  await last().fail();
  await pass(40);
  await last().fail();
  await pass(80);
  const [a] = nodes;
  assert.ok(a);
  a.isUsable = false;
  await last().fail();
  await pass(500);
  assert.deepEqual(outcome, {});
  await a.revive(true);
  await pass(10);
  assert.deepEqual(asked(), ['a 0', 'a 40', 'a 120', 'a 630']);
  await last().answer('revived');
  assert.equal(outcome.answer, 'revived');
});

test('a probe that fails is waited for again while the next one is due in time', async (t) => {
  const { nodes, now, pass, asked, outcome } = startCall(t, [{ isUsable: false }]);
  const [a] = nodes;
  assert.ok(a);
  await pass(300);
  a.probeDueAt = now() + 250;
  const before = a.revivals.length;
  await a.revive(false);
  await pass(10);
  assert.ok(a.revivals.length > before);
  await pass(240);
  await a.revive(true);
  await pass(10);
  assert.deepEqual([asked(), outcome], [['a 560'], {}]);
});

test('every call has the upstreams that are not usable probed, and no others, and does not wait for them', async (t) => {
  const { nodes, last, outcome } = startCall(t, [{ isUsable: false }, {}]);
  assert.deepEqual(
    nodes.map(({ revivals }) => revivals.length),
    [1, 0],
  );
  assert.equal(last().to, 'b');
  await last().answer('from b');
  assert.equal(outcome.answer, 'from b');
});

test('a call leaves no timer behind that would keep the process', async (t) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const { nodes, attempts } = startNodes(t, 1);
  t.mock.timers.reset();
  const before = timers();
  const upstreams = nodes.map(({ upstream }) => upstream);
  const call = callWithFailover(request, { upstreams, deadline: 900_000, onHedge: () => {}, now: () => 0 });
  await attempts[0]?.answer('answered');
  await call;
  assert.ok(timers() <= before);
});
