import { type Limit, ofEachLimit, type WeighedBatch, type WeighedTransfer, type Weight } from './weigh-batch.ts';

/** Transfers that weigh the same and share the same, so that any of them stands for all. */
export interface Kind {
  /** In their order. */
  transfers: readonly WeighedTransfer[];
  /** The first of them. */
  one: WeighedTransfer;
  /** The shared parts that it needs, without those that all transfers of the batch need. */
  parts: readonly number[];
  /** What one takes of a transaction that has nothing but what all transfers need. */
  alone: Weight;
}

/** Returns the transfers of a batch by kinds, the kind first that takes most of the scarcest limit. */
export function kindsOf(batch: WeighedBatch, scarcest: Limit): readonly Kind[] {
  const isNeededByAll = partsOfAll(batch);
  const transfersOf = new Map<string, WeighedTransfer[]>();
  for (const transfer of batch.transfers) {
    const { bytes, accounts, instructions, computeUnits, creates, memoComputeUnits, shared } = transfer;
    const key = `${bytes},${accounts},${instructions},${computeUnits},${creates},${memoComputeUnits},${shared}`;
    const transfers = transfersOf.get(key);
    if (transfers) transfers.push(transfer);
    else transfersOf.set(key, [transfer]);
  }
  const kinds: Kind[] = [];
  for (const transfers of transfersOf.values()) {
    const [one] = transfers;
    if (!one) continue;
    const parts = one.shared.filter((part) => !isNeededByAll[part]);
    const weightOf = (limit: Limit): number =>
      parts.reduce((sum, part) => sum + (batch.shared[part]?.[limit] ?? 0), one[limit]);
    kinds.push({ transfers, one, parts, alone: ofEachLimit(weightOf) });
  }
  return kinds.sort((a, b) => b.alone[scarcest] - a.alone[scarcest]);
}

function partsOfAll({ transfers, shared }: WeighedBatch): readonly boolean[] {
  const counts = new Uint16Array(shared.length);
  for (const transfer of transfers) for (const part of transfer.shared) counts[part] = (counts[part] ?? 0) + 1;
  return shared.map((_, part) => counts[part] === transfers.length);
}
