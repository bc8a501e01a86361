import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { allRules, openCourt, passTime } from '../../../../test/judge/court.ts';
import { drawWorld } from '../../../../test/judge/draw-world.ts';
import { describeWorld } from '../../../../test/judge/world.ts';
import { thawsOf } from '../../../core/src/plan/transfer-plan.ts';
import { VerificationError, verifyTransfer } from '../../src/verify/index.ts';
import { answerWorld } from './worlds.ts';

const count = Number(process.env.VERIFY_WORLDS ?? 200);
const seed = Number(process.env.VERIFY_SEED ?? randomInt(2 ** 32));

test(`Every reply of the service to ${count} random requests passes, of seed ${seed}`, async () => {
  const courts = allRules.map(openCourt);
  const operations = new Map<string, number>();
  let hooked = 0;
  let thawed = 0;
  // What is rare may come later.
  for (let number = 0; number < count || ((hooked === 0 || thawed === 0) && number < 20 * count); number++) {
    const court = courts[number % courts.length];
    if (!court) throw new Error('there is no court');
    const world = drawWorld(seed, number);
    const answered = await answerWorld(court, world);
    if (number % 50 === 49) for (const each of courts) passTime(each, 10);
    if (!answered) continue;
    const { request, reply, path, built, lifetimeToken, isHooked, situation } = answered;
    operations.set(world.operation, (operations.get(world.operation) ?? 0) + 1);
    const { plan } = built;
    const options = { operation: path, lifetimeToken, decimals: situation.decimals, tokenProgram: plan.tokenProgram };
    if (isHooked) {
      hooked++;
      const refused = verifyTransfer(request, reply, { ...options, allowThaw: true });
      await assert.rejects(refused, { code: 'transfer_hook_not_allowed' }, describeWorld(world));
    }
    if (thawsOf(plan).length > 0) {
      thawed++;
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
  assert.ok(hooked > 0 && thawed > 0, `${hooked} with a hook, ${thawed} with a thaw`);
});
