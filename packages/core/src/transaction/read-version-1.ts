import { type ByteReader, TransactionDecodeError } from '../bytes/byte-reader.ts';
import type { MessageConfig } from './encode-transaction.ts';
import type { TransactionLayout } from './transaction-layout.ts';

/**
 * Reads where everything stands in a transaction of version 1 (SIMD-0385).
 *
 * Fixed fields come first, then addresses, the values that the mask announces, instruction headers, instructions, signatures.
 * Throws a `TransactionDecodeError` for bytes that end early, and for settings that are not known.
 */
export function readVersion1(reader: ByteReader): TransactionLayout {
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
