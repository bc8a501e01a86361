import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { statusTexts } from '../../src/transfers/reply-schema.ts';
import { successText } from '../../src/transfers/transaction-replies.ts';

const bytes = fc.uint8Array({ maxLength: 5000, size: 'max' });
const anyOperation = fc.constantFrom('memo_transfer' as const, 'yid_transfer' as const, 'create_transfer' as const);
const summary = fc.option(fc.dictionary(fc.string(), fc.string()), { nil: undefined });

test('the text of a success is what generic JSON would make of the same members, byte arrays of any length included', () => {
  const transaction = fc.oneof(bytes, fc.base64String(), fc.string());
  fc.assert(
    fc.property(anyOperation, transaction, fc.string(), summary, (operation, transaction, lifetimeToken, summary) => {
      const encoded = typeof transaction === 'string' ? transaction : [...transaction];
      const data = operation === 'memo_transfer' ? { transaction: encoded, latestBlockhash: lifetimeToken } : encoded;
      const expected = JSON.stringify({ data, status: statusTexts[operation], ...(summary && { summary }) });
      assert.equal(successText({ operation, transaction, lifetimeToken, summary }), expected);
    }),
  );
});

test('every byte has its own digits', () => {
  const transaction = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = successText({ operation: 'yid_transfer', transaction, lifetimeToken: '', summary: undefined });
  assert.deepEqual(JSON.parse(text).data, [...transaction]);
});

test('a token of any length is in the text whole', () => {
  const transaction = new Uint8Array(4096).fill(255);
  for (const length of [44, 900, 1_100]) {
    const lifetimeToken = 'x'.repeat(length);
    const text = successText({ operation: 'memo_transfer', transaction, lifetimeToken, summary: undefined });
    assert.deepEqual(JSON.parse(text).data, { transaction: [...transaction], latestBlockhash: lifetimeToken });
  }
});
