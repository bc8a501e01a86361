import type { Parcel, TransactionFrame } from '../../src/packing/weights/parcel.ts';
import { addressAt } from '../batch/random-batches.ts';

/** The frame of legacy transactions with nothing but transfers in them. */
export const frame: TransactionFrame = {
  version: 'legacy',
  accounts: [1, 2, 3, 4].map(addressAt),
  signatureCount: 1,
  paysPriorityFee: false,
  hasNonce: false,
  isHooked: false,
  hasRoomForLimit: false,
};

/** A transfer to a recipient, by number, whose token account is there; with the parts that are given instead. */
export function parcelTo(recipient: number, parts: Partial<Parcel> = {}): Parcel {
  return {
    recipient: addressAt(100 + recipient),
    recipientTokenAccount: addressAt(200 + recipient),
    createsTokenAccount: false,
    furtherAccounts: [],
    memoByteLength: undefined,
    computeUnits: 6_300,
    memoComputeUnits: 0,
    createComputeUnits: 21_000,
    instructionCount: 1,
    createInstructionCount: 5,
    ...parts,
  };
}
