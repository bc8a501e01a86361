import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeCompleteness } from './known-reasons.ts';
import { plainWorld, token2022 } from './plain-world.ts';
import type { World } from './world.ts';

const world: World = {
  ...plainWorld,
  mint: token2022({ kind: 'pausable', paused: true }, { kind: 'non_transferable' }),
  balance: 'zero',
  options: { nonceAccount: { state: 'missing', sentLate: false } },
};

describe('a refusal that leaves out a reason', () => {
  it('is told of each one that the world has for certain', () => {
    assert.deepEqual(judgeCompleteness(world, ['mint_paused', 'nonce_account_not_found']), [
      'mint_non_transferable is not named',
      'insufficient_token_balance is not named',
    ]);
    assert.deepEqual(judgeCompleteness(plainWorld, []), []);
  });

  it('is told without checks only of what neither funding nor time can change', () => {
    const unchecked: World = { ...world, options: { ...world.options, checks: 'none' } };
    assert.deepEqual(judgeCompleteness(unchecked, []), [
      'nonce_account_not_found is not named',
      'mint_non_transferable is not named',
    ]);
  });

  it('is told only of faults of the request where the request is at fault', () => {
    assert.deepEqual(judgeCompleteness({ ...world, recipientWallet: 'sender' }, ['same_wallet']), []);
    assert.deepEqual(judgeCompleteness({ ...world, recipientWallet: 'sender' }, ['memo_too_long']), [
      'same_wallet is not named',
    ]);
  });
});
