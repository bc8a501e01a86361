import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../../src/accounts/account.ts';
import type { BatchDecision } from '../../../src/batch/decide-batch.ts';
import { decideBatchInSteps } from '../../../src/batch/decide-batch.ts';
import { validateBatchRequestInSteps } from '../../../src/batch/validate-batch-request.ts';
import { Pace, runSteps, type Steps, unitsPerStep } from '../../../src/packing/weights/steps.ts';
import { batchRequestOf, decideBatchIn, factsIn } from '../../batch/batch-scene.ts';
import { freshWallet } from '../../chain-accounts.ts';

function countSteps(steps: Steps<unknown>): number {
  for (let count = 1; ; count++) if (steps.next().done) return count;
}

const amounts = (count: number) => Array.from({ length: count }, (_, index) => ({ amount: BigInt(index + 1) }));

describe('a computation in steps', () => {
  it('gives the result of all of its steps', () => {
    function* addUp(): Steps<number> {
      let sum = 0;
      for (const number of [1, 2, 3]) {
        sum += number;
        yield;
      }
      return sum;
    }
    assert.equal(runSteps(addUp()), 6);
    assert.equal(countSteps(addUp()), 4);
  });

  it('ends a step once so much work was done, and begins the next one with none', () => {
    const pace = new Pace();
    const isOver = Array.from({ length: 2 * unitsPerStep }, () => pace.isStepOver(1));
    assert.deepEqual(
      isOver.flatMap((each, index) => (each ? [index + 1] : [])),
      [unitsPerStep, 2 * unitsPerStep],
    );
    assert.ok(pace.isStepOver(3 * unitsPerStep));
    assert.ok(!pace.isStepOver(unitsPerStep - 1));
  });

  it('counts all work that was done, of the steps before and of this one', () => {
    const pace = new Pace();
    for (const units of [unitsPerStep / 2, unitsPerStep, 3]) pace.isStepOver(units);
    assert.equal(pace.units, 1.5 * unitsPerStep + 3);
  });
});

describe('deciding a batch', () => {
  it('has one step for a few transfers', () => {
    const request = batchRequestOf(amounts(5));
    assert.equal(countSteps(decideBatchInSteps(request, factsIn(request))), 1);
  });

  it('looks into no more than 250 accounts in one step, of a thousand', () => {
    const request = batchRequestOf(amounts(1_000));
    const facts = factsIn(request);
    let looked = new Set<Account>();
    const read = new Map(
      [...facts.read].map(([address, account]) => {
        if (!account) return [address, account] as const;
        const { data, ...rest } = account;
        const watched: Account = {
          ...rest,
          get data() {
            looked.add(watched);
            return data;
          },
        };
        return [address, watched] as const;
      }),
    );
    const steps = decideBatchInSteps(request, { ...facts, read });
    const counts: number[] = [];
    let decision: BatchDecision | undefined;
    while (!decision) {
      looked = new Set();
      const step = steps.next();
      counts.push(looked.size);
      if (step.done) decision = step.value;
    }
    assert.ok(Math.max(...counts) <= 250, counts.join());
    assert.ok(counts.reduce((sum, count) => sum + count, 0) >= 1_000);
    assert.deepEqual(decision, decideBatchIn(request));
  });

  it('parses no more than 100 addresses in one step', () => {
    const transfers = Array.from({ length: 1_000 }, () => ({ to: freshWallet(), amount: '1' }));
    const inputs = { from: freshWallet(), mint: freshWallet(), createTokenAccount: 'always' as const, transfers };
    assert.ok(countSteps(validateBatchRequestInSteps(inputs)) >= 10);
  });
});
