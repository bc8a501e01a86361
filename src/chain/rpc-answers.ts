import type { Account } from '../core/account.ts';
import { type Address, parseAddress } from '../core/address.ts';
import { isTokenProgram } from '../core/programs.ts';
import type { SlicedAccounts } from './account-batcher.ts';
import type { ReceivedBlockhash } from './blockhash-source.ts';
import type { Simulation } from './chain-reader.ts';
import { isRecord, readU64 } from './json-values.ts';
import { malformed } from './upstream-faults.ts';

/**
 * Reads the result of `getMultipleAccounts` with base64 data, of each account no more than `mostData` bytes.
 *
 * Throws `upstream_error` unless it holds `count` accounts, each with as much of its data as was asked for.
 */
export function readAccountsResult(result: unknown, count: number, mostData: number): SlicedAccounts {
  const { slot, value } = readContext(result);
  if (!Array.isArray(value) || value.length !== count) throw malformed(`it was asked for ${count} accounts`);
  const cut = new Set<number>();
  const accounts = value.map((entry, place) => {
    const account = readAccount(entry);
    if (account && isCut(account, entry, mostData)) cut.add(place);
    return account;
  });
  return { slot, accounts, cut };
}

/** Reads the result of `getLatestBlockhash`. Throws `upstream_error` when it is not one. */
export function readBlockhashResult(result: unknown): ReceivedBlockhash {
  const { slot, value } = readContext(result);
  if (!isRecord(value) || typeof value.blockhash !== 'string' || 'fault' in parseAddress(value.blockhash)) {
    throw malformed('its blockhash is not the base58 text of 32 bytes');
  }
  const lastValidBlockHeight = readU64(value.lastValidBlockHeight, 'lastValidBlockHeight');
  return { blockhash: value.blockhash, lastValidBlockHeight, slot };
}

/** Reads the result of `getRecentPrioritizationFees`: micro-lamports per compute unit. Throws `upstream_error`. */
export function readPricesResult(result: unknown): readonly bigint[] {
  if (!Array.isArray(result)) throw malformed('its recent prioritization fees are no list');
  return result.map((entry) => {
    if (!isRecord(entry)) throw malformed('a recent prioritization fee is malformed');
    return readU64(entry.prioritizationFee, 'prioritizationFee');
  });
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
  // Only a transaction that fails before it runs can be without.
  const units = readU64(err === null ? unitsConsumed : (unitsConsumed ?? 0), 'unitsConsumed');
  const simulation = {
    error: err,
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
    unitsConsumed: Number(units),
  };
  return { slot, simulation };
}

function readContext(result: unknown): { slot: bigint; value: unknown } {
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

// Of other accounts than mints and token accounts nobody reads more than their beginning.
function isCut({ owner, data }: Account, { space }: { space?: unknown }, mostData: number): boolean {
  if (typeof space !== 'number' || space <= data.length) return false;
  if (data.length < mostData) throw malformed(`of ${space} bytes of an account it sent ${data.length}`);
  return isTokenProgram(owner);
}

// A handful of programs own nearly all accounts.
const knownOwners = new Map<string, Address>();
const mostKnownOwners = 1_000;

function readOwner(value: unknown): Address {
  if (typeof value !== 'string') throw malformed('an account is malformed');
  const known = knownOwners.get(value);
  if (known !== undefined) return known;
  const parsed = parseAddress(value);
  if ('fault' in parsed) throw malformed("an account's owner is not an address");
  if (knownOwners.size >= mostKnownOwners) knownOwners.clear();
  knownOwners.set(value, parsed.address);
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
  // As of every wallet.
  if (text === '') return noBytes;
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips what is not base64, takes a text that was cut short, the other alphabet of base64url, and stray bits at the
  // end. The first two are seen by the length, and the last by the way back, of which only the end is gone.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const isWhole = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding;
  if (!isWhole || text.includes('-') || text.includes('_')) return undefined;
  if (padding > 0 && bytes.toString('base64', bytes.length - 3 + padding) !== text.slice(-4)) return undefined;
  return bytes;
}
