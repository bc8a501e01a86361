import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { matchIntent } from '../../src/outcome/compare-intents.ts';
import type { LoadedAddresses } from '../../src/transaction/decode-transaction.ts';
import { encodeTransaction, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { anyBlockhash, freshAddress } from '../random-plans.ts';
import { anyMessage, compile, fits, intentOf } from './landed-transactions.ts';

/** The message as web3.js recompiles it, with every account that need not be in the bytes in a lookup table. */
function withLookupTable(message: UnsignedMessage): { bytes: Uint8Array; loaded: LoadedAddresses } {
  const plain = VersionedTransaction.deserialize(compile({ ...message, version: 0 }, 'web3.js')).message;
  const table = new AddressLookupTableAccount({
    key: new PublicKey(freshAddress()),
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: plain.staticAccountKeys,
    },
  });
  const compiled = TransactionMessage.decompile(plain).compileToV0Message([table]);
  const { writable, readonly } = compiled.resolveAddressTableLookups([table]);
  const textsOf = (keys: readonly PublicKey[]): Address[] => keys.map((key) => toAddress(key.toBase58()));
  return {
    bytes: new VersionedTransaction(compiled).serialize(),
    loaded: { writable: textsOf(writable), readonly: textsOf(readonly) },
  };
}

test('A transaction that was recompiled with a lookup table pays the same, once it is known what that gave', () => {
  const property = fc.property(anyMessage, anyBlockhash, (message, lifetimeToken) => {
    const intent = intentOf(encodeTransaction(message));
    const changed: UnsignedMessage = { ...message, version: 0, config: undefined, lifetimeToken };
    fc.pre(fits(changed));
    const { bytes, loaded } = withLookupTable(changed);
    assert.equal(matchIntent(intent, bytes, loaded), 'same_payments');
    assert.equal(matchIntent(intent, bytes), undefined);
    // The recipient's token account, among others, is loaded: another one is another payment.
    const others = { ...loaded, writable: loaded.writable.map(() => freshAddress()) };
    assert.equal(matchIntent(intent, bytes, others), undefined);
  });
  fc.assert(property, { numRuns: 100 });
});
