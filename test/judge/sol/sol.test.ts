import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allRules } from '../court.ts';
import { SolJudge } from './sol-judge.ts';

const worlds = 600;
const seed = 7;

it(`The service and the chain agree on payments of SOL: of seed ${seed}, ${worlds} of them`, async () => {
  const judge = new SolJudge(seed, allRules);
  const disagreeing: string[] = [];
  for (let number = 0; number < worlds; number += 1) {
    const { disagrees, description, replay } = await judge.judge(number);
    if (disagrees) disagreeing.push(`${replay}\n${description}`);
  }
  assert.deepEqual(disagreeing, []);
  for (const code of ['insufficient_sol', 'recipient_below_rent_minimum', 'recipient_is_reserved']) {
    assert.match(judge.describe(), new RegExp(`[1-9] ${code}`));
  }
});
