import {
  type Address,
  decodeTransaction,
  encodeBase58,
  type LoadedAddresses,
  parseAddress,
  TransactionDecodeError,
} from 'splwright-core';
import type { LandedTransaction } from '../chain-history.ts';
import { isRecord, readU64 } from '../json-values.ts';
import { decodeBase64, isTransactionError } from '../reads/rpc-answers.ts';
import { malformed, nonsense } from '../upstream-faults.ts';
import { readBlockTime } from './history-answers.ts';

/**
 * Reads the result of `getTransaction` with base64; `null` when the node does not know the transaction.
 *
 * Throws `upstream_error` unless it is the transaction with this signature, and what became of it.
 */
export function readTransactionResult(result: unknown, signature: string): LandedTransaction | null {
  if (result === null) return null;
  if (!isRecord(result)) throw malformed('its transaction is malformed');
  const { slot, blockTime, transaction, meta } = result;
  // Nodes have the bytes of the oldest transactions without what became of them.
  if (meta === null) throw nonsense('refused', 'it does not know what became of a transaction');
  if (!isRecord(meta) || meta.err === undefined || !isTransactionError(meta.err)) {
    throw malformed('the outcome of its transaction is malformed');
  }
  const bytes = readBytes(transaction);
  const loadedAddresses = readLoadedAddresses(meta.loadedAddresses ?? null);
  const addresses = addressesIn(bytes, loadedAddresses, signature);
  const hasBalances = (meta.preTokenBalances ?? meta.postTokenBalances ?? null) !== null;
  return {
    slot: readU64(slot, 'slot'),
    blockTime: readBlockTime(blockTime),
    bytes,
    loadedAddresses,
    error: meta.err,
    fee: readU64(meta.fee, 'fee'),
    ...(addresses && hasBalances ? readTokenChanges(meta, addresses) : { tokenChanges: new Map(), owners: new Map() }),
  };
}

function readBytes(value: unknown): Uint8Array {
  const [text, encoding]: unknown[] = Array.isArray(value) ? value : [];
  const bytes = typeof text === 'string' && encoding === 'base64' ? decodeBase64(text) : undefined;
  if (!bytes) throw malformed('its transaction is not base64');
  return bytes;
}

// Signatures come first, after a byte that counts them; in version 1, which has no lookup tables, they come last.
const firstSignatureOffset = 1;
const signatureBytes = 64;
const version1Byte = 0x81;

const noAddresses: LoadedAddresses = { writable: [], readonly: [] };

// Nodes that do not know lookup tables leave it out.
function readLoadedAddresses(value: unknown): LoadedAddresses {
  if (value === null) return noAddresses;
  if (!isRecord(value)) throw malformed('the loaded addresses of its transaction are malformed');
  return { writable: readAddresses(value.writable), readonly: readAddresses(value.readonly) };
}

function readAddresses(value: unknown): readonly Address[] {
  if (!Array.isArray(value)) throw malformed('the loaded addresses of its transaction are no list');
  return value.map(readAddress);
}

function readAddress(value: unknown): Address {
  const parsed = typeof value === 'string' ? parseAddress(value) : undefined;
  if (!parsed || 'fault' in parsed) throw malformed('an account of its transaction is not an address');
  return parsed.address;
}

/** Returns the accounts of a transaction, in its order; undefined when it cannot be decoded. */
function addressesIn(bytes: Uint8Array, loaded: LoadedAddresses, signature: string): readonly Address[] | undefined {
  const decoded = decode(bytes, loaded);
  // Version 1 with settings that are not known yet is not decoded either.
  if (!decoded && bytes[0] === version1Byte) return undefined;
  const first = decoded?.signatures[0] ?? bytes.subarray(firstSignatureOffset, firstSignatureOffset + signatureBytes);
  if (encodeBase58(first) !== signature) throw malformed('its transaction has another signature');
  return decoded?.accounts.map(({ address }) => address);
}

function decode(bytes: Uint8Array, loaded: LoadedAddresses): ReturnType<typeof decodeTransaction> | undefined {
  try {
    return decodeTransaction(bytes, loaded);
  } catch (error) {
    if (error instanceof TransactionDecodeError) return undefined;
    throw error;
  }
}

interface TokenBalance {
  amount: bigint;
  owner: string | undefined;
}

function readTokenChanges(
  { preTokenBalances, postTokenBalances }: Record<string, unknown>,
  addresses: readonly Address[],
): Pick<LandedTransaction, 'tokenChanges' | 'owners'> {
  const before = readBalances(preTokenBalances, addresses);
  const after = readBalances(postTokenBalances, addresses);
  const tokenChanges = new Map<string, bigint>();
  const owners = new Map<string, string>();
  // An account that was made or closed in between is in one of the lists only.
  for (const address of new Set([...before.keys(), ...after.keys()])) {
    const [earlier, later] = [before.get(address), after.get(address)];
    tokenChanges.set(address, (later?.amount ?? 0n) - (earlier?.amount ?? 0n));
    const owner = later?.owner ?? earlier?.owner;
    if (owner !== undefined) owners.set(address, owner);
  }
  return { tokenChanges, owners };
}

function readBalances(value: unknown, addresses: readonly Address[]): ReadonlyMap<string, TokenBalance> {
  if (!Array.isArray(value)) throw malformed('its token balances are no list');
  return new Map(value.map((entry) => readBalance(entry, addresses)));
}

function readBalance(value: unknown, addresses: readonly Address[]): [address: string, balance: TokenBalance] {
  if (!isRecord(value) || !isRecord(value.uiTokenAmount)) throw malformed('a token balance is malformed');
  const address = addresses[Number(readU64(value.accountIndex, 'accountIndex'))];
  if (address === undefined) throw malformed('a token balance is of no account of its transaction');
  return [address, { amount: readAmount(value.uiTokenAmount.amount), owner: readOwner(value.owner) }];
}

function readAmount(value: unknown): bigint {
  const amount = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : -1n;
  if (amount < 0n || amount >= 2n ** 64n) throw malformed('a token balance is no amount');
  return amount;
}

// Nodes did not always name the owner.
function readOwner(value: unknown): string | undefined {
  return (value ?? null) === null ? undefined : readAddress(value);
}
