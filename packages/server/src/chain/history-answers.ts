import type { Commitment, FinalizedHeight, HistoryEntry, SignatureStatus, StatusesAtSlot } from './chain-history.ts';
import { isRecord, readU64 } from './json-values.ts';
import { isTransactionError, readContext } from './rpc-answers.ts';
import { malformed, unavailable } from './upstream-faults.ts';

/** Reads the result of `getEpochInfo`. Throws `upstream_error` when it is not one. */
export function readFinalizedHeightResult(result: unknown): FinalizedHeight {
  if (!isRecord(result)) throw malformed('its epoch info is malformed');
  const slot = readU64(result.absoluteSlot, 'absoluteSlot');
  const blockHeight = readU64(result.blockHeight, 'blockHeight');
  assertPossibleHeight(slot, blockHeight);
  return { slot, blockHeight };
}

/** Reads the result of `getFirstAvailableBlock`. Throws `upstream_error` when it is not one. */
export function readFirstAvailableSlotResult(result: unknown): bigint {
  return readU64(result, 'first available block');
}

/** Reads the height in a result of `getBlock`; `null` when it has none. Throws `upstream_error` when it is not one. */
export function readBlockHeightResult(result: unknown, slot: bigint): bigint | null {
  if (result === null) return null;
  if (!isRecord(result)) throw malformed('its block is malformed');
  // Nodes did not always record the height.
  if (result.blockHeight === null) return null;
  const blockHeight = readU64(result.blockHeight, 'blockHeight');
  assertPossibleHeight(slot, blockHeight);
  return blockHeight;
}

function assertPossibleHeight(slot: bigint, blockHeight: bigint): void {
  // A slot has one block or none.
  if (blockHeight > slot) throw malformed(`it says that slot ${slot} has block height ${blockHeight}`);
}

/** Reads the result of `isBlockhashValid`. Throws `upstream_error`, and `upstream_unavailable` when it is older than `minSlot`. */
export function readBlockhashAliveResult(result: unknown, minSlot: bigint): boolean {
  const { slot, value } = readContext(result);
  if (typeof value !== 'boolean') throw malformed('whether it knows a blockhash is neither true nor false');
  assertNotBefore(slot, minSlot);
  return value;
}

/** Throws an `UpstreamFault` for an answer as of a slot below `minSlot`: a node may not know `minContextSlot`. */
export function assertNotBefore(slot: bigint, minSlot: bigint): void {
  if (slot < minSlot) throw unavailable('lagging', `its answer is of slot ${slot}, and not of ${minSlot} or later`);
}

/** Reads the result of `getSignatureStatuses`. Throws `upstream_error` unless it has `count` statuses. */
export function readStatusesResult(result: unknown, count: number): StatusesAtSlot {
  const { slot, value } = readContext(result);
  if (!Array.isArray(value) || value.length !== count) throw malformed(`it was asked for ${count} statuses`);
  return { slot, statuses: value.map((entry) => (entry === null ? null : readStatus(entry))) };
}

/** Reads the result of `getSignaturesForAddress`. Throws `upstream_error` unless it has up to `limit` entries, newest first. */
export function readSignaturesResult(result: unknown, limit: number): readonly HistoryEntry[] {
  if (!Array.isArray(result) || result.length > limit) throw malformed(`it was asked for up to ${limit} signatures`);
  const entries = result.map(readEntry);
  // The history is read until it is old enough: an old entry among the new ones would end it too early.
  if (entries.some(({ slot }, index) => slot > (entries[index - 1]?.slot ?? slot))) {
    throw malformed('its signatures are not sorted by slot');
  }
  return entries;
}

// Base58 of 64 bytes. Decoding it as well would take as long as all the rest.
const signatureText = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

function readEntry(value: unknown): HistoryEntry {
  const status = readStatus(value);
  const { signature, memo, blockTime } = isRecord(value) ? value : {};
  if (typeof signature !== 'string' || !signatureText.test(signature)) throw malformed('a signature is malformed');
  if (typeof memo !== 'string' && (memo ?? null) !== null) throw malformed('a memo is no text');
  return { ...status, signature, memo: typeof memo === 'string' ? memo : null, blockTime: readBlockTime(blockTime) };
}

function readStatus(value: unknown): SignatureStatus {
  if (!isRecord(value) || value.err === undefined || !isTransactionError(value.err)) {
    throw malformed('the status of a transaction is malformed');
  }
  const slot = readU64(value.slot, 'slot');
  return { slot, error: value.err, commitment: readCommitment(value.confirmationStatus) };
}

const commitments: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

function readCommitment(value: unknown): Commitment {
  const known = commitments.find((commitment) => commitment === value);
  if (known === undefined) throw malformed('the status of a transaction has no commitment');
  return known;
}

/** Reads the estimated time of a block, in seconds since 1970; `null` where the node has none. */
export function readBlockTime(value: unknown): bigint | null {
  return (value ?? null) === null ? null : readU64(value, 'blockTime');
}
