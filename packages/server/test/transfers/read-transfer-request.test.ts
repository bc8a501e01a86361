import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withX402Memo } from '../../src/transfers/read-transfer-request.ts';

const inputs = { createTokenAccount: 'never' } as const;

test('An x402 payment without a memo gets 16 random bytes in hex, other ones each time', () => {
  const memos = Array.from({ length: 100 }, () => withX402Memo({ ...inputs, layout: 'x402' }).memo ?? '');
  for (const memo of memos) assert.match(memo, /^[0-9a-f]{32}$/);
  assert.equal(new Set(memos).size, 100);
});

test('A memo that was given is kept, and no other layout gets one', () => {
  for (const given of [
    { ...inputs, layout: 'x402', memo: 'order 1' } as const,
    { ...inputs, layout: 'x402', memo: '' } as const,
    { ...inputs, layout: 'default' } as const,
    inputs,
  ]) {
    assert.equal(withX402Memo(given), given);
  }
});
