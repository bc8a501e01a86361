import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckBudget } from '../../../src/payments/check/check-budget.ts';

const clock = { ms: 5_000 };

/** A new budget of four checks a second, of which so many are taken. */
function budgetWithout(taken: number): CheckBudget {
  const budget = new CheckBudget(4, () => clock.ms);
  for (let check = 0; check < taken; check += 1) assert.equal(budget.take(), true);
  return budget;
}

/** How many checks can be taken now, up to 9. */
function countLeft(budget: CheckBudget): number {
  let count = 0;
  while (count < 9 && budget.take()) count += 1;
  return count;
}

describe('the budget of checks', () => {
  it('has as many checks at once as it has a second, also after a long pause', () => {
    assert.equal(countLeft(budgetWithout(0)), 4);
    const budget = budgetWithout(4);
    clock.ms += 3_600_000;
    assert.equal(countLeft(budget), 4);
  });

  it('gets checks back as time passes, and parts of them count', () => {
    const budget = budgetWithout(4);
    clock.ms += 249;
    assert.equal(budget.take(), false);
    clock.ms += 1;
    assert.equal(countLeft(budget), 1);
    clock.ms += 600;
    assert.equal(countLeft(budget), 2);
    clock.ms += 200;
    assert.equal(countLeft(budget), 1);
  });

  it('says how long to wait for the next check, in whole milliseconds, and not at all while there is one', () => {
    assert.equal(budgetWithout(0).waitMs, 0);
    assert.equal(budgetWithout(3).waitMs, 0);
    const budget = budgetWithout(4);
    assert.equal(budget.waitMs, 250);
    clock.ms += 0.5;
    assert.equal(budget.waitMs, 250);
    clock.ms += 0.5;
    assert.equal(budget.waitMs, 249);
  });

  it('reserves checks one after another, each of which waits for those before it', () => {
    const budget = budgetWithout(3);
    assert.deepEqual([budget.reserve(0), budget.reserve(1_000), budget.reserve(1_000)], [0, 250, 500]);
    assert.equal(budget.take(), false);
    clock.ms += 750;
    assert.equal(countLeft(budget), 1);
  });

  it('reserves nothing that is free only after the longest wait', () => {
    const budget = budgetWithout(4);
    assert.equal(budget.reserve(249), undefined);
    assert.equal(budget.reserve(250), 250);
  });
});
