import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { callWithFailover } from '../../src/chain/failover-call.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { type FakeAttempt, type FakeNode, startNodes } from './fake-attempts.ts';

const request = { method: 'getSlot' } as RpcRequest<string>;

/** A call to these upstreams, made at the time 0, with 5,000 ms before its deadline. */
function startCall(t: TestContext, ...changes: readonly Partial<FakeNode>[]) {
  const start = startNodes(t, changes.length);
  for (const [index, node] of start.nodes.entries()) Object.assign(node, changes[index]);
  const hedges: string[] = [];
  const outcome: { answer?: string; error?: string; at?: number } = {};
  const { nodes, now } = start;
  callWithFailover(request, {
    upstreams: nodes.map(({ upstream }) => upstream),
    deadline: now() + 5_000,
    onHedge: ({ name }) => hedges.push(name),
    now,
  }).then(
    (answer) => Object.assign(outcome, { answer, at: now() - 10_000 }),
    (error: Error) => Object.assign(outcome, { error: error.message, at: now() - 10_000 }),
  );
  const last = (): FakeAttempt => start.attempts.at(-1) ?? assert.fail('nothing was asked');
  return { ...start, hedges, outcome, last };
}

test('an upstream that is slower than usual is left to go on, and the next one is asked too', async (t) => {
  const { nodes, pass, asked, hedges, last, outcome } = startCall(t, { usualMs: 30 }, { usualMs: 50 }, {});
  assert.equal(nodes.length, 3);
  await pass(29);
  assert.deepEqual(asked(), ['a 0']);
  await pass(51);
  assert.deepEqual(asked(), ['a 0', 'b 30', 'c 80']);
  assert.deepEqual(hedges, ['b', 'c']);
  await last().answer('from c');
  assert.deepEqual(outcome, { answer: 'from c', at: 80 });
});

test('an upstream that takes the place of one that failed has its own time before the next one is asked too', async (t) => {
  const { pass, asked, hedges, last } = startCall(t, { usualMs: 30 }, { usualMs: 30 }, { usualMs: 30 });
  await pass(20);
  await last().fail();
  await pass(29);
  assert.deepEqual(asked(), ['a 0', 'b 20']);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 20', 'c 50'], ['c']]);
});

test('what is not needed any more is ended when it counts as lost: after 500 ms, or twice the usual time', async (t) => {
  const { attempts, pass, outcome } = startCall(t, { usualMs: 10 }, { usualMs: 300 }, {});
  await pass(310);
  const [a, b, c] = attempts;
  assert.ok(a && b && c);
  await c.answer('from c');
  assert.equal(outcome.answer, 'from c');
  await pass(189);
  assert.equal(a.signal.aborted, false);
  await pass(1);
  assert.equal(a.signal.aborted, true);
  await pass(109);
  assert.equal(b.signal.aborted, false);
  await pass(1);
  assert.equal(b.signal.aborted, true);
  await pass(5_000);
  assert.equal(c.signal.aborted, false, 'the one that answered has ended by itself');
});

test('one upstream that fails is asked three times, after 40 and 80 ms', async (t) => {
  const { pass, asked, last, outcome } = startCall(t, {});
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

test('of several upstreams that fail, each is asked once before any is asked again', async (t) => {
  const { pass, asked, last, hedges, outcome } = startCall(t, {}, {});
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

test('a single upstream that hangs is asked once, for all the time there is', async (t) => {
  const { pass, asked, last, outcome } = startCall(t, { usualMs: 10 });
  assert.equal(last().timeoutMs, 5_000);
  await pass(5_000);
  await last().fail('timeout');
  assert.deepEqual(asked(), ['a 0']);
  assert.equal(outcome.at, 5_000);
  assert.match(`${outcome.error}`, /a failed/);
});

test('upstreams that all hang are asked again once every attempt counts as lost', async (t) => {
  const { pass, asked, hedges, last, outcome } = startCall(t, { usualMs: 100 }, { usualMs: 100 });
  await pass(599);
  assert.deepEqual(asked(), ['a 0', 'b 100']);
  await pass(1);
  assert.deepEqual(asked(), ['a 0', 'b 100', 'a 600']);
  await pass(1_000);
  assert.deepEqual(asked(), ['a 0', 'b 100', 'a 600', 'b 1100', 'a 1600']);
  assert.deepEqual(hedges, ['b', 'a', 'b', 'a']);
  await last().answer('at last');
  assert.equal(outcome.answer, 'at last');
});

test('one that failed is asked again only when the attempt of the other one counts as lost', async (t) => {
  const { pass, asked, hedges, last } = startCall(t, { usualMs: 100 }, { usualMs: 100 });
  await last().fail();
  await pass(499);
  assert.deepEqual(asked(), ['a 0', 'b 0']);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 0', 'a 500'], ['a']]);
  await last().answer('at last');
});

test('where no upstream is usable a call waits for a second, and fails with the fault of the preferred one', async (t) => {
  const { pass, asked, outcome } = startCall(t, { isUsable: false }, { isUsable: false });
  await pass(999);
  assert.deepEqual(outcome, {});
  await pass(1);
  assert.equal(outcome.at, 1_000);
  assert.match(`${outcome.error}`, /a is away/);
  assert.deepEqual(asked(), []);
});

test('it does not wait for an upstream that is probed only later', async (t) => {
  const { pass, outcome } = startCall(t, { isUsable: false, probeDueAt: 11_000 });
  await pass(1);
  assert.match(`${outcome.error}`, /a is away/);
  assert.ok((outcome.at ?? 0) <= 1);
});

test('an upstream that is usable again in time is asked', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, { isUsable: false }, { isUsable: false });
  await pass(400);
  await nodes[1]?.revive(true);
  assert.deepEqual(asked(), ['b 400']);
  await last().answer('revived');
  assert.deepEqual(outcome, { answer: 'revived', at: 400 });
});

test('an upstream that is usable again while a slow one is still under way is asked at once', async (t) => {
  const { nodes, pass, asked, hedges, last, outcome } = startCall(t, { usualMs: 50 }, { isUsable: false });
  await pass(100);
  await nodes[1]?.revive(true);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 100'], ['b']]);
  await last().answer('revived');
  assert.deepEqual(outcome, { answer: 'revived', at: 100 });
});

test('an upstream that failed until it was left is asked again when a probe has found it well', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, {});
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
  assert.deepEqual(asked(), ['a 0', 'a 40', 'a 120', 'a 620']);
  await last().answer('revived');
  assert.equal(outcome.answer, 'revived');
});

test('a probe that fails is waited for again while the next one is due in time', async (t) => {
  const { nodes, now, pass, outcome, asked } = startCall(t, { isUsable: false });
  const [a] = nodes;
  assert.ok(a);
  await pass(300);
  a.probeDueAt = now() + 250;
  const before = a.revivals.length;
  await a.revive(false);
  assert.ok(a.revivals.length > before);
  await pass(250);
  await a.revive(true);
  assert.deepEqual([asked(), outcome], [['a 550'], {}]);
});

test('one that is waited for while the probe of another fails is asked three times when it is usable again', async (t) => {
  const { nodes, now, pass, asked, last, outcome } = startCall(t, { isUsable: false }, { isUsable: false });
  const [a, b] = nodes;
  assert.ok(a && b);
  await pass(100);
  b.probeDueAt = now() + 100;
  await b.revive(false);
  await pass(100);
  await a.revive(true);
  await last().fail();
  await pass(40);
  await last().fail();
  await pass(80);
  await last().fail();
  await pass(700);
  assert.deepEqual(asked(), ['a 200', 'a 240', 'a 320']);
  assert.match(`${outcome.error}`, /a failed/);
});

test('a single slow upstream is asked once, also when it is found to be usable after it was asked', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, { isUsable: false, usualMs: 10 });
  const [a] = nodes;
  assert.ok(a);
  await pass(999);
  // Another call has had it probed, of which this one hears a moment later.
  a.isUsable = true;
  await pass(1);
  assert.deepEqual(asked(), ['a 1000']);
  await a.revive(true);
  await pass(2_000);
  assert.deepEqual(asked(), ['a 1000']);
  await last().answer('at last');
  assert.deepEqual(outcome, { answer: 'at last', at: 3_000 });
});

test('an upstream that is found to be usable while it is asked may be asked three times more', async (t) => {
  const { nodes, pass, asked, last, outcome } = startCall(t, { isUsable: false });
  const [a] = nodes;
  assert.ok(a);
  await pass(999);
  a.isUsable = true;
  await pass(1);
  await a.revive(true);
  for (let count = 0; count < 4; count += 1) {
    assert.equal(asked().length, count + 1);
    await last().fail();
    await pass(200);
  }
  assert.equal(asked().length, 4);
  assert.match(`${outcome.error}`, /a failed/);
});

test('every call has the upstreams that are not usable probed, and no others, and does not wait for them', async (t) => {
  const { nodes, last, outcome } = startCall(t, { isUsable: false }, {});
  assert.deepEqual(
    nodes.map(({ revivals }) => revivals.length),
    [1, 0],
  );
  assert.equal(last().to, 'b');
  await last().answer('from b');
  assert.equal(outcome.answer, 'from b');
});

test('after its end a call asks no upstream, whatever becomes of what is still under way', async (t) => {
  const { attempts, pass, asked, last, outcome } = startCall(t, { usualMs: 10 }, {});
  await pass(10);
  await last().answer('from b');
  await attempts[0]?.fail();
  await pass(5_000);
  assert.deepEqual([asked(), outcome], [['a 0', 'b 10'], { answer: 'from b', at: 10 }]);
});
