import { toBase58, toInteger } from './bytes.ts';
import { VerificationError } from './verification-error.ts';

/** An account of a message, and what it is there for. */
export interface MessageAccount {
  address: string;
  isSigner: boolean;
  isWritable: boolean;
}

/** One instruction. */
export interface Instruction {
  program: string;
  accounts: readonly string[];
  data: Uint8Array;
}

/** What version 1 has in its header instead of Compute Budget instructions. */
export interface MessageBudget {
  priorityFee: bigint;
  computeUnitLimit: number;
}

/** A transaction, read to its last byte. */
export interface Message {
  version: 'legacy' | 0 | 1;
  /** 64 bytes each, in the order of the signers. */
  signatures: readonly Uint8Array[];
  /** What is signed. */
  signedBytes: Uint8Array;
  /** Each once; signers first, the fee payer at their head. */
  accounts: readonly MessageAccount[];
  /** The blockhash, or the nonce. */
  lifetimeToken: string;
  instructions: readonly Instruction[];
  /** In version 1. */
  budget: MessageBudget | undefined;
}

/** The most bytes of a transaction of each version. */
export const maxLength = { legacy: 1232, 0: 1232, 1: 4096 };
// Of version 1: as much account data as every other version may load.
const loadedDataSizeLimit = 64 * 1024 * 1024;
const signatureLength = 64;

/**
 * Reads a transaction of any version, and refuses everything that needs not be: bytes at the end, counts written longer than
 * necessary, address lookup tables, accounts that appear twice, unknown settings.
 *
 * Throws a `VerificationError` of the code `invalid_transaction`.
 */
export function readMessage(bytes: Uint8Array): Message {
  const reader = new Reader(bytes);
  const message = bytes[0] === 0x81 ? readVersion1(reader) : readOlder(reader);
  const { offset } = reader;
  if (offset < bytes.length) throw invalid('length', `${offset} bytes`, bytes.length);
  const max = maxLength[message.version];
  if (bytes.length > max) throw invalid('length', `at most ${max} bytes`, bytes.length);
  return message;
}

function readOlder(reader: Reader): Message {
  const count = reader.count();
  const signatures = Array.from({ length: count }, () => reader.take(signatureLength));
  const start = reader.offset;
  const first = reader.byte();
  const isVersioned = first >= 0x80;
  if (first > 0x80) throw invalid('version', 'a known one', 'another');
  const header = readHeader(reader, isVersioned ? reader.byte() : first);
  if (header.signers !== count) throw invalid('number of signatures', header.signers, count);
  const accounts = readAccounts(reader, reader.count(), header);
  const lifetimeToken = toBase58(reader.take(32));
  const instructions = Array.from({ length: reader.count() }, () => {
    return toInstruction(accounts, reader.byte(), reader.take(reader.count()), reader.take(reader.count()));
  });
  if (isVersioned && reader.count() !== 0) throw invalid('address lookup tables', 'none', 'some');
  const version = isVersioned ? 0 : 'legacy';
  const signedBytes = reader.from(start);
  return { version, signatures, signedBytes, accounts, lifetimeToken, instructions, budget: undefined };
}

// SIMD-0385: fixed fields, addresses, the limits that the mask announces, instruction headers, instructions, signatures.
function readVersion1(reader: Reader): Message {
  reader.byte();
  const header = readHeader(reader, reader.byte());
  const mask = reader.integer(4);
  const lifetimeToken = toBase58(reader.take(32));
  const instructionCount = reader.byte();
  const accounts = readAccounts(reader, reader.byte(), header);
  const hasFee = mask === 0b1111n;
  if (!hasFee && mask !== 0b1100n) throw invalid('settings', 'known ones', `mask ${mask}`);
  const priorityFee = hasFee ? reader.integer(8) : 0n;
  if (hasFee && priorityFee === 0n) throw invalid('priority fee', 'none', 0);
  const computeUnitLimit = Number(reader.integer(4));
  const dataSize = Number(reader.integer(4));
  if (dataSize !== loadedDataSizeLimit) throw invalid('limit of loaded data', loadedDataSizeLimit, dataSize);
  const heads = Array.from({ length: instructionCount }, () => {
    return { program: reader.byte(), accountCount: reader.byte(), dataLength: Number(reader.integer(2)) };
  });
  const instructions = heads.map(({ program, accountCount, dataLength }) => {
    return toInstruction(accounts, program, reader.take(accountCount), reader.take(dataLength));
  });
  const signedBytes = reader.from(0);
  const signatures = Array.from({ length: header.signers }, () => reader.take(signatureLength));
  const budget = { priorityFee, computeUnitLimit };
  return { version: 1, signatures, signedBytes, accounts, lifetimeToken, instructions, budget };
}

interface Header {
  signers: number;
  readonlySigners: number;
  readonlyOthers: number;
}

function readHeader(reader: Reader, signers: number): Header {
  return { signers, readonlySigners: reader.byte(), readonlyOthers: reader.byte() };
}

function readAccounts(reader: Reader, count: number, header: Header): readonly MessageAccount[] {
  const { signers, readonlySigners, readonlyOthers } = header;
  if (readonlySigners >= signers || signers + readonlyOthers > count) throw invalid('header', 'sound counts', 'others');
  const accounts = Array.from({ length: count }, (_, index) => {
    const isSigner = index < signers;
    const isWritable = index < (isSigner ? signers - readonlySigners : count - readonlyOthers);
    return { address: toBase58(reader.take(32)), isSigner, isWritable };
  });
  if (new Set(accounts.map(({ address }) => address)).size < count) throw invalid('accounts', 'each once', 'one twice');
  return accounts;
}

function toInstruction(
  accounts: readonly MessageAccount[],
  program: number,
  named: Uint8Array,
  data: Uint8Array,
): Instruction {
  const addressAt = (index: number): string => {
    const account = accounts[index];
    if (!account) throw invalid('index of an account', `below ${accounts.length}`, index);
    return account.address;
  };
  return { program: addressAt(program), accounts: Array.from(named, addressAt), data };
}

function invalid(part: string, expected: unknown, actual: unknown): VerificationError {
  return new VerificationError('invalid_transaction', part, expected, actual);
}

class Reader {
  offset = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.offset, this.offset + length);
    this.offset += length;
    if (taken.length < length) throw invalid('length', `at least ${this.offset} bytes`, this.#bytes.length);
    return taken;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Little-endian. */
  integer(length: number): bigint {
    return toInteger(this.take(length));
  }

  /** A count in seven bits a byte (`compact-u16`). No transaction has as many of anything as take three. */
  count(): number {
    const low = this.byte();
    if (low < 0x80) return low;
    const high = this.byte();
    if (high === 0 || high >= 0x80) throw invalid('count', 'the shortest form', 'another');
    return (low & 0x7f) | (high << 7);
  }

  /** What was read since an offset. */
  from(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.offset);
  }
}
