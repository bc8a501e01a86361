import type { Parcel, TransactionFrame } from '../../src/packing/weights/parcel.ts';
import { TransactionLoad } from '../../src/packing/weights/transaction-load.ts';
import { weighBatch } from '../../src/packing/weights/weigh-batch.ts';

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
