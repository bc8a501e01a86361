import {
  type Account,
  type Address,
  classifyTokenProgramAccount,
  clockSysvar,
  decodeRent,
  decodeTransferFeeConfig,
  extensionType,
  findMissizedExtension,
  isPossibleRent,
  isPossibleTransferFee,
  readExtensions,
  readU64,
  rentSysvar,
  sysvarLengths,
  token2022Program,
} from 'splwright-core';
import type { SlicedAccounts } from './account-batcher.ts';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { ChainHead } from './chain-head.ts';
import type { AccountsAtSlot, BlockhashAtSlot, Simulation } from './chain-reader.ts';
import {
  readAccountsResult,
  readBlockhashKnownResult,
  readBlockhashResult,
  readGenesisHashResult,
  readPricesResult,
  readSimulationResult,
  readSlotTimeResult,
  readTokenAccountsResult,
} from './rpc-answers.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { malformed, unavailable } from './upstream-faults.ts';

const commitment = 'confirmed';

// How much of an account's data is read, and how much of a long mint or token account, which gets a call of its own.
const maxSliceBytes = 32 * 1024;
const maxLongSliceBytes = 512 * 1024;

// The size of an account without its data, and of an answer without its accounts.
const accountOverheadBytes = 1_024;
const answerOverheadBytes = 4_096;
const maxOtherBytes = 1024 * 1024;

// A token account without its extensions.
const tokenAccountBytes = 165;

// A node that does not offer a method, or takes no such parameters; one that leaves a program's accounts out of its index of
// owners (agave `rpc-client-api/src/custom_error.rs`).
const noLookupCodes: ReadonlySet<number> = new Set([-32601, -32602, -32010]);

/** How many accounts a node may take in one call: agave 100 (`MAX_MULTIPLE_ACCOUNTS`), plans of providers fewer. */
export const accountLimits: readonly number[] = [100, 50, 20, 10, 5, 1];

/** Reads up to 32 KiB of each account's data, or up to 512 KiB with `isLong`. */
export function accountsRequest(
  addresses: readonly Address[],
  head: ChainHead,
  isLong = false,
): RpcRequest<SlicedAccounts> {
  const length = isLong ? maxLongSliceBytes : maxSliceBytes;
  return {
    method: 'getMultipleAccounts',
    params: [addresses, { commitment, encoding: 'base64', dataSlice: { offset: 0, length }, ...head.minContextSlot }],
    read: (result) => {
      const answer = readAccountsResult(result, addresses.length, length);
      assertSysvars(addresses, answer, head);
      assertMints(answer.accounts);
      return answer;
    },
    parts: {
      count: addresses.length,
      slice: (start, end) => accountsRequest(addresses.slice(start, end), head, isLong),
      join: joinAccounts,
    },
    slotOf: ({ slot }) => slot,
    maxAnswerBytes: answerOverheadBytes + addresses.length * (accountOverheadBytes + (length * 4) / 3),
  };
}

// The parts are asked for at the same time. The lowest of their slots is what all of it is at least as new as.
function joinAccounts(answers: readonly SlicedAccounts[]): SlicedAccounts {
  const accounts: (Account | null)[] = [];
  const cut = new Set<number>();
  for (const answer of answers) {
    for (const index of answer.cut) cut.add(accounts.length + index);
    accounts.push(...answer.accounts);
  }
  const slot = answers.reduce((lowest, each) => (each.slot < lowest ? each.slot : lowest), answers[0]?.slot ?? 0n);
  return { slot, accounts, cut };
}

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
    maxAnswerBytes: answerOverheadBytes,
  };
}

/** Asks whether a node knows a blockhash and would still accept a transaction with it. */
export function blockhashKnownRequest(blockhash: string, head: ChainHead): RpcRequest<BlockhashAtSlot> {
  return {
    method: 'isBlockhashValid',
    params: [blockhash, { commitment, ...head.minContextSlot }],
    read: readBlockhashKnownResult,
    slotOf: ({ slot }) => slot,
    maxAnswerBytes: answerOverheadBytes,
  };
}

/** Reads what others recently paid for transactions that write these accounts. */
export function pricesRequest(addresses: readonly Address[]): RpcRequest<readonly bigint[]> {
  const method = 'getRecentPrioritizationFees';
  return { method, params: [addresses], read: readPricesResult, maxAnswerBytes: maxOtherBytes };
}

/** Reads how long a slot took lately, in milliseconds; `null` where the node has not measured it. */
export const slotTimeRequest: RpcRequest<number | null> = {
  method: 'getRecentPerformanceSamples',
  params: [1],
  read: readSlotTimeResult,
  maxAnswerBytes: answerOverheadBytes,
};

/** Reads the token accounts of a mint that a wallet owns, without their extensions. */
export function tokenAccountsRequest(
  wallet: Address,
  mint: Address,
  head: ChainHead,
): RpcRequest<ReadonlyMap<Address, Account>> {
  const dataSlice = { offset: 0, length: tokenAccountBytes };
  return {
    method: 'getTokenAccountsByOwner',
    params: [wallet, { mint }, { commitment, encoding: 'base64', dataSlice, ...head.minContextSlot }],
    read: (result) => readTokenAccountsResult(result, tokenAccountBytes),
    absentCodes: noLookupCodes,
    maxAnswerBytes: maxOtherBytes,
    // Anyone may open accounts for a wallet.
    sizeFault: 'too_large',
  };
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
    maxAnswerBytes: maxOtherBytes,
  };
}

/** Reads the genesis hash, which identifies the cluster. */
export const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  read: readGenesisHashResult,
  maxAnswerBytes: answerOverheadBytes,
};

/** Reads an account that every node has, by the method that matters most: a node that answers this can serve. */
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
  maxAnswerBytes: answerOverheadBytes,
};

/**
 * Throws an `UpstreamFault` when an answer lacks a sysvar that was asked for, when its rent values are impossible, or when it is not of
 * its clock's slot.
 *
 * Only the runtime writes sysvars: nonsense in them is always the upstream's. Without them its other accounts mean nothing.
 */
export function assertSysvars(
  addresses: readonly Address[],
  { slot, accounts }: AccountsAtSlot,
  head: ChainHead,
): void {
  for (const [sysvar, length] of sysvarLengths) {
    const index = addresses.indexOf(sysvar);
    if (index === -1) continue;
    const data = accounts[index]?.data;
    if (data === undefined || data.length < length) throw malformed(`it does not have the sysvar ${sysvar}`);
    if (sysvar === rentSysvar && !isPossibleRent(decodeRent(data))) throw malformed('it has impossible rent values');
    if (sysvar === clockSysvar) head.assertClock(slot, readU64(data, 0));
  }
}

/**
 * Throws an `UpstreamFault` when a Token-2022 mint holds what its program cannot have written: an extension whose size does not
 * fit its type, or a fee above 100 %.
 *
 * Only the program writes its accounts, so such bytes are the upstream's fault. Bytes that users choose (accounts of other
 * programs, lists of transfer hooks) are facts, however odd.
 */
export function assertMints(accounts: readonly (Account | null)[]): void {
  for (const account of accounts) {
    if (account?.owner !== token2022Program || classifyTokenProgramAccount(account) !== 'mint') continue;
    const extensions = readExtensions(account.data);
    const missized = findMissizedExtension(extensions);
    if (missized) {
      const { type, size, expectedSize } = missized;
      throw malformed(`a mint has an extension of type ${type} with ${size} bytes instead of ${expectedSize}`);
    }
    const fee = extensions.get(extensionType.transferFeeConfig);
    if (fee && !isPossibleTransferFee(decodeTransferFeeConfig(fee))) {
      throw malformed('a mint has a transfer fee of more than 10,000 basis points');
    }
  }
}
