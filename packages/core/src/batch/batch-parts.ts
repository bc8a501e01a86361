import type { Finding } from '../findings/finding.ts';
import { type BatchRequest, creationFor } from '../request/transfer-request.ts';

/** Some transfers of a batch, and the index of each in the batch. */
export interface KnownTransfers {
  request: BatchRequest;
  indices: readonly number[];
}

/** Returns the parts of a batch that pay one mint each, in the order of their first transfers. */
export function partsByMint(batch: BatchRequest): readonly KnownTransfers[] {
  const indicesOf = Map.groupBy(batch.transfers.keys(), (index) => batch.transfers[index]?.mint ?? batch.mint);
  return [...indicesOf].map(([mint, indices]) => {
    const transfers = indices.flatMap((index) => batch.transfers[index] ?? []);
    const { createTokenAccount } = batch;
    const request = { ...batch, mint, transfers, createTokenAccount: creationFor(mint, createTokenAccount) };
    return { request, indices };
  });
}

/** Returns the index in the whole batch of a transfer of a part. */
export function indexInWhole({ indices }: KnownTransfers, transfer: number): number {
  const index = indices[transfer];
  if (index === undefined) throw new RangeError(`a part of a batch has no transfer ${transfer}`);
  return index;
}

/** Returns a finding about a part as one about the whole batch. */
export function findingInWhole(part: KnownTransfers, finding: Finding): Finding {
  const { field } = finding;
  if (typeof field !== 'object' || !('transfer' in field)) return finding;
  return { ...finding, field: { ...field, transfer: indexInWhole(part, field.transfer) } };
}

/** Returns findings about the part of one mint as those about the whole batch: about the mint, one wherever the batch names it. */
export function findingsInWhole(part: KnownTransfers, findings: readonly (Finding | undefined)[]): readonly Finding[] {
  const { transfers } = part.request;
  const places: Finding['field'][] = transfers.some(({ mint }) => mint === undefined) ? ['mint'] : [];
  for (const [transfer, { mint }] of transfers.entries())
    if (mint !== undefined) places.push({ transfer, part: 'mint' });
  return findings
    .filter((finding) => finding !== undefined)
    .flatMap((finding) => (finding.field === 'mint' ? places.map((field) => ({ ...finding, field })) : [finding]))
    .map((finding) => findingInWhole(part, finding));
}
