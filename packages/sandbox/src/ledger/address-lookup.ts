import { type Address, address, type EncodedAccount, getAddressDecoder } from '@solana/kit';
import type { DecodedMessage } from './transaction-decoding.ts';
import type { LoadedAddresses } from './transaction-history.ts';

const lookupTableProgram = address('AddressLookupTab1e1111111111111111111111111');

/** Bytes before a lookup table's addresses (`LOOKUP_TABLE_META_SIZE`). */
const lookupTableMetaBytes = 56;

function addressesOf(table: EncodedAccount | undefined, indexes: readonly number[]): Address[] {
  if (table?.programAddress !== lookupTableProgram) return [];
  return indexes.flatMap((index) => {
    const offset = lookupTableMetaBytes + 32 * index;
    return table.data.length < offset + 32 ? [] : [getAddressDecoder().decode(table.data.slice(offset, offset + 32))];
  });
}

/** Looks up the addresses that a version 0 message takes from tables; those that are not there are left out. */
export function loadAddresses(
  message: DecodedMessage,
  getAccount: (address: Address) => EncodedAccount | undefined,
): LoadedAddresses {
  const tables = message.addressTableLookups.map((lookup) => ({
    ...lookup,
    table: getAccount(lookup.lookupTableAddress),
  }));
  return {
    writable: tables.flatMap(({ table, writableIndexes }) => addressesOf(table, writableIndexes)),
    readonly: tables.flatMap(({ table, readonlyIndexes }) => addressesOf(table, readonlyIndexes)),
  };
}
