import type { Address } from 'splwright-core';
import { readNonce } from 'splwright-core';
import type { ChainHead } from './chain-head.ts';
import type {
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NonceAtSlot,
  StatusesAtSlot,
} from './chain-history.ts';
import { accountsRequest } from './chain-requests.ts';
import {
  assertNotBefore,
  readBlockHeightResult,
  readBlockhashAliveResult,
  readFinalizedHeightResult,
  readFirstAvailableSlotResult,
  readSignaturesResult,
  readStatusesResult,
} from './history-answers.ts';
import { readTransactionResult } from './landed-transaction.ts';
import type { RpcRequest } from './rpc-transport.ts';

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
  read: readFinalizedHeightResult,
  maxAnswerBytes: smallAnswerBytes,
};

/** Reads the lowest slot that is not pruned. */
export const firstAvailableSlotRequest: RpcRequest<bigint> = {
  method: 'getFirstAvailableBlock',
  params: [],
  read: readFirstAvailableSlotResult,
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
      const answer = readStatusesResult(result, signatures.length);
      assertNotBefore(answer.slot, minSlot);
      return answer;
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
    read: (result) => readSignaturesResult(result, limit),
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
    read: (result) => readBlockHeightResult(result, slot),
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
    read: (result) => readBlockhashAliveResult(result, minSlot),
    maxAnswerBytes: smallAnswerBytes,
  };
}

function minContextSlot(minSlot: bigint): { minContextSlot?: number } {
  return minSlot > 0n ? { minContextSlot: Number(minSlot) } : {};
}
