import type { Address } from '../core/address.ts';
import { clockSysvar } from '../core/sysvars.ts';
import type { SlicedAccounts } from './account-batcher.ts';
import { assertSysvars } from './assert-sysvars.ts';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { ChainHead } from './chain-head.ts';
import type { Simulation } from './chain-reader.ts';
import {
  readAccountsResult,
  readBlockhashResult,
  readGenesisHashResult,
  readPricesResult,
  readSimulationResult,
} from './rpc-answers.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { unavailable } from './upstream-faults.ts';

const commitment = 'confirmed';

// Nobody needs more of an account that is no mint: what is written at an address that a caller names is not ours to bound.
const mostDataBytes = 32 * 1024;

// In bytes, of one account beside its data, and of an answer beside its accounts.
const accountOverhead = 1_024;
const answerOverhead = 4_096;
const mostOtherBytes = 1024 * 1024;

const mostWholeBytes = 8 * 1024 * 1024;

/** Asks for accounts, of each no more than 32 KiB of data unless they are wanted whole. */
export function accountsRequest(
  addresses: readonly Address[],
  head: ChainHead,
  isWhole = false,
): RpcRequest<SlicedAccounts> {
  const slice = isWhole ? {} : { dataSlice: { offset: 0, length: mostDataBytes } };
  const mostData = isWhole ? Number.POSITIVE_INFINITY : mostDataBytes;
  const slicedBytes = answerOverhead + addresses.length * (accountOverhead + (mostDataBytes * 4) / 3);
  return {
    method: 'getMultipleAccounts',
    params: [addresses, { commitment, encoding: 'base64', ...slice, ...head.minContextSlot }],
    read: (result) => {
      const answer = readAccountsResult(result, addresses.length, mostData);
      assertSysvars(addresses, answer, head);
      return answer;
    },
    slotOf: ({ slot }) => slot,
    mostAnswerBytes: isWhole ? mostWholeBytes : slicedBytes,
  };
}

/** Asks for the latest blockhash. `check` throws for one that cannot be used, so that another upstream is asked. */
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
    mostAnswerBytes: answerOverhead,
  };
}

/** Asks what others paid lately for transactions that write these accounts. */
export function pricesRequest(addresses: readonly Address[]): RpcRequest<readonly bigint[]> {
  const method = 'getRecentPrioritizationFees';
  return { method, params: [addresses], read: readPricesResult, mostAnswerBytes: mostOtherBytes };
}

/** Asks for a simulation without signatures, with a blockhash of the node's own. */
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
    mostAnswerBytes: mostOtherBytes,
  };
}

/** Asks for the genesis hash, which is that of the cluster. */
export const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  read: readGenesisHashResult,
  mostAnswerBytes: answerOverhead,
};

/** Asks for an account that every node has, by the method that matters most: whoever answers this can serve. */
export function probeRequest(head: ChainHead): RpcRequest<SlicedAccounts> {
  return accountsRequest([clockSysvar], head);
}

/** Asks a node whether it calls itself healthy. */
export const healthRequest: RpcRequest<void> = {
  method: 'getHealth',
  params: [],
  read: (result) => {
    if (result !== 'ok') throw unavailable('node', 'it does not call itself healthy');
  },
  mostAnswerBytes: answerOverhead,
};
