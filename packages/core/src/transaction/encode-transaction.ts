import { type Address, toAddress } from '../addresses/address.ts';
import { addressLength } from '../addresses/address-bytes.ts';
import { ByteWriter, compactU16Length } from '../bytes/byte-writer.ts';
import { type CompiledAccounts, compileAccounts } from './compile-accounts.ts';
import type { Instruction } from './instruction.ts';
import type { TransactionVersion } from './transaction-version.ts';

/** The largest transaction of each version that a validator takes (`PACKET_DATA_SIZE`; SIMD-0296 for version 1). */
export function transactionSizeLimit(version: TransactionVersion): number {
  return version === 1 ? 4096 : 1232;
}

/** The most accounts that one transaction may name (`MAX_TX_ACCOUNT_LOCKS`; SIMD-0385 for version 1). */
export const maxAccountCount = 64;

/** What the header of a version 1 message holds, where other versions have Compute Budget instructions (SIMD-0385). */
export interface MessageConfig {
  /** Lamports in all, not a price. */
  priorityFee: bigint;
  computeUnitLimit: number;
  loadedAccountsDataSizeLimit: number;
}

/** A message to encode. `lifetimeToken` is a blockhash or a nonce; `config` counts in version 1 alone. */
export interface UnsignedMessage {
  version: TransactionVersion;
  feePayer: Address;
  instructions: readonly Instruction[];
  lifetimeToken: string;
  config: MessageConfig | undefined;
}

/**
 * Encodes an unsigned transaction: 64 zero bytes for each signer's signature, and the message, fee payer first.
 *
 * The result may be larger than `transactionSizeLimit`: the caller compares it.
 */
export function encodeTransaction(message: UnsignedMessage): Uint8Array {
  const accounts = compileAccounts(message.feePayer, message.instructions);
  return message.version === 1 ? encodeVersion1(message, accounts) : encodeLegacyOrVersion0(message, accounts);
}

/** Counts the bytes that `encodeTransaction` makes of a message. */
export function transactionSize(message: UnsignedMessage): number {
  return countBytes(message, compileAccounts(message.feePayer, message.instructions));
}

function countBytes({ version, instructions, config }: UnsignedMessage, accounts: CompiledAccounts): number {
  const { addresses, requiredSignatures } = accounts;
  // Signatures, the header's three counts, the addresses and the lifetime token.
  const shared = requiredSignatures * 64 + 3 + addresses.length * addressLength + 32;
  if (version === 1) {
    const priorityFeeLength = config && config.priorityFee > 0n ? 8 : 0;
    // Version byte, mask, two counts, the limits, and four bytes in front of each instruction.
    let length = shared + 1 + 4 + 2 + priorityFeeLength + 8;
    for (const { accounts: metas, data } of instructions) length += 4 + metas.length + data.length;
    return length;
  }
  let length = shared + compactU16Length(requiredSignatures) + compactU16Length(addresses.length);
  length += compactU16Length(instructions.length);
  for (const { accounts: metas, data } of instructions) {
    length += 1 + compactU16Length(metas.length) + metas.length + compactU16Length(data.length) + data.length;
  }
  // The version byte, and that of no address lookup tables.
  return version === 0 ? length + 2 : length;
}

function encodeLegacyOrVersion0(message: UnsignedMessage, accounts: CompiledAccounts): Uint8Array {
  const { version, instructions } = message;
  const { addresses, requiredSignatures, instructionIndices } = accounts;
  const writer = new ByteWriter(countBytes(message, accounts));

  writer.compactU16(requiredSignatures);
  writer.skip(requiredSignatures * 64);
  if (version === 0) writer.byte(0x80);
  writeHeader(writer, accounts);
  writer.compactU16(addresses.length);
  writeAddresses(writer, accounts);
  writer.address(toAddress(message.lifetimeToken));
  writer.compactU16(instructions.length);
  let next = 0;
  for (const { accounts: metas, data } of instructions) {
    writer.byte(instructionIndices[next++] ?? 0);
    writer.compactU16(metas.length);
    for (const end = next + metas.length; next < end; next++) writer.byte(instructionIndices[next] ?? 0);
    writer.compactU16(data.length);
    writer.copy(data);
  }
  // In version 0 one byte is left, which is zero: no address lookup tables.
  return writer.bytes;
}

// The bits of the config mask: two for the priority fee (u64), one each for the unit limit and the data size limit (u32).
const priorityFeeBits = 0b0011;
const computeUnitLimitBit = 0b0100;
const loadedAccountsDataSizeLimitBit = 0b1000;

function encodeVersion1(message: UnsignedMessage, accounts: CompiledAccounts): Uint8Array {
  const { config, instructions } = message;
  if (!config) throw new Error('a version 1 message needs limits: without them they are zero');
  const { addresses, instructionIndices } = accounts;
  const hasPriorityFee = config.priorityFee > 0n;
  const writer = new ByteWriter(countBytes(message, accounts));

  writer.byte(0x81);
  writeHeader(writer, accounts);
  writer.u32(computeUnitLimitBit | loadedAccountsDataSizeLimitBit | (hasPriorityFee ? priorityFeeBits : 0));
  writer.address(toAddress(message.lifetimeToken));
  writer.byte(instructions.length);
  writer.byte(addresses.length);
  writeAddresses(writer, accounts);
  if (hasPriorityFee) writer.u64(config.priorityFee);
  writer.u32(config.computeUnitLimit);
  writer.u32(config.loadedAccountsDataSizeLimit);
  let next = 0;
  for (const { accounts: metas, data } of instructions) {
    writer.byte(instructionIndices[next] ?? 0);
    writer.byte(metas.length);
    writer.u16(data.length);
    next += 1 + metas.length;
  }
  next = 0;
  for (const { accounts: metas, data } of instructions) {
    next++;
    for (const end = next + metas.length; next < end; next++) writer.byte(instructionIndices[next] ?? 0);
    writer.copy(data);
  }
  return writer.bytes;
}

function writeAddresses(writer: ByteWriter, { addresses, indices }: CompiledAccounts): void {
  let next = 0;
  for (const address of addresses) writer.addressAhead(indices[next++] ?? 0, address);
  writer.skip(addresses.length * addressLength);
}

function writeHeader(writer: ByteWriter, accounts: CompiledAccounts): void {
  writer.byte(accounts.requiredSignatures);
  writer.byte(accounts.readonlySigners);
  writer.byte(accounts.readonlyNonSigners);
}
