import type { Account } from '../core/account.ts';
import { parseAddress } from '../core/address.ts';
import type { AccountsAtSlot, Simulation } from './chain-reader.ts';
import { isRecord, nonsense } from './rpc-transport.ts';

/** Reads the result of `getMultipleAccounts` with base64 data. Throws `upstream_error` unless it holds `count` accounts. */
export function readAccountsResult(result: unknown, count: number): AccountsAtSlot {
  const { slot, value } = readContext(result);
  if (!Array.isArray(value) || value.length !== count) throw nonsense(`it was asked for ${count} accounts`);
  return { slot, accounts: value.map(readAccount) };
}

/** Reads the result of `getLatestBlockhash`. Throws `upstream_error` when it is not one. */
export function readBlockhashResult(result: unknown): {
  blockhash: string;
  lastValidBlockHeight: bigint;
  slot: bigint;
} {
  const { slot, value } = readContext(result);
  if (!isRecord(value) || typeof value.blockhash !== 'string' || 'fault' in parseAddress(value.blockhash)) {
    throw nonsense('its blockhash is not the base58 text of 32 bytes');
  }
  const lastValidBlockHeight = readU64(value.lastValidBlockHeight, 'lastValidBlockHeight');
  return { blockhash: value.blockhash, lastValidBlockHeight, slot };
}

/** Reads the result of `getRecentPrioritizationFees`: micro-lamports per compute unit. Throws `upstream_error`. */
export function readPricesResult(result: unknown): readonly bigint[] {
  if (!Array.isArray(result)) throw nonsense('its recent prioritization fees are no list');
  return result.map((entry) => {
    if (!isRecord(entry)) throw nonsense('a recent prioritization fee is malformed');
    return readU64(entry.prioritizationFee, 'prioritizationFee');
  });
}

/** Reads the result of `simulateTransaction`. Throws `upstream_error` when it is not one. */
export function readSimulationResult(result: unknown): Simulation {
  const { value } = readContext(result);
  if (!isRecord(value) || value.err === undefined) throw nonsense('its simulation is malformed');
  const { err, logs, unitsConsumed } = value;
  // Only a transaction that fails before it runs can be without.
  const units = readU64(err === null ? unitsConsumed : (unitsConsumed ?? 0), 'unitsConsumed');
  return {
    error: err,
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
    unitsConsumed: Number(units),
  };
}

function readContext(result: unknown): { slot: bigint; value: unknown } {
  if (!isRecord(result) || !isRecord(result.context)) throw nonsense('its answer has no context');
  return { slot: readU64(result.context.slot, 'slot'), value: result.value };
}

function readAccount(value: unknown): Account | null {
  if (value === null) return null;
  if (!isRecord(value) || typeof value.owner !== 'string' || typeof value.executable !== 'boolean') {
    throw nonsense('an account is malformed');
  }
  const owner = parseAddress(value.owner);
  if ('fault' in owner) throw nonsense("an account's owner is not an address");
  return {
    owner: owner.address,
    lamports: readU64(value.lamports, 'lamports'),
    data: readBase64(value.data),
    executable: value.executable,
  };
}

function readBase64(value: unknown): Uint8Array {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || value[1] !== 'base64') {
    throw nonsense("an account's data is not base64");
  }
  const text = value[0];
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips what is not base64 and takes a text that was cut short: only the whole way back shows it.
  if (bytes.toString('base64') !== text) throw nonsense("an account's data is not base64");
  return bytes;
}

function readU64(value: unknown, name: string): bigint {
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isInteger || value < 0) throw nonsense(`${name} is not an unsigned integer`);
  return BigInt(value);
}
