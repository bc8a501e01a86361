import { type Address, addressFromBytes } from './address.ts';
import { encodeBase58 } from './base58.ts';
import type { AccountMeta, Instruction } from './instruction.ts';

/** A transaction as its bytes say it. */
export interface DecodedTransaction {
  version: 'legacy' | 0;
  /** One 64-byte signature a signer, all zero where nobody has signed. */
  signatures: readonly Uint8Array[];
  /** The accounts that must sign, fee payer first. */
  signers: readonly [Address, ...Address[]];
  /** Every account of the message, in its order, programs included. */
  accounts: readonly AccountMeta[];
  blockhash: string;
  instructions: readonly Instruction[];
  byteLength: number;
}

/** Thrown when bytes are not a transaction; the message says what is wrong and at which byte. */
export class TransactionDecodeError extends Error {
  override readonly name = 'TransactionDecodeError';
}

/**
 * Decodes a legacy or version 0 transaction, signed or not.
 *
 * Throws a `TransactionDecodeError` for bytes that end early, that go on, or that point to accounts that are not there.
 * Accounts from address lookup tables cannot be known from the bytes, so a transaction that uses any is refused.
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  const reader = new ByteReader(bytes);
  const signatures = reader.list(() => reader.take(64));
  const version = readVersion(reader);
  const requiredSignatures = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyNonSigners = reader.byte();
  const addresses = reader.list(() => addressFromBytes(reader.take(32)));
  const blockhash = encodeBase58(reader.take(32));
  if (signatures.length !== requiredSignatures) {
    throw new TransactionDecodeError(`${signatures.length} signatures for ${requiredSignatures} signers`);
  }

  const isSigner = (index: number): boolean => index < requiredSignatures;
  const isWritable = (index: number): boolean =>
    isSigner(index) ? index < requiredSignatures - readonlySigners : index < addresses.length - readonlyNonSigners;
  const accounts = addresses.map((address, index) => ({
    address,
    signer: isSigner(index),
    writable: isWritable(index),
  }));
  const accountAt = (index: number): AccountMeta => {
    const account = accounts[index];
    if (account === undefined) throw new TransactionDecodeError(`account ${index} of ${accounts.length} is used`);
    return account;
  };
  const instructions = reader.list(() => ({
    program: accountAt(reader.byte()).address,
    accounts: reader.list(() => reader.byte()).map(accountAt),
    data: reader.take(reader.length()),
  }));
  if (version === 0 && reader.length() > 0) {
    throw new TransactionDecodeError('address lookup tables are used: their accounts are not in the bytes');
  }
  reader.end();

  const [feePayer, ...otherSigners] = addresses.slice(0, requiredSignatures);
  if (feePayer === undefined) throw new TransactionDecodeError('nobody signs');
  const signers: [Address, ...Address[]] = [feePayer, ...otherSigners];
  return { version, signatures, signers, accounts, blockhash, instructions, byteLength: bytes.length };
}

function readVersion(reader: ByteReader): 'legacy' | 0 {
  const first = reader.peek();
  // The first byte of a legacy message counts signatures and never has its high bit set.
  if (first < 0x80) return 'legacy';
  if (first !== 0x80) throw new TransactionDecodeError(`message version ${first & 0x7f} is not known`);
  reader.byte();
  return 0;
}

class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  peek(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new TransactionDecodeError(`the bytes end at ${this.#offset}, too early`);
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#offset++;
    return byte;
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      throw new TransactionDecodeError(`the bytes end at ${this.#bytes.length}, too early: ${end} are needed`);
    }
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  // A compact u16: at most three bytes, and no shorter form of the same number (as the runtime demands).
  length(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if ((byte === 0 && shift > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new TransactionDecodeError(`a length before byte ${this.#offset} is malformed`);
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.length() }, item);
  }

  end(): void {
    const excess = this.#bytes.length - this.#offset;
    if (excess > 0) throw new TransactionDecodeError(`${excess} bytes follow the end of the transaction`);
  }
}
