import type { LoadedAddresses } from '../transaction/decode-transaction.ts';
import { type CheckedTransfer, checkedTransfersOf } from './checked-transfer.ts';
import { readTransaction } from './read-transaction.ts';

/**
 * The `TransferChecked` instructions at the top level of a landed transaction, in order; none where the bytes are no transaction.
 *
 * `loaded` is what address lookup tables gave to it. Throws nothing.
 */
export function transfersIn(landed: Uint8Array, loaded?: LoadedAddresses): readonly CheckedTransfer[] {
  const read = readTransaction(landed, loaded);
  return 'reason' in read ? [] : checkedTransfersOf(read.decoded.instructions);
}
