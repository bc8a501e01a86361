import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LeasedRateLimiter } from '../../src/limits/leased-rate-limiter.ts';
import type { RateLimitDecision } from '../../src/limits/rate-limiter.ts';
import { ControlledSource } from './controlled-source.ts';

type Outcome = ReturnType<LeasedRateLimiter['take']>;

/** Processes that share one source, and the clock that all of them read. */
function startProcesses(count: number, limit: number) {
  const clock = { now: 1000 };
  const now = (): number => clock.now;
  const source = new ControlledSource(now);
  const options = { source, defaultPerMinute: limit, processes: count, now };
  const limiters = Array.from({ length: count }, () => new LeasedRateLimiter(options));
  const take = (index = 0, id = 'a'): Outcome => limiters[index % count]?.take({ id, rateLimitPerMinute: null });
  return { clock, source, take };
}

async function countAllowed(outcomes: readonly Outcome[]): Promise<number> {
  const decisions = await Promise.all(outcomes);
  return decisions.filter((decision) => decision?.isAllowed).length;
}

function decided(outcome: Outcome): RateLimitDecision {
  assert.ok(outcome !== undefined && !(outcome instanceof Promise), 'decided at once');
  return outcome;
}

test('Processes that share a budget', async (t) => {
  await t.test('pass its limit together, however the requests are spread and whenever they come', async () => {
    const draws = fc.array(fc.tuple(fc.nat(3), fc.nat(12)), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), draws, async (limit, bursts) => {
        const { source, take } = startProcesses(4, limit);
        let sent = 0;
        let allowed = 0;
        for (const [index, size] of bursts) {
          source.isHolding = size % 2 === 0;
          const outcomes = Array.from({ length: size }, () => take(index));
          if (source.isHolding && outcomes.some((outcome) => outcome instanceof Promise)) await source.nextQuestion();
          source.release();
          sent += size;
          allowed += await countAllowed(outcomes);
        }
        // Blocks of a limit this small are single requests, so that nothing is leased in vain.
        assert.equal(allowed, Math.min(sent, limit));
      }),
    );
  });

  await t.test('keep at most 1 % of it from one another', async () => {
    for (const limit of [400, 1000, 40_000]) {
      const { take } = startProcesses(4, limit);
      for (const index of [1, 2, 3]) assert.equal(await countAllowed([take(index)]), 1);
      const rest = await countAllowed(Array.from({ length: limit }, () => take(0)));
      assert.ok(rest + 3 >= 0.99 * limit && rest + 3 <= limit, `${rest + 3} of ${limit}`);
    }
  });

  await t.test('begin anew when the window of the source has ended', async () => {
    const { clock, take } = startProcesses(2, 3);
    assert.equal(await countAllowed([take(0), take(1), take(0), take(1)]), 3);
    clock.now += 59_999;
    assert.deepEqual(decided(take(1)), { isAllowed: false, limit: 3, remaining: 0, millisecondsLeft: 1 });
    clock.now += 1;
    assert.equal(await countAllowed([take(0), take(1), take(0), take(1)]), 3);
  });
});

test('A process', async (t) => {
  await t.test('asks for a block, and decides at once as long as it lasts', async () => {
    const { source, take } = startProcesses(4, 40_000);
    assert.deepEqual(await take(), { isAllowed: true, limit: 40_000, remaining: 39_999, millisecondsLeft: 60_000 });
    for (let count = 2; count <= 100; count++) assert.equal(decided(take()).remaining, 40_000 - count);
    assert.deepEqual(source.questions, [[{ id: 'a', limit: 40_000, wanted: 100 }]]);
    assert.equal((await take())?.remaining, 39_899);
  });

  await t.test('asks for all that waits in one message, and sends one at a time', async () => {
    const { source, take } = startProcesses(4, 10);
    source.isHolding = true;
    const first = [take(0, 'a'), take(0, 'b'), take(0, 'a')];
    await source.nextQuestion();
    const second = [take(0, 'a'), take(0, 'c'), take(0, 'c')];
    source.release();
    assert.equal(await countAllowed([...first, ...second]), 6);
    const summary = source.questions.map((requests) => requests.map(({ id, wanted }) => `${wanted} ${id}`));
    assert.deepEqual(summary, [
      ['2 a', '1 b'],
      ['1 a', '2 c'],
    ]);
  });

  await t.test('refuses at once what it knows to be used up, and asks no more', async () => {
    const { source, take } = startProcesses(4, 2);
    assert.equal(await countAllowed([take(1), take(1), take(0)]), 2);
    const questions = source.questions.length;
    for (let count = 0; count < 10; count++) assert.equal(decided(take(0)).isAllowed, false);
    assert.equal(source.questions.length, questions);
  });

  await t.test('takes 0 for no limit, and asks nobody', () => {
    const { source, take } = startProcesses(4, 0);
    assert.equal(take(), undefined);
    assert.deepEqual(source.questions, []);
  });
});

test('While the source cannot be reached', async (t) => {
  await t.test('each process decides at once and holds the limit by itself', async () => {
    const { source, take } = startProcesses(2, 3);
    source.lose();
    for (const index of [0, 1]) {
      const decisions = Array.from({ length: 5 }, () => decided(take(index)));
      assert.deepEqual(
        decisions.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0],
        ],
      );
    }
    assert.deepEqual(source.questions, []);
  });

  await t.test('what was asked is decided alone', async () => {
    const { source, take } = startProcesses(2, 3);
    source.isHolding = true;
    const outcomes = Array.from({ length: 5 }, () => take());
    await source.nextQuestion();
    source.lose();
    assert.equal(await countAllowed(outcomes), 3);
  });

  await t.test('what was known to be used up stays so to the end of the window', async () => {
    const { clock, source, take } = startProcesses(2, 3);
    assert.equal(await countAllowed([take(1), take(1), take(1), take(0)]), 3);
    source.lose();
    assert.equal(decided(take(0)).isAllowed, false);
    clock.now += 60_000;
    assert.equal(decided(take(0)).isAllowed, true);
  });

  await t.test('it is asked again as soon as it is back, and no process passes more than the limit', async () => {
    const { source, take } = startProcesses(2, 10);
    assert.equal(await countAllowed(Array.from({ length: 4 }, () => take(0))), 4);
    source.lose();
    assert.equal(await countAllowed(Array.from({ length: 3 }, () => take(0))), 3);
    source.isReachable = true;
    // The source has forgotten everything and would grant 10.
    assert.equal(await countAllowed(Array.from({ length: 20 }, () => take(0))), 3);
  });
});

test('While the source is late', async (t) => {
  await t.test('requests pass on credit, up to a share of the rest, and wait past it', async () => {
    const { source, take } = startProcesses(4, 80);
    source.isHolding = true;
    const outcomes = Array.from({ length: 5 }, () => take());
    outcomes.push(take(0, 'other'));
    assert.equal(await countAllowed(outcomes), 6);
    assert.equal(source.questions.length, 1, 'not answered yet');
    const past = take();
    assert.ok(past instanceof Promise);
    source.release();
    assert.equal((await past)?.isAllowed, true);
  });

  await t.test('what passed on credit is asked for afterwards, so that the limit holds', async () => {
    const { source, take } = startProcesses(4, 80);
    source.isHolding = true;
    const early = [take(), take()];
    assert.equal(await countAllowed(early), 2);
    // Late: these pass at once, without having been asked for.
    const late = [decided(take()), decided(take()), decided(take())];
    assert.equal(await countAllowed(late), 3);
    source.release();
    assert.equal((await take())?.isAllowed, true);
    assert.equal(await countAllowed(Array.from({ length: 100 }, (_, index) => take(index))), 80 - 2 - 3 - 1);
  });
});
