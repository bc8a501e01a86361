import { ByteReader, TransactionDecodeError } from '../bytes/byte-reader.ts';
import type { MessageConfig, TransactionVersion } from './encode-transaction.ts';

/**
 * Finds its way through the bytes of a transaction of any version, signed or not.
 *
 * Throws a `TransactionDecodeError` for bytes that end early, that go on, or that point to accounts that are not there.
 * Accounts from address lookup tables cannot be known from the bytes, so a transaction that uses any is refused, unless the
 * caller knows them: then `loadedAddressCount` must be their number.
 */
export function readTransactionLayout(bytes: Uint8Array, loadedAddressCount?: number): TransactionLayout {
  const reader = new ByteReader(bytes);
  const layout =
    reader.peek() === 0x81 ? readVersion1(reader) : readLegacyOrVersion0(reader, loadedAddressCount !== undefined);
  reader.end();
  assertHeaderIsSound(layout);
  if (layout.loadedAddressCount !== (loadedAddressCount ?? 0)) {
    throw new TransactionDecodeError(
      `${loadedAddressCount} accounts instead of ${layout.loadedAddressCount} are loaded`,
    );
  }
  const accountCount = layout.addressCount + layout.loadedAddressCount;
  for (const instruction of layout.instructions) {
    // A program is never loaded.
    assertAccountExists(instruction.programIndex, layout.addressCount);
    const { accountsOffset } = instruction;
    for (let at = accountsOffset; at < accountsOffset + instruction.accountCount; at++) {
      assertAccountExists(bytes[at] ?? 0, accountCount);
    }
  }
  return layout;
}

function readLegacyOrVersion0(reader: ByteReader, areLoadedKnown: boolean): TransactionLayout {
  const signatureCount = reader.length();
  const signaturesOffset = reader.skip(signatureCount * 64);
  const version = readVersion(reader);
  const requiredSignatures = reader.byte();
  if (signatureCount !== requiredSignatures) {
    throw new TransactionDecodeError(`${signatureCount} signatures for ${requiredSignatures} signers`);
  }
  const readonlySigners = reader.byte();
  const readonlyNonSigners = reader.byte();
  const addressCount = reader.length();
  const addressesOffset = reader.skip(addressCount * 32);
  const blockhashOffset = reader.skip(32);
  const instructions: InstructionLayout[] = [];
  for (let left = reader.length(); left > 0; left--) {
    const programIndex = reader.byte();
    const accountCount = reader.length();
    const accountsOffset = reader.skip(accountCount);
    const dataLength = reader.length();
    instructions.push({ programIndex, accountsOffset, accountCount, dataOffset: reader.skip(dataLength), dataLength });
  }
  const loadedAddressCount = version === 0 ? countLoadedAddresses(reader, areLoadedKnown) : 0;
  return {
    version,
    signaturesOffset,
    requiredSignatures,
    readonlySigners,
    readonlyNonSigners,
    addressesOffset,
    addressCount,
    loadedAddressCount,
    blockhashOffset,
    config: undefined,
    instructions,
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

// Of every table: its address, and the indices of the addresses to load, first the writable ones.
function countLoadedAddresses(reader: ByteReader, areKnown: boolean): number {
  const tableCount = reader.length();
  if (tableCount > 0 && !areKnown) {
    throw new TransactionDecodeError('address lookup tables are used: their accounts are not in the bytes');
  }
  let count = 0;
  for (let left = tableCount; left > 0; left--) {
    reader.skip(32);
    const writableCount = reader.length();
    reader.skip(writableCount);
    const readonlyCount = reader.length();
    reader.skip(readonlyCount);
    count += writableCount + readonlyCount;
  }
  return count;
}

// As the runtime's sanitizer demands: the fee payer is writable, and the header counts no more accounts than there are.
function assertHeaderIsSound(layout: TransactionLayout): void {
  const { requiredSignatures, readonlySigners, readonlyNonSigners, addressCount } = layout;
  if (requiredSignatures === 0) throw new TransactionDecodeError('nobody signs');
  if (readonlySigners >= requiredSignatures) throw new TransactionDecodeError('the fee payer is not writable');
  if (requiredSignatures + readonlyNonSigners > addressCount) {
    throw new TransactionDecodeError(`the header counts more accounts than the ${addressCount} there are`);
  }
}

function assertAccountExists(index: number, count: number): void {
  if (index >= count) throw new TransactionDecodeError(`account ${index} of ${count} is used`);
}

/** Where everything stands in the bytes of a transaction: offsets and counts, nothing copied. */
export interface TransactionLayout {
  version: TransactionVersion;
  /** Of 64 bytes each, one for each required signature. */
  signaturesOffset: number;
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** Of 32 bytes each. */
  addressesOffset: number;
  addressCount: number;
  /** How many accounts follow those from address lookup tables. Only version 0 has any. */
  loadedAddressCount: number;
  /** 32 bytes. */
  blockhashOffset: number;
  /** The limits in the header of a version 1 message; what it leaves out is zero. */
  config: MessageConfig | undefined;
  instructions: InstructionLayout[];
}

/** Where everything stands in one instruction. */
export interface InstructionLayout {
  programIndex: number;
  /** Of one byte each: indices of addresses. */
  accountsOffset: number;
  accountCount: number;
  dataOffset: number;
  dataLength: number;
}

/** Whether the account at an index of the message must sign. */
export function isSignerAt(layout: TransactionLayout, index: number): boolean {
  return index < layout.requiredSignatures;
}

/** Whether the account at an index of the message may be written. */
export function isWritableAt(layout: TransactionLayout, index: number): boolean {
  const { requiredSignatures, readonlySigners, readonlyNonSigners, addressCount } = layout;
  return isSignerAt(layout, index)
    ? index < requiredSignatures - readonlySigners
    : index < addressCount - readonlyNonSigners;
}

/**
 * Reads where everything stands in a transaction of version 1 (SIMD-0385).
 *
 * Fixed fields come first, then addresses, the values that the mask announces, instruction headers, instructions, signatures.
 * Throws a `TransactionDecodeError` for bytes that end early, and for settings that are not known.
 */
function readVersion1(reader: ByteReader): TransactionLayout {
  reader.byte();
  const requiredSignatures = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyNonSigners = reader.byte();
  const mask = reader.u32();
  const blockhashOffset = reader.skip(32);
  const instructionCount = reader.byte();
  const addressCount = reader.byte();
  const addressesOffset = reader.skip(addressCount * 32);
  const config = readConfig(reader, mask);
  const headers = Array.from({ length: instructionCount }, () => {
    const programIndex = reader.byte();
    const accountCount = reader.byte();
    return { programIndex, accountCount, dataLength: reader.byte() | (reader.byte() << 8) };
  });
  const instructions = headers.map(({ programIndex, accountCount, dataLength }) => {
    const accountsOffset = reader.skip(accountCount);
    return { programIndex, accountsOffset, accountCount, dataOffset: reader.skip(dataLength), dataLength };
  });
  return {
    version: 1,
    signaturesOffset: reader.skip(requiredSignatures * 64),
    requiredSignatures,
    readonlySigners,
    readonlyNonSigners,
    addressesOffset,
    addressCount,
    loadedAddressCount: 0,
    blockhashOffset,
    config,
    instructions,
  };
}

function readConfig(reader: ByteReader, mask: number): MessageConfig {
  if (mask >= 0b10_0000) throw new TransactionDecodeError('the message has settings that are not known');
  // The priority fee takes two bits, which are set together or not at all.
  const priorityFeeBits = mask & 0b0011;
  if (priorityFeeBits === 0b0001 || priorityFeeBits === 0b0010) {
    throw new TransactionDecodeError('the message has half a priority fee');
  }
  const config = {
    priorityFee: priorityFeeBits === 0 ? 0n : reader.u64(),
    computeUnitLimit: (mask & 0b0100) === 0 ? 0 : reader.u32(),
    loadedAccountsDataSizeLimit: (mask & 0b1000) === 0 ? 0 : reader.u32(),
  };
  // The heap size, which no transfer needs.
  if ((mask & 0b1_0000) !== 0) reader.u32();
  return config;
}
