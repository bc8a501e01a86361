import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { allRules, openCourt, passTime } from '../../../../test/judge/court.ts';
import { drawWorld } from '../../../../test/judge/draw-world.ts';
import { describeWorld } from '../../../../test/judge/world.ts';
import { thawsOf } from '../../../core/src/plan/transfer-plan.ts';
import { VerificationError, verifyTransfer } from '../../src/verify/index.ts';
import { answerWorld, particularsOf } from './worlds.ts';

const count = Number(process.env.VERIFY_WORLDS ?? 200);
// A hook, a thaw, SOL, a tip, a sponsor that is free and one for a fee, wrapping, unwrapping, a vault, a third signer.
const particulars = 10;
const seed = Number(process.env.VERIFY_SEED ?? randomInt(2 ** 32));

test(`Every reply of the service to ${count} random requests passes, of seed ${seed}`, async () => {
  const courts = allRules.map(openCourt);
  const operations = new Map<string, number>();
  const seen = new Map<string, number>();
  // What is rare may come later.
  for (let number = 0; number < count || (seen.size < particulars && number < 20 * count); number++) {
    const court = courts[number % courts.length];
    if (!court) throw new Error('there is no court');
    const world = drawWorld(seed, number);
    const answered = await answerWorld(court, world, true);
    if (number % 50 === 49) for (const each of courts) passTime(each, 10);
    if (!answered) continue;
    const { request, reply, path, built, lifetimeToken, isHooked } = answered;
    operations.set(world.operation, (operations.get(world.operation) ?? 0) + 1);
    const { plan } = built;
    const options = {
      operation: path,
      lifetimeToken,
      decimals: plan.decimals,
      tokenProgram: plan.tokenProgram,
      maxTransferFeeBasisPoints: 10_000,
    };
    for (const each of particularsOf(answered)) seen.set(each, (seen.get(each) ?? 0) + 1);
    if (isHooked) {
      const refused = verifyTransfer(request, reply, { ...options, allowThaw: true });
      await assert.rejects(refused, { code: 'transfer_hook_not_allowed' }, describeWorld(world));
    }
    if (thawsOf(plan).length > 0) {
      const refused = verifyTransfer(request, reply, { ...options, allowTransferHook: true });
      await assert.rejects(refused, { code: 'thaw_not_allowed' }, describeWorld(world));
    }
    const all = { ...options, allowTransferHook: true, allowThaw: true };
    const verified = await verifyTransfer(request, reply, all).catch((error) => {
      assert.ok(error instanceof VerificationError);
      assert.fail(`${error.message}\n${JSON.stringify(request)}\n${describeWorld(world)}`);
    });
    const paid = plan.payments.map((each) => [each.recipientTokenAccount, each.amount, each.memo?.text]);
    assert.deepEqual(
      verified.payments.map((each) => [each.recipientTokenAccount, each.amount, each.memo]),
      paid,
    );
    assert.equal(verified.priorityFeeLamports, plan.priorityFee);
    assert.equal(verified.computeUnitLimit, plan.computeUnitLimit);
    assert.deepEqual(verified.unknown, []);
  }
  assert.ok([...operations.values()].every((times) => times > 0) && operations.size === 4, `${[...operations]}`);
  assert.equal(seen.size, particulars, `${[...seen]}`);
});
