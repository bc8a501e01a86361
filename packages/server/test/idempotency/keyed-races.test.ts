import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyedWorld } from './keyed-world.ts';

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('step' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('request' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), index: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('land' as const), index: fc.nat({ max: 3 }) }) },
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
      void world.request();
      return;
    case 'step':
      return world.step(happening.index, 'goes on');
    case 'fail':
      return world.step(happening.index, 'fails');
    case 'crash':
      return world.step(happening.index, 'crashes');
    case 'land':
      return world.land(happening.index);
    case 'pass':
      return world.pass(happening.blocks, happening.milliseconds);
  }
}

/** Retries as a client should, with nothing else under way, until it is told that the payment landed. */
async function payAtLast(world: KeyedWorld): Promise<void> {
  for (let attempts = 0; attempts < 20; attempts++) {
    const answer = world.request();
    let outcome: Awaited<typeof answer> | undefined;
    void answer.then((each) => {
      outcome = each;
    });
    while (outcome === undefined) await world.step(0, 'goes on');
    if (outcome === 'already_landed') return;
    if (outcome === 'handed out') for (let index = 0; index < world.transactions.length; index++) world.land(index);
    else world.pass(100, 7000);
  }
  assert.fail('it was not paid in 20 attempts');
}

test('Requests under one key in any order, with crashes, faults and late answers: at most one transaction can be paid, and one is at last', async () => {
  let landedTwiceRebuilt = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 120 }), async (happenings) => {
      const world = new KeyedWorld();
      for (const happening of happenings) {
        await play(world, happening);
        assert.ok(world.payable <= 1, 'two transactions can be paid');
      }
      while (world.actors.length > 0) await world.step(0, 'crashes');
      await payAtLast(world);
      assert.equal(world.payments, 1);
      assert.ok(world.payable === 1);
      if (world.transactions.filter(({ isHandedOut }) => isHandedOut).length > 1) landedTwiceRebuilt += 1;
    }),
    { numRuns: 1500 },
  );
  assert.ok(landedTwiceRebuilt > 20, `only ${landedTwiceRebuilt} worlds had a transaction that was built again`);
});
