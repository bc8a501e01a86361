import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import type { LoadedAddresses } from '../../src/transaction/decode-transaction.ts';
import type { UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { freshAddress } from '../random-plans.ts';
import { compile } from './landed-transactions.ts';

/** The message as web3.js recompiles it, with every account that need not be in the bytes in a lookup table. */
export function withLookupTable(message: UnsignedMessage): { bytes: Uint8Array; loaded: LoadedAddresses } {
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
