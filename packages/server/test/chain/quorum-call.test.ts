import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Agreement } from '../../src/chain/agreement.ts';
import { callWithQuorum } from '../../src/chain/quorum-call.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { startNodes } from './fake-attempts.ts';

const request = { method: 'getSlot' } as RpcRequest<string>;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What so many different upstreams say. */
const sameAnswer: Agreement<string> = {
  agree: (answers, quorum) =>
    answers.find(
      ({ value }) =>
        new Set(answers.filter((each) => each.value === value).map((each) => each.upstream)).size >= quorum,
    )?.value,
};

interface CallOptions {
  mark?: Agreement<string>['mark'];
  /** How long before its deadline the call is made. */
  leftMs?: number;
  prepare?: (start: ReturnType<typeof startNodes>) => void;
}

/** A call to so many upstreams of which two must agree. */
function startCall(t: TestContext, count: number, { mark, leftMs = 5_000, prepare }: CallOptions = {}) {
  const start = startNodes(t, count);
  prepare?.(start);
  const hedges: string[] = [];
  const disputes: boolean[] = [];
  const outcome: { answer?: string; error?: string } = {};
  const { nodes, attempts, now } = start;
  const ended = callWithQuorum(
    request,
    { ...sameAnswer, ...(mark && { mark }) },
    {
      upstreams: nodes.map(({ upstream }) => upstream),
      quorum: 2,
      deadline: now() + leftMs,
      onHedge: ({ name }) => hedges.push(name),
      onDisagreement: (isResolved) => disputes.push(isResolved),
      now,
    },
  ).then(
    (answer) => Object.assign(outcome, { answer }),
    (error: Error) => Object.assign(outcome, { error: error.message }),
  );
  /** The latest attempt of an upstream, waited for. */
  const askedOf = async (name: string, times = 1) => {
    const own = () => attempts.filter(({ to }) => to === name);
    while (own().length < times) await turn();
    return own()[times - 1] ?? assert.fail('it was not asked');
  };
  return { ...start, hedges, disputes, outcome, ended, askedOf };
}

test('as many upstreams as must agree are asked at once, for all the time there is, and no other', async (t) => {
  const { askedOf, asked, attempts, outcome, disputes, hedges } = startCall(t, 3);
  await (await askedOf('a')).answer('x');
  assert.deepEqual(outcome, {});
  await (await askedOf('b')).answer('x');
  assert.deepEqual(outcome, { answer: 'x' });
  assert.deepEqual([asked(), disputes, hedges], [['a 0', 'b 0'], [], []]);
  assert.deepEqual(
    attempts.map(({ timeoutMs }) => timeoutMs),
    [5_000, 5_000],
  );
});

test('in the place of one that fails the next one is asked', async (t) => {
  const { askedOf, asked, outcome, hedges } = startCall(t, 3);
  await (await askedOf('a')).fail();
  assert.deepEqual(asked(), ['a 0', 'b 0', 'c 0']);
  await (await askedOf('c')).answer('x');
  await (await askedOf('b')).answer('x');
  assert.deepEqual([outcome, hedges], [{ answer: 'x' }, []]);
});

test('when the first ones differ another one decides, and that is no dispute', async (t) => {
  const { askedOf, outcome, disputes } = startCall(t, 3);
  await (await askedOf('a')).answer('x');
  await (await askedOf('b')).answer('y');
  await (await askedOf('c')).answer('y');
  assert.deepEqual([outcome, disputes], [{ answer: 'y' }, []]);
});

test('upstreams that differ five times are in dispute', async (t) => {
  const { askedOf, ended, attempts, outcome, disputes } = startCall(t, 2);
  for (let round = 1; round <= 5; round++) {
    assert.deepEqual(outcome, {});
    await (await askedOf('a', round)).answer('x');
    await (await askedOf('b', round)).answer('y');
  }
  await ended;
  assert.match(`${outcome.error}`, /2 of 2/);
  assert.deepEqual([attempts.length, disputes], [10, [false]]);
});

test('one upstream that says the same again and again is not two that say it, nor a dispute', async (t) => {
  const { askedOf, ended, attempts, outcome, disputes } = startCall(t, 2, { leftMs: 51, mark: () => 'marked' });
  for (let round = 1; round <= 2; round++) {
    await (await askedOf('a', round)).answer('x');
    await (await askedOf('b', round)).fail();
  }
  await ended;
  assert.match(`${outcome.error}`, /b failed/);
  assert.deepEqual([attempts.length, disputes], [4, []]);
});

test('when one is slower than the slowest of them usually is, the next one is asked too', async (t) => {
  const { askedOf, asked, pass, outcome, hedges } = startCall(t, 3, {
    prepare: ({ nodes: [a, b] }) => {
      Object.assign(a ?? {}, { usualMs: 50 });
      Object.assign(b ?? {}, { usualMs: 30 });
    },
  });
  await (await askedOf('a')).answer('x');
  await pass(49);
  assert.deepEqual(asked(), ['a 0', 'b 0']);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 0', 'c 50'], ['c']]);
  await (await askedOf('c')).answer('x');
  assert.deepEqual(outcome, { answer: 'x' });
  await pass(5_000);
  assert.deepEqual(hedges, ['c']);
});
