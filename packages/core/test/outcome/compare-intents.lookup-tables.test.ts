import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeTransaction, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { anyBlockhash, freshAddress } from '../random-plans.ts';
import { anyMessage, fits, intentOf, matchBytes } from './landed-transactions.ts';
import { withLookupTable } from './with-lookup-table.ts';

test('A transaction that was recompiled with a lookup table pays the same, once it is known what that gave', () => {
  const property = fc.property(anyMessage, anyBlockhash, (message, lifetimeToken) => {
    const intent = intentOf(encodeTransaction(message));
    const changed: UnsignedMessage = { ...message, version: 0, config: undefined, lifetimeToken };
    fc.pre(fits(changed));
    const { bytes, loaded } = withLookupTable(changed);
    assert.equal(matchBytes(intent, bytes, { loaded }), 'same_payments');
    assert.equal(matchBytes(intent, bytes), undefined);
    // The recipient's token account, among others, is loaded: another one is another payment.
    const others = { ...loaded, writable: loaded.writable.map(() => freshAddress()) };
    assert.equal(matchBytes(intent, bytes, { loaded: others }), undefined);
  });
  fc.assert(property, { numRuns: 100 });
});
