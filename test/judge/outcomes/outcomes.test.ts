import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Judge } from '../judge.ts';
import { outcomes } from './judge-history.ts';

const worlds = 80;
const seed = 14;

describe('outcomes and retried requests', () => {
  const judge = new Judge(outcomes, seed);
  after(() => judge.close());

  it(`agree with the ledger in ${worlds} worlds of seed ${seed}`, async () => {
    assert.deepEqual(await judge.judgeAll(worlds), []);
  });

  it('are of every kind in these worlds', () => {
    const wanted = [
      'chain landed',
      'chain failed',
      'chain refused',
      'said landed',
      'said failed',
      'said pending lifetime',
      'said pending nonce_unused',
      'said pending nonce_used_not_final',
      'said expired',
      'said unknown last_valid_block_height_missing',
      'said unknown history_pruned',
      'answered new',
      'answered replay',
      'answered already_landed',
      'answered previous_may_land',
      'answered idempotency_in_progress',
      'answered idempotency_key_reused',
      'answered without key new',
    ];
    assert.deepEqual(
      wanted.filter((each) => !judge.happened.has(each)),
      [],
    );
  });
});
