import { TransactionDecodeError } from '../bytes/byte-reader.ts';
import { type DecodedTransaction, decodeTransaction, type LoadedAddresses } from '../transaction/decode-transaction.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';

/** A transaction and the part of its bytes that the signers sign. */
export interface ReadTransaction {
  decoded: DecodedTransaction;
  /** A view of the bytes, not a copy. */
  message: Uint8Array;
}

const maxByteLength = transactionSizeLimit(1);

/** Decodes bytes of any origin, or says in words why they are not a transaction. Throws nothing. */
export function readTransaction(bytes: Uint8Array, loaded?: LoadedAddresses): ReadTransaction | { reason: string } {
  // Bounds what hostile bytes cost: what is longer could not land.
  if (bytes.length > maxByteLength) {
    return { reason: `no transaction has more than ${maxByteLength} bytes: these are ${bytes.length}` };
  }
  try {
    const decoded = decodeTransaction(bytes, loaded);
    return { decoded, message: messageIn(bytes, decoded) };
  } catch (error) {
    if (error instanceof TransactionDecodeError) return { reason: error.message };
    throw error;
  }
}

/**
 * The part of a transaction's bytes that its signers sign, as a view.
 *
 * In version 1 the signatures come last, otherwise first, after their number: one byte for the few that have room.
 */
export function messageIn(
  bytes: Uint8Array,
  { version, signatures }: Pick<DecodedTransaction, 'version' | 'signatures'>,
): Uint8Array {
  const signaturesLength = signatures.length * 64;
  if (version === 1) return bytes.subarray(0, bytes.length - signaturesLength);
  return bytes.subarray(1 + signaturesLength);
}
