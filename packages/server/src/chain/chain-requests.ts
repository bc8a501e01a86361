import {
  type Account,
  type Address,
  classifyTokenProgramAccount,
  clockSysvar,
  decodeRent,
  decodeTransferFeeConfig,
  readU64 as decodeU64,
  extensionType,
  findMissizedExtension,
  isPossibleRent,
  isPossibleTransferFee,
  parseAddress,
  readExtensions,
  rentSysvar,
  systemProgram,
  sysvarLengths,
  token2022Program,
  tokenPrograms,
} from 'splwright-core';
import type { SlicedAccounts } from './account-batcher.ts';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { ChainHead } from './chain-head.ts';
import type { AccountsAtSlot, BlockhashAtSlot, Simulation } from './chain-reader.ts';
import { isRecord, isTransactionError, readBase64, readContext, readU64 } from './json-values.ts';
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

// How much of an account's data is read, and how much of a long mint or token account, which gets a call of its own.
const maxSliceBytes = 32 * 1024;
const maxLongSliceBytes = 512 * 1024;

// The size of an account without its data.
const accountOverheadBytes = 1_024;

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
    maxAnswerBytes: smallAnswerBytes + addresses.length * (accountOverheadBytes + (length * 4) / 3),
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

/** Reads an account that every node has, by the method that matters most: a node that answers this can serve. */
export function probeRequest(head: ChainHead): RpcRequest<SlicedAccounts> {
  return accountsRequest([clockSysvar], head);
}

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
    maxAnswerBytes: largeAnswerBytes,
    // Anyone may open accounts for a wallet.
    sizeFault: 'too_large',
  };
}

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
    if (sysvar === clockSysvar) head.assertClock(slot, decodeU64(data, 0));
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

/**
 * Reads the result of `getMultipleAccounts` with base64 data, at most `maxDataBytes` of each account.
 *
 * `cut` has the indices of mints and token accounts whose data is longer.
 *
 * Throws `upstream_error` unless it holds `count` accounts, each with as much of its data as was requested.
 */
export function readAccountsResult(result: unknown, count: number, maxDataBytes: number): SlicedAccounts {
  const { slot, value } = readContext(result);
  if (!Array.isArray(value) || value.length !== count) throw malformed(`it was asked for ${count} accounts`);
  const cut = new Set<number>();
  const accounts = value.map((entry, index) => {
    const account = readAccount(entry);
    if (!account || !isSliced(account, entry, maxDataBytes)) return account;
    if (isOfUse(account)) cut.add(index);
    return { ...account, space: Number(entry.space) };
  });
  return { slot, accounts, cut };
}

/**
 * Reads the result of `getTokenAccountsByOwner` with base64 data, of each account at most `maxDataBytes`; `null` has none.
 *
 * The caller must check the owners in their data. Throws `upstream_error` when it is no list of accounts.
 */
export function readTokenAccountsResult(result: unknown, maxDataBytes: number): ReadonlyMap<Address, Account> {
  if (result === null) return new Map();
  const { value } = readContext(result);
  if (!Array.isArray(value)) throw malformed('its token accounts are no list');
  const accounts = new Map<Address, Account>();
  for (const entry of value) {
    const parsed = isRecord(entry) && typeof entry.pubkey === 'string' ? parseAddress(entry.pubkey) : undefined;
    const account = isRecord(entry) && entry.account !== null ? readAccount(entry.account) : null;
    if (!parsed || 'fault' in parsed || !account) throw malformed('a token account is malformed');
    if (account.data.length > maxDataBytes) throw malformed(`of ${maxDataBytes} bytes of an account it sent more`);
    accounts.set(parsed.address, account);
  }
  return accounts;
}

function readAccount(value: unknown): Account | null {
  if (value === null) return null;
  if (!isRecord(value) || typeof value.executable !== 'boolean') throw malformed('an account is malformed');
  return {
    owner: readOwner(value.owner),
    lamports: readU64(value.lamports, 'lamports'),
    data: readBase64(value.data, "an account's data"),
    executable: value.executable,
  };
}

function isSliced({ data }: Account, { space }: { space?: unknown }, maxDataBytes: number): boolean {
  if (typeof space !== 'number' || space <= data.length) return false;
  if (data.length < maxDataBytes) throw malformed(`of ${space} bytes of an account it sent ${data.length}`);
  return true;
}

// Other accounts are never decoded beyond the slice. No account of SPL Token is this long, unless it was never initialized.
function isOfUse(account: Account): boolean {
  if (account.owner !== token2022Program) return false;
  const kind = classifyTokenProgramAccount(account);
  return kind === 'mint' || kind === 'token_account';
}

// Nearly all accounts that are read.
const usualOwners: readonly Address[] = [systemProgram, ...tokenPrograms];

function readOwner(value: unknown): Address {
  if (typeof value !== 'string') throw malformed('an account is malformed');
  const known = usualOwners.find((owner) => owner === value);
  if (known !== undefined) return known;
  const parsed = parseAddress(value);
  if ('fault' in parsed) throw malformed("an account's owner is not an address");
  return parsed.address;
}
