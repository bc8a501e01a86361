import { budgetBytesOf, limitsOf, weightOfFrame } from './transaction-load.ts';
import { limits, type WeighedBatch, type Weight } from './weigh-batch.ts';

/**
 * Returns a number of transactions below which no packing can come.
 *
 * Every transaction takes what the frame takes and what all transfers share; everything else is in at least one transaction. And none
 * has more transfers than there is room for the smallest.
 */
export function fewestTransactions({ frame, transfers, shared }: WeighedBatch): number {
  const useCounts = new Uint16Array(shared.length);
  const total: Weight = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };
  for (const transfer of transfers) {
    for (const limit of limits) total[limit] += transfer[limit];
    for (const part of transfer.shared) useCounts[part] = (useCounts[part] ?? 0) + 1;
  }
  const everywhere = weightOfFrame(frame);
  everywhere.bytes += budgetBytesOf(frame);
  for (const [index, part] of shared.entries()) {
    const sum = useCounts[index] === transfers.length ? everywhere : total;
    for (const limit of limits) sum[limit] += part[limit];
  }
  const max = limitsOf(frame);
  const bounds = limits.map((limit) => {
    const room = max[limit] - everywhere[limit];
    const smallest = Math.min(...transfers.map((transfer) => transfer[limit]));
    const mostTogether = Math.max(1, Math.floor(room / smallest));
    return Math.max(Math.ceil(total[limit] / room), Math.ceil(transfers.length / mostTogether));
  });
  return Math.max(1, ...bounds);
}
