import type { Address } from '../../addresses/address.ts';
import type { TransactionVersion } from '../../transaction/encode-transaction.ts';

/** What a transfer of a batch takes of the transaction that makes it. */
export interface Parcel {
  recipient: Address;
  recipientTokenAccount: Address;
  /** Unless an earlier transfer of the same transaction does. */
  createsTokenAccount: boolean;
  /** The further accounts of its transfer: references, and those of a hook. */
  furtherAccounts: readonly Address[];
  /** Bytes of UTF-8; `undefined` without a memo. */
  memoByteLength: number | undefined;
  /** Of the transfer and its memo. */
  computeUnits: number;
  memoComputeUnits: number;
  createComputeUnits: number;
  /** Instructions that the transfer runs, those included that programs call. */
  instructionCount: number;
  createInstructionCount: number;
}

/** What every transaction of a batch has, whatever it pays. */
export interface TransactionFrame {
  version: TransactionVersion;
  /** Fee payer, sender, mint, token program, the sender's token account, and those of a nonce. */
  accounts: readonly Address[];
  signatureCount: number;
  paysPriorityFee: boolean;
  hasNonce: boolean;
  isHooked: boolean;
  /** Whether there is room for a compute limit in every transaction, by which those that pay the same differ. */
  hasRoomForLimit: boolean;
}
