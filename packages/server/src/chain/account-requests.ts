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
  parseAddress,
  readExtensions,
  readU64 as readU64Bytes,
  rentSysvar,
  systemProgram,
  sysvarLengths,
  token2022Program,
  tokenPrograms,
} from 'splwright-core';
import type { SlicedAccounts } from './account-batcher.ts';
import type { ChainHead } from './chain-head.ts';
import type { AccountsAtSlot } from './chain-reader.ts';
import { isRecord, readBase64, readContext, readU64 } from './json-values.ts';
import type { RpcRequest } from './rpc-transport.ts';
import { malformed } from './upstream-faults.ts';

const commitment = 'confirmed';

// How much of an account's data is read, and how much of a long mint or token account, which gets a call of its own.
const maxSliceBytes = 32 * 1024;
const maxLongSliceBytes = 512 * 1024;

// The size of an account without its data, and of an answer without its accounts.
const accountOverheadBytes = 1_024;
const answerOverheadBytes = 4_096;
const maxTokenAccountsBytes = 1024 * 1024;

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
    maxAnswerBytes: maxTokenAccountsBytes,
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
    if (sysvar === clockSysvar) head.assertClock(slot, readU64Bytes(data, 0));
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
