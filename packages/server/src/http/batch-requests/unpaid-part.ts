import type { BatchRequest, Finding, Warning } from 'splwright-core';
import type { LandedTransaction } from '../../keys/store/idempotency/idempotency-store.ts';

/** The transfers of a batch that are to be built. */
export interface BatchPart {
  /** The batch, with these transfers alone. */
  request: BatchRequest;
  /** Of each of its transfers the index in the whole batch. */
  indices: readonly number[];
}

/** Returns what of a batch has not landed: all of it, where nothing has. */
export function unpaidPartOf(request: BatchRequest, landed: readonly LandedTransaction[]): BatchPart {
  const paid = new Set(landed.flatMap(({ transfers }) => transfers));
  const indices = [...request.transfers.keys()].filter((index) => !paid.has(index));
  const transfers = request.transfers.filter((_, index) => !paid.has(index));
  return { request: { ...request, transfers }, indices };
}

/** Returns the index in the whole batch of a transfer of a part. */
export function indexInWhole({ indices }: BatchPart, transfer: number): number {
  const index = indices[transfer];
  if (index === undefined) throw new RangeError(`a part of a batch has no transfer ${transfer}`);
  return index;
}

/** Returns a finding about a part as one about the whole batch. */
export function findingInWhole(part: BatchPart, finding: Finding): Finding {
  const { field } = finding;
  if (typeof field !== 'object' || !('transfer' in field)) return finding;
  return { ...finding, field: { ...field, transfer: indexInWhole(part, field.transfer) } };
}

/** Returns a warning about a part as one about the whole batch. */
export function warningInWhole(part: BatchPart, warning: Warning): Warning {
  if (warning.code !== 'repeated_recipient') return warning;
  const transfers = warning.context.transfers.map((transfer) => indexInWhole(part, transfer));
  return { ...warning, context: { ...warning.context, transfers } };
}
