import type { MessageConfig } from './encode-transaction.ts';
import type { TransactionVersion } from './transaction-version.ts';

/** Where everything stands in the bytes of a transaction: offsets and counts, nothing copied. */
export interface TransactionLayout {
  version: TransactionVersion;
  /** Of 64 bytes each, one for each required signature. */
  signaturesOffset: number;
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** Of 32 bytes each. */
  addressesOffset: number;
  addressCount: number;
  /** How many accounts follow those from address lookup tables. Only version 0 has any. */
  loadedAddressCount: number;
  /** 32 bytes. */
  blockhashOffset: number;
  /** The limits in the header of a version 1 message; what it leaves out is zero. */
  config: MessageConfig | undefined;
  instructions: InstructionLayout[];
}

/** Where everything stands in one instruction. */
export interface InstructionLayout {
  programIndex: number;
  /** Of one byte each: indices of addresses. */
  accountsOffset: number;
  accountCount: number;
  dataOffset: number;
  dataLength: number;
}

/** Whether the account at an index of the message must sign. */
export function isSignerAt(layout: TransactionLayout, index: number): boolean {
  return index < layout.requiredSignatures;
}

/** Whether the account at an index of the message may be written. */
export function isWritableAt(layout: TransactionLayout, index: number): boolean {
  const { requiredSignatures, readonlySigners, readonlyNonSigners, addressCount } = layout;
  return isSignerAt(layout, index)
    ? index < requiredSignatures - readonlySigners
    : index < addressCount - readonlyNonSigners;
}
