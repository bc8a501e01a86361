import {
  type Address,
  type BalanceChange,
  type DecodedTransaction,
  decodeBase58,
  decodeTransaction,
  encodeBase58,
  type Instruction,
  isTokenProgram,
  type LoadedAddresses,
  landedContent,
  memoPrograms,
  type ProgramCalls,
  parseAddress,
  sol,
  systemProgram,
  type TokenBalances,
  TransactionDecodeError,
} from 'splwright-core';
import type { LandedTransaction } from './chain-history.ts';
import { isRecord, isTransactionError, readBase64, readBlockTime, readU64 } from './json-values.ts';
import { malformed, nonsense } from './upstream-faults.ts';

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
  const bytes = readBase64(transaction, 'its transaction');
  const loadedAddresses = readLoadedAddresses(meta.loadedAddresses ?? null);
  const decoded = decode(bytes, loadedAddresses);
  assertSignature(bytes, decoded, signature);
  const content = decoded && landedContent(decoded, readProgramCalls(meta.innerInstructions ?? null, decoded));
  const fee = readU64(meta.fee, 'fee');
  // Where the calls of programs are not known, any may move some.
  const mayMoveSol = content && (content.lamportTransfers.length > 0 || !content.hasCalls);
  const lamportBalances = decoded && mayMoveSol ? readLamportBalances(meta, decoded, fee) : undefined;
  return {
    slot: readU64(slot, 'slot'),
    blockTime: readBlockTime(blockTime),
    bytes,
    loadedAddresses,
    error: meta.err,
    fee,
    content,
    balances: decoded && readTokenBalances(meta, decoded),
    ...(lamportBalances && { lamportBalances }),
  };
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

// Version 1 with settings that are not known yet is not decoded, and its signatures are at an end that is not known.
function assertSignature(bytes: Uint8Array, decoded: DecodedTransaction | undefined, signature: string): void {
  if (!decoded && bytes[0] === version1Byte) return;
  const first = decoded?.signatures[0] ?? bytes.subarray(firstSignatureOffset, firstSignatureOffset + signatureBytes);
  if (encodeBase58(first) !== signature) throw malformed('its transaction has another signature');
}

function decode(bytes: Uint8Array, loaded: LoadedAddresses): DecodedTransaction | undefined {
  try {
    return decodeTransaction(bytes, loaded);
  } catch (error) {
    if (error instanceof TransactionDecodeError) return undefined;
    throw error;
  }
}

interface TokenBalance {
  mint: Address;
  amount: bigint;
  owner: Address | undefined;
}

/**
 * Reads what the token accounts of a transaction held; `undefined` where the node kept nothing of it.
 *
 * Nodes list token accounts only where a token program is named. Where one is, an empty list may be one that was not kept.
 */
function readTokenBalances(
  { preTokenBalances, postTokenBalances, err }: Record<string, unknown>,
  { accounts }: DecodedTransaction,
): TokenBalances | undefined {
  if ((preTokenBalances ?? postTokenBalances ?? null) === null) return undefined;
  const before = readBalances(preTokenBalances, accounts);
  const after = readBalances(postTokenBalances, accounts);
  const isEmpty = before.size === 0 && after.size === 0;
  if (isEmpty && err === null && accounts.some(({ address }) => isTokenProgram(address))) return undefined;
  const balances = new Map<Address, BalanceChange>();
  // An account that was made or closed in between is in one of the lists only.
  for (const [address, { mint, owner }] of new Map([...before, ...after])) {
    const [earlier, later] = [before.get(address), after.get(address)];
    balances.set(address, {
      mint,
      before: earlier?.mint === mint ? earlier.amount : 0n,
      after: later?.amount ?? 0n,
      owner: owner ?? earlier?.owner,
    });
  }
  return balances;
}

/** Reads what the accounts of a transaction held in lamports; of its fee payer as if it had paid no fee. */
function readLamportBalances(
  { preBalances, postBalances }: Record<string, unknown>,
  { accounts }: DecodedTransaction,
  fee: bigint,
): TokenBalances | undefined {
  if ((preBalances ?? postBalances ?? null) === null) return undefined;
  if (!Array.isArray(preBalances) || !Array.isArray(postBalances)) throw malformed('its balances are no lists');
  const held = (all: readonly unknown[], index: number): bigint => readU64(all[index], 'a balance');
  return new Map(
    accounts.map(({ address }, index): [Address, BalanceChange] => {
      const after = held(postBalances, index) + (index === 0 ? fee : 0n);
      return [address, { mint: sol, before: held(preBalances, index), after, owner: address }];
    }),
  );
}

function readBalances(value: unknown, accounts: DecodedTransaction['accounts']): ReadonlyMap<Address, TokenBalance> {
  if (!Array.isArray(value)) throw malformed('its token balances are no list');
  return new Map(value.map((entry) => readBalance(entry, accounts)));
}

function readBalance(
  value: unknown,
  accounts: DecodedTransaction['accounts'],
): [address: Address, balance: TokenBalance] {
  if (!isRecord(value) || !isRecord(value.uiTokenAmount)) throw malformed('a token balance is malformed');
  const account = accounts[Number(readU64(value.accountIndex, 'accountIndex'))];
  if (account === undefined) throw malformed('a token balance is of no account of its transaction');
  const amount = readAmount(value.uiTokenAmount.amount);
  return [account.address, { mint: readAddress(value.mint), amount, owner: readOwner(value.owner) }];
}

function readAmount(value: unknown): bigint {
  const amount = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : -1n;
  if (amount < 0n || amount >= 2n ** 64n) throw malformed('a token balance is no amount');
  return amount;
}

// Nodes did not always name the owner.
function readOwner(value: unknown): Address | undefined {
  return (value ?? null) === null ? undefined : readAddress(value);
}

// Programs can pass 10 KiB to one another. No transfer or memo is longer than this, and decoding base58 takes time.
const maxDataLength = 1_400;

/**
 * Reads `innerInstructions` of a transaction: what programs called in it, by the index of its own instruction.
 *
 * Data are read of the System, token and memo programs only. `undefined` where the node kept none, or where data of theirs are too long
 * to be read. Throws `upstream_error` when it is malformed.
 */
function readProgramCalls(value: unknown, decoded: DecodedTransaction): ProgramCalls | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) throw malformed('the calls of its transaction are no list');
  const calls = new Map<number, readonly Instruction[]>();
  let isTooLong = false;
  for (const entry of value) {
    if (!isRecord(entry) || !Array.isArray(entry.instructions))
      throw malformed('a call of its transaction is malformed');
    const index = Number(readU64(entry.index, 'index'));
    if (index >= decoded.instructions.length || calls.has(index)) {
      throw malformed('a call is of no instruction of its transaction');
    }
    const read = entry.instructions.map((instruction) => readCall(instruction, decoded));
    isTooLong ||= read.includes(undefined);
    calls.set(
      index,
      read.filter((call) => call !== undefined),
    );
  }
  return isTooLong ? undefined : calls;
}

const noData = new Uint8Array();

/** Reads one call; `undefined` when its data are too long. */
function readCall(value: unknown, { accounts }: DecodedTransaction): Instruction | undefined {
  if (!isRecord(value) || !Array.isArray(value.accounts)) throw malformed('a call of its transaction is malformed');
  const accountAt = (index: unknown) => {
    const account = accounts[Number(readU64(index, 'account index'))];
    if (!account) throw malformed('a call uses no account of its transaction');
    return account;
  };
  const program = accountAt(value.programIdIndex).address;
  const used = value.accounts.map(accountAt);
  const { data } = value;
  if (typeof data !== 'string') throw malformed('the data of a call are no text');
  if (program !== systemProgram && !isTokenProgram(program) && !memoPrograms.includes(program))
    return { program, accounts: used, data: noData };
  if (data.length > maxDataLength) return undefined;
  const read = decodeBase58(data);
  if ('invalidAt' in read) throw malformed('the data of a call are not base58');
  return { program, accounts: used, data: read.bytes };
}
