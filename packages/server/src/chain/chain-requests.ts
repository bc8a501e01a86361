import { type Address, parseAddress } from 'splwright-core';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { ChainHead } from './chain-head.ts';
import type { BlockhashAtSlot, Simulation } from './chain-reader.ts';
import { isRecord, isTransactionError, readContext, readU64 } from './json-values.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { malformed, unavailable } from './upstream-faults.ts';

// Each request stands with the reader of its result, which throws an `upstream_error` for anything else.

const commitment = 'confirmed';

const smallAnswerBytes = 4_096;
const largeAnswerBytes = 1024 * 1024;

/** Reads the latest blockhash. `check` throws for one that cannot be used, so that another upstream is asked. */
export function blockhashRequest(
  head: ChainHead,
  check: (blockhash: ReceivedBlockhash) => void,
): RpcRequest<ReceivedBlockhash> {
  return {
    method: 'getLatestBlockhash',
    params: [{ commitment, ...head.minContextSlot }],
    read: (result) => {
      const blockhash = readBlockhashResult(result);
      check(blockhash);
      return blockhash;
    },
    slotOf: ({ slot }) => slot,
    maxAnswerBytes: smallAnswerBytes,
  };
}

// agave `MAX_PROCESSING_AGE`. A slot has one block or none, so no block height is above its slot.
const blockhashLifetimeBlocks = 150n;

/** The result of its request. */
export function readBlockhashResult(result: unknown): ReceivedBlockhash {
  const { slot, value } = readContext(result);
  if (!isRecord(value) || typeof value.blockhash !== 'string' || 'fault' in parseAddress(value.blockhash)) {
    throw malformed('its blockhash is not the base58 text of 32 bytes');
  }
  const lastValidBlockHeight = readU64(value.lastValidBlockHeight, 'lastValidBlockHeight');
  if (lastValidBlockHeight > slot + blockhashLifetimeBlocks) {
    throw malformed(`it says that a blockhash of slot ${slot} is valid up to block height ${lastValidBlockHeight}`);
  }
  return { blockhash: value.blockhash, lastValidBlockHeight, slot };
}

/** Asks whether a node knows a blockhash and would still accept a transaction with it. */
export function blockhashKnownRequest(blockhash: string, head: ChainHead): RpcRequest<BlockhashAtSlot> {
  return {
    method: 'isBlockhashValid',
    params: [blockhash, { commitment, ...head.minContextSlot }],
    read: readBlockhashKnownResult,
    slotOf: ({ slot }) => slot,
    maxAnswerBytes: smallAnswerBytes,
  };
}

/** The result of its request. */
export function readBlockhashKnownResult(result: unknown): BlockhashAtSlot {
  const { slot, value } = readContext(result);
  if (typeof value !== 'boolean') throw malformed('whether it knows a blockhash is neither true nor false');
  return { slot, isValid: value };
}

/** Reads what others recently paid for transactions that write these accounts. */
export function pricesRequest(addresses: readonly Address[]): RpcRequest<readonly bigint[]> {
  const method = 'getRecentPrioritizationFees';
  return { method, params: [addresses], read: readPricesResult, maxAnswerBytes: largeAnswerBytes };
}

/** The result of its request. */
export function readPricesResult(result: unknown): readonly bigint[] {
  if (!Array.isArray(result)) throw malformed('its recent prioritization fees are no list');
  return result.map((entry) => {
    if (!isRecord(entry)) throw malformed('a recent prioritization fee is malformed');
    return readU64(entry.prioritizationFee, 'prioritizationFee');
  });
}

/** Reads how long a slot took lately, in milliseconds; `null` where the node has not measured it. */
export const slotTimeRequest: RpcRequest<number | null> = {
  method: 'getRecentPerformanceSamples',
  params: [1],
  read: readSlotTimeResult,
  maxAnswerBytes: smallAnswerBytes,
};

function readSlotTimeResult(result: unknown): number | null {
  if (!Array.isArray(result)) throw malformed('its performance samples are no list');
  const [newest] = result;
  if (newest === undefined) return null;
  if (!isRecord(newest)) throw malformed('a performance sample is malformed');
  const slots = readU64(newest.numSlots, 'numSlots');
  const seconds = readU64(newest.samplePeriodSecs, 'samplePeriodSecs');
  return slots === 0n || seconds === 0n ? null : (Number(seconds) * 1_000) / Number(slots);
}

/** Simulates a transaction without checking signatures, with a blockhash that the node chooses. */
export function simulationRequest(
  transaction: Uint8Array,
  head: ChainHead,
): RpcRequest<{ slot: bigint; simulation: Simulation }> {
  const base64 = Buffer.from(transaction).toString('base64');
  return {
    method: 'simulateTransaction',
    params: [
      base64,
      { commitment, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, ...head.minContextSlot },
    ],
    read: readSimulationResult,
    slotOf: ({ slot }) => slot,
    maxAnswerBytes: largeAnswerBytes,
  };
}

/** The result of its request. */
export function readSimulationResult(result: unknown): { slot: bigint; simulation: Simulation } {
  const { slot, value } = readContext(result);
  if (!isRecord(value) || value.err === undefined) throw malformed('its simulation is malformed');
  const { err, logs, unitsConsumed } = value;
  if (!isTransactionError(err)) throw malformed('the error of its simulation is no transaction error');
  // It may be absent only for a transaction that failed before it ran.
  const units = readU64(err === null ? unitsConsumed : (unitsConsumed ?? 0), 'unitsConsumed');
  if (units > maxComputeUnits) throw malformed('its simulation took more compute units than a transaction can ask for');
  const simulation = {
    error: err,
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
    unitsConsumed: Number(units),
  };
  return { slot, simulation };
}

// A compute unit limit is a u32.
const maxComputeUnits = 2n ** 32n - 1n;

/** Reads the genesis hash, which identifies the cluster. */
export const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  read: readGenesisHashResult,
  maxAnswerBytes: smallAnswerBytes,
};

/** The result of its request. */
export function readGenesisHashResult(result: unknown): string {
  if (typeof result !== 'string' || 'fault' in parseAddress(result)) {
    throw malformed('its genesis hash is not the base58 text of 32 bytes');
  }
  return result;
}

/** Asks a node whether it calls itself healthy. */
export const healthRequest: RpcRequest<void> = {
  method: 'getHealth',
  params: [],
  read: (result) => {
    if (result !== 'ok') throw unavailable('node', 'it does not call itself healthy');
  },
  maxAnswerBytes: smallAnswerBytes,
};
