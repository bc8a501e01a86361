import { type Address, addressFromBytes } from './address.ts';
import { encodeBase58 } from './base58.ts';
import { ByteReader, TransactionDecodeError } from './byte-reader.ts';
import type { MessageConfig } from './encode-transaction.ts';
import type { AccountMeta, Instruction } from './instruction.ts';
import type { TransactionVersion } from './transfer-plan.ts';

/** A transaction as its bytes say it. */
export interface DecodedTransaction {
  version: TransactionVersion;
  /** One 64-byte signature a signer, all zero where nobody has signed. */
  signatures: readonly Uint8Array[];
  /** The accounts that must sign, fee payer first. */
  signers: readonly [Address, ...Address[]];
  /** Every account of the message, in its order, programs included. */
  accounts: readonly AccountMeta[];
  /** A blockhash, or the nonce where the first instruction advances one. */
  blockhash: string;
  /** The limits in the header of a version 1 message; what it leaves out is zero. */
  config: MessageConfig | undefined;
  instructions: readonly Instruction[];
  byteLength: number;
}

interface Message {
  header: { requiredSignatures: number; readonlySigners: number; readonlyNonSigners: number };
  addresses: readonly Address[];
  blockhash: string;
  config: MessageConfig | undefined;
  instructions: readonly { programIndex: number; accountIndices: readonly number[]; data: Uint8Array }[];
}

/**
 * Decodes a transaction of any version, signed or not.
 *
 * Throws a `TransactionDecodeError` for bytes that end early, that go on, or that point to accounts that are not there.
 * Accounts from address lookup tables cannot be known from the bytes, so a transaction that uses any is refused.
 */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  const reader = new ByteReader(bytes);
  const takeSignature = (): Uint8Array => reader.take(64);
  let version: TransactionVersion;
  let message: Message;
  let signatures: readonly Uint8Array[];
  if (reader.peek() === 0x81) {
    version = 1;
    message = readVersion1(reader);
    signatures = Array.from({ length: message.header.requiredSignatures }, takeSignature);
  } else {
    signatures = reader.list(takeSignature);
    version = readVersion(reader);
    message = readLegacyOrVersion0(reader, version);
  }
  reader.end();

  const { requiredSignatures } = message.header;
  if (signatures.length !== requiredSignatures) {
    throw new TransactionDecodeError(`${signatures.length} signatures for ${requiredSignatures} signers`);
  }
  assertHeaderIsSound(message);
  const [feePayer, ...otherSigners] = message.addresses.slice(0, requiredSignatures);
  if (feePayer === undefined) throw new TransactionDecodeError('nobody signs');
  const accounts = toAccounts(message);
  return {
    version,
    signatures,
    signers: [feePayer, ...otherSigners],
    accounts,
    blockhash: message.blockhash,
    config: message.config,
    instructions: message.instructions.map(({ programIndex, accountIndices, data }) => ({
      program: accountAt(accounts, programIndex).address,
      accounts: accountIndices.map((index) => accountAt(accounts, index)),
      data,
    })),
    byteLength: bytes.length,
  };
}

function readVersion(reader: ByteReader): 'legacy' | 0 {
  const first = reader.peek();
  // The first byte of a legacy message counts signatures and never has its high bit set.
  if (first < 0x80) return 'legacy';
  if (first !== 0x80) throw new TransactionDecodeError(`message version ${first & 0x7f} is not known`);
  reader.byte();
  return 0;
}

function readHeader(reader: ByteReader): Message['header'] {
  return { requiredSignatures: reader.byte(), readonlySigners: reader.byte(), readonlyNonSigners: reader.byte() };
}

function readLegacyOrVersion0(reader: ByteReader, version: 'legacy' | 0): Message {
  const header = readHeader(reader);
  const addresses = reader.list(() => addressFromBytes(reader.take(32)));
  const blockhash = encodeBase58(reader.take(32));
  const instructions = reader.list(() => ({
    programIndex: reader.byte(),
    accountIndices: reader.list(() => reader.byte()),
    data: reader.take(reader.length()),
  }));
  if (version === 0 && reader.length() > 0) {
    throw new TransactionDecodeError('address lookup tables are used: their accounts are not in the bytes');
  }
  return { header, addresses, blockhash, config: undefined, instructions };
}

// SIMD-0385: fixed fields first, then addresses, the values that the mask announces, instruction headers, instructions.
function readVersion1(reader: ByteReader): Message {
  reader.byte();
  const header = readHeader(reader);
  const mask = reader.u32();
  const blockhash = encodeBase58(reader.take(32));
  const instructionCount = reader.byte();
  const addressCount = reader.byte();
  const addresses = Array.from({ length: addressCount }, () => addressFromBytes(reader.take(32)));
  assertMaskIsKnown(mask);
  const has = (bits: number): boolean => (mask & bits) === bits;
  const config = {
    priorityFee: has(0b0011) ? reader.u64() : 0n,
    computeUnitLimit: has(0b0100) ? reader.u32() : 0,
    loadedAccountsDataSizeLimit: has(0b1000) ? reader.u32() : 0,
  };
  // The heap size, which no transfer needs.
  if (has(0b1_0000)) reader.u32();
  const headers = Array.from({ length: instructionCount }, () => ({
    programIndex: reader.byte(),
    accountCount: reader.byte(),
    dataLength: reader.byte() | (reader.byte() << 8),
  }));
  const instructions = headers.map(({ programIndex, accountCount, dataLength }) => ({
    programIndex,
    accountIndices: Array.from({ length: accountCount }, () => reader.byte()),
    data: reader.take(dataLength),
  }));
  return { header, addresses, blockhash, config, instructions };
}

function assertMaskIsKnown(mask: number): void {
  if (mask >= 0b10_0000) throw new TransactionDecodeError('the message has settings that are not known');
  // The priority fee takes two bits, which are set together or not at all.
  const priorityFeeBits = mask & 0b0011;
  if (priorityFeeBits === 0b0001 || priorityFeeBits === 0b0010) {
    throw new TransactionDecodeError('the message has half a priority fee');
  }
}

// As the runtime's sanitizer demands: the fee payer is writable, and the header counts no more accounts than there are.
function assertHeaderIsSound({ header, addresses }: Message): void {
  const { requiredSignatures, readonlySigners, readonlyNonSigners } = header;
  if (requiredSignatures === 0) throw new TransactionDecodeError('nobody signs');
  if (readonlySigners >= requiredSignatures) throw new TransactionDecodeError('the fee payer is not writable');
  if (requiredSignatures + readonlyNonSigners > addresses.length) {
    throw new TransactionDecodeError(`the header counts more accounts than the ${addresses.length} there are`);
  }
}

function toAccounts({ header, addresses }: Message): readonly AccountMeta[] {
  const { requiredSignatures, readonlySigners, readonlyNonSigners } = header;
  return addresses.map((address, index) => {
    const signer = index < requiredSignatures;
    const firstReadonly = signer ? requiredSignatures - readonlySigners : addresses.length - readonlyNonSigners;
    return { address, signer, writable: index < firstReadonly };
  });
}

function accountAt(accounts: readonly AccountMeta[], index: number): AccountMeta {
  const account = accounts[index];
  if (account === undefined) throw new TransactionDecodeError(`account ${index} of ${accounts.length} is used`);
  return account;
}
