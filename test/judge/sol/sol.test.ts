import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Judge } from '../judge.ts';
import { sol } from './judge-sol.ts';

const worlds = 600;
const seed = 7;

it(`The service and the chain agree on payments of SOL: of seed ${seed}, ${worlds} of them`, async () => {
  const judge = new Judge(sol, seed);
  assert.deepEqual(await judge.judgeAll(worlds), []);
  for (const what of [
    'insufficient_sol',
    'recipient_below_rent_minimum',
    'recipient_is_reserved',
    'tip_account_not_payable',
    'from a vault',
  ]) {
    assert.ok(judge.happened.has(what), judge.describe());
  }
});
