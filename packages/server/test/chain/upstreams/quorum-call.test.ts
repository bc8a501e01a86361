import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Agreement } from '../../../src/chain/reads/agreement.ts';
import type { RpcRequest } from '../../../src/chain/rpc/rpc-transport.ts';
import { callWithQuorum } from '../../../src/chain/upstreams/quorum-call.ts';
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

test('one that takes the place of another that failed has its own time before the next one is asked too', async (t) => {
  const { askedOf, asked, pass, hedges } = startCall(t, 4, {
    prepare: ({ nodes }) => nodes.map((node) => (node.usualMs = 30)),
  });
  const b = await askedOf('b');
  await pass(20);
  await b.fail();
  await pass(29);
  assert.deepEqual(asked(), ['a 0', 'b 0', 'c 20']);
  await pass(1);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 0', 'c 20', 'd 50'], ['d']]);
});

test('once enough have agreed nobody else is asked, whatever becomes of those that are slow', async (t) => {
  const { askedOf, asked, pass, hedges, outcome } = startCall(t, 4, {
    prepare: ({ nodes }) => nodes.map((node) => (node.usualMs = 30)),
  });
  const a = await askedOf('a');
  await pass(30);
  await (await askedOf('b')).answer('x');
  await (await askedOf('c')).answer('x');
  assert.deepEqual(outcome, { answer: 'x' });
  await a.fail();
  await pass(5_000);
  assert.deepEqual([asked(), hedges], [['a 0', 'b 0', 'c 30'], ['c']]);
});

test('what is not needed any more is ended after 500 ms', async (t) => {
  const { askedOf, pass } = startCall(t, 3, { prepare: ({ nodes }) => nodes.map((node) => (node.usualMs = 10)) });
  const [a, b] = [await askedOf('a'), await askedOf('b')];
  await pass(10);
  await (await askedOf('c')).answer('x');
  await b.answer('x');
  await pass(499);
  assert.equal(a.signal.aborted, false);
  await pass(1);
  assert.equal(a.signal.aborted, true);
  assert.equal(b.signal.aborted, false, 'the one that answered has ended by itself');
});

test('when the first ones differ another one decides, and that is no dispute', async (t) => {
  const { askedOf, outcome, disputes } = startCall(t, 3);
  await (await askedOf('a')).answer('x');
  await (await askedOf('b')).answer('y');
  await (await askedOf('c')).answer('y');
  assert.deepEqual([outcome, disputes], [{ answer: 'y' }, []]);
});

test('upstreams that differ are asked again, and what they said before counts', async (t) => {
  const { askedOf, ended, outcome, disputes } = startCall(t, 2);
  await (await askedOf('a')).answer('x');
  await (await askedOf('b')).answer('y');
  assert.deepEqual(outcome, {});
  await (await askedOf('a', 2)).answer('y');
  await ended;
  assert.deepEqual([outcome, disputes], [{ answer: 'y' }, [true]]);
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

test('they are not asked again where the pause would last until the deadline', async (t) => {
  for (const [leftMs, rounds] of [
    [50, 1],
    [51, 2],
    [100, 2],
  ] as const) {
    await t.test(`${leftMs} ms before it`, async (t2) => {
      const { askedOf, ended, attempts, disputes } = startCall(t2, 2, { leftMs });
      for (let round = 1; round <= rounds; round++) {
        await (await askedOf('a', round)).answer('x');
        await (await askedOf('b', round)).answer('y');
      }
      await ended;
      assert.deepEqual([attempts.length, disputes], [2 * rounds, [false]]);
    });
  }
});

test('an answer that can be marked is not asked for again', async (t) => {
  const { askedOf, outcome, disputes, attempts } = startCall(t, 2, {
    mark: (answers, quorum) => `${answers.map(({ upstream, value }) => upstream + value).join()} of ${quorum}`,
  });
  await (await askedOf('a')).answer('x');
  await (await askedOf('b')).answer('y');
  assert.deepEqual(outcome, { answer: 'ax,by of 2' });
  assert.deepEqual([attempts.length, disputes], [2, []]);
});

test('too few answers are no dispute: the call fails with the last fault', async (t) => {
  const { askedOf, ended, outcome, disputes } = startCall(t, 2, { leftMs: 50, mark: () => 'marked' });
  await (await askedOf('a')).answer('x');
  await (await askedOf('b')).fail();
  await ended;
  assert.match(`${outcome.error}`, /b failed/);
  assert.deepEqual(disputes, []);
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

test('past the deadline nothing is asked', async (t) => {
  const { ended, outcome, asked } = startCall(t, 2, { leftMs: 0 });
  await ended;
  assert.match(`${outcome.error}`, /in time/);
  assert.deepEqual(asked(), []);
});

test('while too few are usable a call waits for them for a second', async (t) => {
  for (const [name, isRevivedMs, lastsMs] of [
    ['until one of them is', 999, 999],
    ['and fails with the fault of the one that is not', undefined, 1_000],
  ] as const) {
    await t.test(name, async (t2) => {
      const { nodes, clock, askedOf, ended, asked, outcome } = startCall(t2, 2, {
        prepare: ({ nodes: [, b] }) => Object.assign(b ?? {}, { isUsable: false }),
      });
      const [, b] = nodes;
      assert.ok(b);
      clock.now += 999;
      await b.revive(isRevivedMs !== undefined);
      if (isRevivedMs === undefined) {
        // It is probed again, as there is a millisecond left.
        while (b.revivals.length < 2) await turn();
        clock.now += 1;
        await ended;
        assert.match(`${outcome.error}`, /b is away/);
        assert.deepEqual(asked(), []);
      } else {
        await (await askedOf('a')).answer('x');
        await (await askedOf('b')).answer('x');
        assert.deepEqual([outcome, asked()], [{ answer: 'x' }, [`a ${lastsMs}`, `b ${lastsMs}`]]);
      }
    });
  }
});

test('probes that end at once, as those of a pool that is closed, do not keep other work from being done', async (t) => {
  const { clock, ended, outcome } = startCall(t, 2, {
    prepare: ({ nodes: [, b] }) => {
      Object.assign(b ?? {}, { isUsable: false });
      Object.assign(b?.upstream ?? {}, { revive: async () => false });
    },
  });
  await turn();
  clock.now += 1_000;
  await ended;
  assert.match(`${outcome.error}`, /b is away/);
});

test('every call has the upstreams that are not usable probed, and no others, and does not wait for them', async (t) => {
  const { nodes, askedOf, outcome } = startCall(t, 3, {
    prepare: ({ nodes: [a] }) => Object.assign(a ?? {}, { isUsable: false }),
  });
  assert.deepEqual(
    nodes.map(({ revivals }) => revivals.length),
    [1, 0, 0],
  );
  await (await askedOf('b')).answer('x');
  await (await askedOf('c')).answer('x');
  assert.deepEqual(outcome, { answer: 'x' });
});
