import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeCompleteness, judgeLayoutFindings } from './known-reasons.ts';
import { plainTransfer, plainWorld, token2022, type World } from './world.ts';

const world: World = {
  ...plainWorld,
  mint: token2022({ kind: 'pausable', paused: true }, { kind: 'non_transferable' }),
  balance: 'zero',
  options: { nonceAccount: { state: 'missing', sentLate: false } },
};

const mintPaused = { code: 'mint_paused', field: 'mint' } as const;
const nonceNotFound = { code: 'nonce_account_not_found', field: 'nonceAccount' } as const;
const sameWallet = { code: 'same_wallet', field: 'to' } as const;
const memoTooLong = { code: 'memo_too_long', field: 'memo' } as const;

describe('a refusal that leaves out a reason', () => {
  it('is told of each one that the world has for certain', () => {
    assert.deepEqual(judgeCompleteness(world, [mintPaused, nonceNotFound]), [
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
    assert.deepEqual(judgeCompleteness({ ...world, recipientWallet: 'sender' }, [sameWallet]), []);
    assert.deepEqual(judgeCompleteness({ ...world, recipientWallet: 'sender' }, [memoTooLong]), [
      'same_wallet is not named of payment to',
    ]);
  });

  it('is told of the same reason for each split that has it', () => {
    const frozen = { kind: 'other', wallet: 'funded', tokenAccount: 'frozen' } as const;
    const splits = [frozen, frozen].map((payee) => ({ payee, amount: 1n }));
    const splitting: World = { ...plainWorld, operation: 'transfer', transfer: { ...plainTransfer, splits } };
    const second = { code: 'recipient_token_account_frozen', field: { split: 1, part: 'to' } } as const;
    assert.deepEqual(judgeCompleteness(splitting, [second]), [
      'recipient_token_account_frozen is not named of payment 0',
    ]);
  });

  it('is told of each field that the x402 layout has no room for, and of one that it has room for', () => {
    const asked: World = {
      ...plainWorld,
      operation: 'transfer',
      transfer: { ...plainTransfer, layout: 'x402', createTokenAccount: 'always' },
      options: { transactionVersion: 1 },
    };
    const findings = (['feePayer', 'nonceAccount'] as const).map(
      (field) => ({ code: 'layout_conflict', field }) as const,
    );
    assert.deepEqual(judgeCompleteness(asked, findings), [
      'layout_conflict is not named of createTokenAccount',
      'layout_conflict is not named of transactionVersion',
    ]);
    assert.deepEqual(judgeLayoutFindings(asked, findings), ['layout_conflict of "nonceAccount" is unfounded']);
  });
});
