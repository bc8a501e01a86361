import { type Address, readNonce } from 'splwright-core';
import type { ChainHead } from './chain-head.ts';
import type {
  Commitment,
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NonceAtSlot,
  SignatureStatus,
  StatusesAtSlot,
} from './chain-history.ts';
import { accountsRequest, readBlockhashKnownResult } from './chain-requests.ts';
import { isRecord, isTransactionError, readBlockTime, readContext, readU64 } from './json-values.ts';
import { readTransactionResult } from './landed-transaction.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { malformed, unavailable } from './upstream-faults.ts';

// How many entries one page has at most (agave `MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT`).
const maxPageEntries = 1_000;

const smallAnswerBytes = 4_096;

// A status is some 200 bytes, and says an error twice.
const statusBytes = 1_024;

// 1,000 entries of 330 bytes, each with the longest memo that fits into a transaction of 1,232 bytes, are 1.5 MB. Strangers
// decide what is in a history: with control characters, which JSON writes as six bytes each, in the memos of transactions of
// 4,096 bytes they can make a page of 25 MB, which is not worth its memory: it is asked for in smaller ones.
const maxPageBytes = 4 * 1024 * 1024;

// 64 calls between programs with 10 KiB of data each, in base58, are 0.9 MB; the log, the accounts and their balances follow.
const maxTransactionBytes = 2 * 1024 * 1024;

/** Reads the newest finalized slot and its block height. */
export const finalizedHeightRequest: RpcRequest<FinalizedHeight> = {
  method: 'getEpochInfo',
  params: [{ commitment: 'finalized' }],
  read: (result) => {
    if (!isRecord(result)) throw malformed('its epoch info is malformed');
    const slot = readU64(result.absoluteSlot, 'absoluteSlot');
    return { slot, blockHeight: readBlockHeight(result.blockHeight, slot) };
  },
  maxAnswerBytes: smallAnswerBytes,
};

/** Reads the lowest slot that is not pruned. */
export const firstAvailableSlotRequest: RpcRequest<bigint> = {
  method: 'getFirstAvailableBlock',
  params: [],
  read: (result) => readU64(result, 'first available block'),
  maxAnswerBytes: smallAnswerBytes,
};

/**
 * Reads the statuses of up to 256 signatures, however old, as of `minSlot` or later.
 *
 * Nodes before agave 4.4 do not know `minContextSlot` here and ignore it, so the slot of the answer is compared, too.
 */
export function statusesRequest(signatures: readonly string[], minSlot = 0n): RpcRequest<StatusesAtSlot> {
  return {
    method: 'getSignatureStatuses',
    params: [signatures, { searchTransactionHistory: true, ...minContextSlot(minSlot) }],
    read: (result) => {
      const { slot, value } = readContext(result);
      const count = signatures.length;
      if (!Array.isArray(value) || value.length !== count) throw malformed(`it was asked for ${count} statuses`);
      const statuses = value.map((entry) => (entry === null ? null : readStatus(entry)));
      assertNotBefore(slot, minSlot);
      return { slot, statuses };
    },
    // Its slot is a processed one, which may be ahead of the confirmed slots that all others are compared with.
    maxAnswerBytes: smallAnswerBytes + signatures.length * statusBytes,
  };
}

/** Reads one page of the confirmed transactions that used an address. */
export function signaturesRequest(
  address: Address,
  page: HistoryPage,
  head: Pick<ChainHead, 'minContextSlot'> = { minContextSlot: {} },
): RpcRequest<readonly HistoryEntry[]> {
  const { before, until, minContextSlot: minSlot, limit = maxPageEntries } = page;
  return {
    method: 'getSignaturesForAddress',
    params: [
      address,
      {
        commitment: 'confirmed',
        limit,
        ...(before !== undefined && { before }),
        ...(until !== undefined && { until }),
        ...(minSlot === undefined ? head.minContextSlot : { minContextSlot: Number(minSlot) }),
      },
    ],
    read: (result) => readEntries(result, limit),
    maxAnswerBytes: maxPageBytes,
    sizeFault: 'too_large',
  };
}

/**
 * Reads a confirmed transaction of any version that this service builds.
 *
 * A node that has not reached `minSlot` refuses, instead of saying that there is none; before agave 4.4 nodes ignore that.
 */
export function transactionRequest(signature: string, minSlot = 0n): RpcRequest<LandedTransaction | null> {
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 };
  return {
    method: 'getTransaction',
    params: [signature, { ...config, ...minContextSlot(minSlot) }],
    read: (result) => readTransactionResult(result, signature),
    maxAnswerBytes: maxTransactionBytes,
    sizeFault: 'too_large',
  };
}

/** Reads the confirmed nonce of an account, as of `minSlot` or later. */
export function nonceRequest(account: Address, head: ChainHead, minSlot: bigint): RpcRequest<NonceAtSlot> {
  const { method, params, read, maxAnswerBytes } = accountsRequest([account], head);
  return {
    method,
    params,
    read: (result) => {
      const { slot, accounts } = read(result);
      assertNotBefore(slot, minSlot);
      return { slot, nonce: readNonce(accounts[0] ?? null) };
    },
    slotOf: ({ slot }) => slot,
    maxAnswerBytes,
  };
}

// The block is cleaned up, not there (yet), its slot was skipped, or is in no storage (agave `rpc-client-api/src/custom_error.rs`).
const absentBlockCodes: ReadonlySet<number> = new Set([-32001, -32004, -32007, -32009, -32014]);

/** Reads the height of the confirmed block of a slot; `null` when the node has none. */
export function blockHeightRequest(slot: bigint): RpcRequest<bigint | null> {
  const config = { commitment: 'confirmed', transactionDetails: 'none', rewards: false };
  return {
    method: 'getBlock',
    params: [Number(slot), { ...config, maxSupportedTransactionVersion: 1 }],
    read: (result) => {
      if (result === null) return null;
      if (!isRecord(result)) throw malformed('its block is malformed');
      // Nodes did not always record the height.
      return result.blockHeight === null ? null : readBlockHeight(result.blockHeight, slot);
    },
    absentCodes: absentBlockCodes,
    maxAnswerBytes: smallAnswerBytes,
  };
}

/** Asks whether the node's newest block of a commitment accepts a blockhash, as of `minSlot` or later. */
export function blockhashAliveRequest(
  blockhash: string,
  commitment: 'processed' | 'finalized',
  minSlot: bigint,
): RpcRequest<boolean> {
  return {
    method: 'isBlockhashValid',
    params: [blockhash, { commitment, ...minContextSlot(minSlot) }],
    read: (result) => {
      const { slot, isValid } = readBlockhashKnownResult(result);
      assertNotBefore(slot, minSlot);
      return isValid;
    },
    maxAnswerBytes: smallAnswerBytes,
  };
}

function minContextSlot(minSlot: bigint): { minContextSlot?: number } {
  return minSlot > 0n ? { minContextSlot: Number(minSlot) } : {};
}

function readBlockHeight(value: unknown, slot: bigint): bigint {
  const blockHeight = readU64(value, 'blockHeight');
  // A slot has one block or none.
  if (blockHeight > slot) throw malformed(`it says that slot ${slot} has block height ${blockHeight}`);
  return blockHeight;
}

// A node may not know `minContextSlot`.
function assertNotBefore(slot: bigint, minSlot: bigint): void {
  if (slot < minSlot) throw unavailable('lagging', `its answer is of slot ${slot}, and not of ${minSlot} or later`);
}

function readEntries(result: unknown, limit: number): readonly HistoryEntry[] {
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
