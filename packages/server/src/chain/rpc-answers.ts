import type { Account } from 'splwright-core';
import {
  type Address,
  classifyTokenProgramAccount,
  parseAddress,
  systemProgram,
  token2022Program,
  tokenPrograms,
} from 'splwright-core';
import type { SlicedAccounts } from './account-batcher.ts';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { BlockhashAtSlot, Simulation } from './chain-reader.ts';
import { isRecord, readU64 } from './json-values.ts';
import { malformed } from './upstream-faults.ts';

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

// agave `MAX_PROCESSING_AGE`. A slot has one block or none, so no block height is above its slot.
const blockhashLifetimeBlocks = 150n;

/** Reads the result of `getLatestBlockhash`. Throws `upstream_error` when it is not one. */
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

/** Reads the result of `isBlockhashValid`. Throws `upstream_error` when it is not one. */
export function readBlockhashKnownResult(result: unknown): BlockhashAtSlot {
  const { slot, value } = readContext(result);
  if (typeof value !== 'boolean') throw malformed('whether it knows a blockhash is neither true nor false');
  return { slot, isValid: value };
}

/** Reads the result of `getRecentPrioritizationFees`: micro-lamports per compute unit. Throws `upstream_error`. */
export function readPricesResult(result: unknown): readonly bigint[] {
  if (!Array.isArray(result)) throw malformed('its recent prioritization fees are no list');
  return result.map((entry) => {
    if (!isRecord(entry)) throw malformed('a recent prioritization fee is malformed');
    return readU64(entry.prioritizationFee, 'prioritizationFee');
  });
}

/** Reads the milliseconds of a slot in the result of `getRecentPerformanceSamples`; `null` where no slot passed. Throws `upstream_error` when it is not one. */
export function readSlotTimeResult(result: unknown): number | null {
  if (!Array.isArray(result)) throw malformed('its performance samples are no list');
  const [newest] = result;
  if (newest === undefined) return null;
  if (!isRecord(newest)) throw malformed('a performance sample is malformed');
  const slots = readU64(newest.numSlots, 'numSlots');
  const seconds = readU64(newest.samplePeriodSecs, 'samplePeriodSecs');
  return slots === 0n || seconds === 0n ? null : (Number(seconds) * 1_000) / Number(slots);
}

/** Reads the result of `getGenesisHash`. Throws `upstream_error` when it is not one. */
export function readGenesisHashResult(result: unknown): string {
  if (typeof result !== 'string' || 'fault' in parseAddress(result)) {
    throw malformed('its genesis hash is not the base58 text of 32 bytes');
  }
  return result;
}

/** Reads the result of `simulateTransaction`. Throws `upstream_error` when it is not one. */
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

// The deepest one is {"InstructionError":[0,{"Custom":1}]} (`TransactionError` of solana-transaction-error).
const maxErrorDepth = 5;
const maxErrorMembers = 5;
const maxErrorTextLength = 1_000;

/** Whether a value can be the error of a transaction, also a new one: all are small. The bounds limit what is repeated to callers. */
export function isTransactionError(error: unknown, depth = 1): boolean {
  if (typeof error === 'string') return error.length <= maxErrorTextLength;
  if (typeof error !== 'object' || error === null) return true;
  const entries = Object.entries(error);
  const areSmall = entries.length <= maxErrorMembers && entries.every(([name]) => name.length <= maxErrorTextLength);
  return areSmall && depth < maxErrorDepth && entries.every(([, value]) => isTransactionError(value, depth + 1));
}

/** Reads the slot and the value of an answer with a context. Throws `upstream_error` when it has none. */
export function readContext(result: unknown): { slot: bigint; value: unknown } {
  if (!isRecord(result) || !isRecord(result.context)) throw malformed('its answer has no context');
  return { slot: readU64(result.context.slot, 'slot'), value: result.value };
}

function readAccount(value: unknown): Account | null {
  if (value === null) return null;
  if (!isRecord(value) || typeof value.executable !== 'boolean') throw malformed('an account is malformed');
  return {
    owner: readOwner(value.owner),
    lamports: readU64(value.lamports, 'lamports'),
    data: readBase64(value.data),
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

// Nearly all accounts that are read: comparing a new text with these costs less than its hash, by which the others are found.
const usualOwners: readonly Address[] = [systemProgram, ...tokenPrograms];

// A handful of programs own nearly all other accounts.
const knownOwners = new Map<string, Address>();
const maxKnownOwners = 1_000;

function readOwner(value: unknown): Address {
  if (typeof value !== 'string') throw malformed('an account is malformed');
  for (const owner of usualOwners) if (value === owner) return owner;
  const known = knownOwners.get(value);
  if (known !== undefined) return known;
  // A text of its own: a part of an answer's text would keep all of that in memory.
  const parsed = parseAddress(Buffer.from(value).toString());
  if ('fault' in parsed) throw malformed("an account's owner is not an address");
  if (knownOwners.size >= maxKnownOwners) knownOwners.clear();
  knownOwners.set(parsed.address, parsed.address);
  return parsed.address;
}

function readBase64(value: unknown): Uint8Array {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || value[1] !== 'base64') {
    throw malformed("an account's data is not base64");
  }
  const bytes = decodeBase64(value[0]);
  if (!bytes) throw malformed("an account's data is not base64");
  return bytes;
}

const noBytes = Buffer.alloc(0);

/** Decodes the base64 text (RFC 4648, padded) of some bytes; `undefined` for a text that no bytes encode to. */
export function decodeBase64(text: string): Uint8Array | undefined {
  // Wallets have no data.
  if (text === '') return noBytes;
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips characters that are not base64, and accepts a truncated text, the alphabet of base64url, and stray bits at the
  // end. The first two change the length; re-encoding the last group catches the stray bits.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const isWhole = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding;
  if (!isWhole || text.includes('-') || text.includes('_')) return undefined;
  if (padding > 0 && bytes.toString('base64', bytes.length - 3 + padding) !== text.slice(-4)) return undefined;
  return bytes;
}
