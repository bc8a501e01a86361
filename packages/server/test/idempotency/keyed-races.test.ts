import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyedWorld } from './keyed-world.ts';

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('step' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('request' as const), skips: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const), index: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('land' as const), index: fc.nat({ max: 3 }) }) },
  // Some of what was handed out lands, and then the rest cannot any more.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('land some' as const), some: fc.nat({ max: 255 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      blocks: fc.constantFrom(0, 1, 149, 150, 151, 200, 333, 400),
      milliseconds: fc.constantFrom(0, 1000, 6999, 7000, 20_000),
    }),
  },
);

async function play(
  world: KeyedWorld,
  happening: typeof event extends fc.Arbitrary<infer E> ? E : never,
): Promise<void> {
  switch (happening.kind) {
    case 'request':
      void world.request(happening.skips);
      return;
    case 'freeze':
      if (!world.frozen.delete(happening.index)) world.frozen.add(happening.index);
      return;
    case 'fork':
      return world.fork();
    case 'step':
      return world.step(happening.index, 'goes on');
    case 'fail':
      return world.step(happening.index, 'fails');
    case 'crash':
      return world.step(happening.index, 'crashes');
    case 'land':
      return world.land(happening.index);
    case 'land some':
      world.landSome(happening.some);
      return world.pass(400, 7000);
    case 'pass':
      return world.pass(happening.blocks, happening.milliseconds);
  }
}

/** What goes wrong while a client retries. */
interface Losses {
  /** Which of the transactions land at first, as bits. */
  some: number;
  /** Which transfers cannot be built at first, and after how many attempts they can. */
  frozen: readonly number[];
  frozenFor: number;
  /** After how many of its steps the process of each of the first attempts is killed. */
  kills: readonly number[];
}

/** Retries as a client should, with nothing else under way, until it is told that all has landed. */
async function payAtLast(world: KeyedWorld, { some, kills, frozen, frozenFor }: Losses): Promise<void> {
  for (const each of frozen) world.frozen.add(each);
  for (let attempts = 0; attempts < 60; attempts++) {
    if (attempts === frozenFor) world.frozen.clear();
    const answer = world.request(true);
    let outcome: Awaited<typeof answer> | undefined;
    const answered = answer.then((each) => {
      outcome = each;
    });
    let steps = kills[attempts] ?? Number.POSITIVE_INFINITY;
    while (outcome === undefined && steps-- > 0) {
      if (world.actors.length === 0) await answered;
      else await world.step(0, 'goes on');
    }
    if (outcome === 'already_landed') return;
    if (outcome === undefined) await world.step(0, 'crashes');
    const losesSome = attempts < 10;
    if (outcome === 'handed out') world.landSome(losesSome ? some >> (attempts % 8) : -1);
    // At times not for so long that all else is dead.
    if (outcome !== 'handed out' || losesSome) world.pass(losesSome && attempts % 3 !== 1 ? 400 : 100, 7000);
  }
  assert.fail('it was not paid in 60 attempts');
}

const losses: fc.Arbitrary<Losses> = fc.record({
  some: fc.nat({ max: 255 }),
  frozen: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }),
  frozenFor: fc.nat({ max: 8 }),
  kills: fc.array(fc.oneof(fc.constant(1000), fc.nat({ max: 20 })), { maxLength: 10 }),
});

const runs = Number(process.env.KEYED_RACES ?? 400);

for (const [what, transferCount] of [
  ['one transfer', 1],
  ['a batch', 5],
] as const) {
  test(`Requests for ${what} under one key in any order, with crashes, faults and late answers: nobody can be paid twice, and everybody is paid at last`, async () => {
    let worlds = 0;
    let rebuilt = 0;
    let rebuiltInPart = 0;
    let rebuiltBeside = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 120 }), losses, async (happenings, lost) => {
        worlds += 1;
        const world = await KeyedWorld.start(transferCount);
        for (const happening of happenings) {
          await play(world, happening);
          assert.ok(Math.max(...world.payable) <= 1, `transfers can be made so often: ${world.payable}`);
        }
        while (world.actors.length > 0) await world.step(0, 'crashes');
        world.frozen.clear();
        await payAtLast(world, lost);
        assert.deepEqual([...new Set([...world.payments, ...world.payable])], [1]);
        const lifetimes = world.transactions.filter(({ isHandedOut }) => isHandedOut);
        if (new Set(lifetimes.map(({ lastValidBlockHeight }) => lastValidBlockHeight)).size > 1) rebuilt += 1;
        if (world.partBuilds.landed > 0) rebuiltInPart += 1;
        if (world.partBuilds.pending > 0) rebuiltBeside += 1;
      }),
      { numRuns: runs },
    );
    // Fewer say nothing of how often that is.
    if (worlds < 200) return;
    assert.ok(rebuilt > worlds / 75, `only ${rebuilt} worlds had transactions that were built again`);
    for (const [count, what] of [
      [rebuiltInPart, 'landed'],
      [rebuiltBeside, 'might still land'],
    ] as const) {
      assert.ok(transferCount > 1 === count > worlds / 75, `${count} worlds had a batch of which some ${what}`);
    }
  });
}
