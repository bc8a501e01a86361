import type { Parcel, TransactionFrame } from '../../src/packing/weights/parcel.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import { weighBatch } from '../../src/packing/weights/weigh-batch.ts';
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

/** Returns numbers from 0 up to a bound, the bound not included: the same for the same seed. */
export type Draw = (below: number) => number;

/** Returns what draws the numbers of a seed. */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return (below) => {
    // A linear congruential generator with the constants of "Numerical Recipes"; its high bits are the random ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns the fewest transactions of all ways to divide a few transfers. */
export function fewestOfAll(parcels: readonly Parcel[], frame: TransactionFrame): number {
  const batch = weighBatch(parcels, frame);
  const bins: number[][] = [];
  let fewest = parcels.length;
  const place = (index: number): void => {
    if (bins.length >= fewest) return;
    if (index === parcels.length) {
      fewest = bins.length;
      return;
    }
    for (const bin of bins) {
      bin.push(index);
      if (fits(bin)) place(index + 1);
      bin.pop();
    }
    bins.push([index]);
    place(index + 1);
    bins.pop();
  };
  const fits = (bin: readonly number[]): boolean => {
    const load = new TransactionLoad(batch);
    return bin.every((index) => {
      const transfer = batch.transfers[index];
      return transfer !== undefined && load.add(transfer);
    });
  };
  place(0);
  return fewest;
}
