import { type Address, toAddress } from '../addresses/address.ts';
import { addressLength } from '../addresses/address-bytes.ts';
import { ByteWriter, compactU16Length } from '../bytes/byte-writer.ts';
import type { Instruction } from './instruction.ts';

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

/** The accounts of a message, and where the order that its header counts by has them. */
export interface CompiledAccounts {
  /** Each once, fee payer first, as the instructions name them. */
  addresses: readonly Address[];
  /**
   * The index in the message of each of these addresses: writable signers come first, then readonly signers, writable
   * accounts, readonly accounts.
   */
  indices: readonly number[];
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
  /** Of each instruction, one after another: the index in the message of its program, and those of its accounts. */
  instructionIndices: readonly number[];
}

// A role is a number, so that two roles of one account are merged by an `or`.
const signer = 0b10;
const writable = 0b01;

/** Gives each account of some instructions the one role that all of them need, and its index in the message. */
export function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const addresses: Address[] = [feePayer];
  const roles: number[] = [signer | writable];
  const merged = new Array<number>(countIndices(instructions));
  // Without iterators: one whose loop calls something makes an object for each step, which took most of the memory of a build.
  let next = 0;
  let at = 0;
  for (let instruction = instructions[0]; instruction; instruction = instructions[++at]) {
    next++;
    const { accounts } = instruction;
    let position = 0;
    for (let account = accounts[0]; account; account = accounts[++position]) {
      const role = (account.signer ? signer : 0) | (account.writable ? writable : 0);
      merged[next++] = merge(addresses, roles, account.address, role);
    }
  }
  // Programs come after all other accounts.
  next = 0;
  at = 0;
  for (let instruction = instructions[0]; instruction; instruction = instructions[++at]) {
    merged[next] = merge(addresses, roles, instruction.program, 0);
    next += 1 + instruction.accounts.length;
  }

  const writableSigners = countOf(roles, signer | writable);
  const readonlySigners = countOf(roles, signer);
  const requiredSignatures = writableSigners + readonlySigners;
  const readonlyNonSigners = countOf(roles, 0);
  // Where the next account of each role goes.
  const nextOfRole = [roles.length - readonlyNonSigners, requiredSignatures, writableSigners, 0];
  // The role of an account gives way to its index.
  const indices = roles;
  for (let account = 0; account < roles.length; account++) {
    const role = roles[account] ?? 0;
    const index = nextOfRole[role] ?? 0;
    nextOfRole[role] = index + 1;
    indices[account] = index;
  }
  for (let index = 0; index < merged.length; index++) merged[index] = indices[merged[index] ?? 0] ?? 0;
  return { addresses, indices, requiredSignatures, readonlySigners, readonlyNonSigners, instructionIndices: merged };
}

function countIndices(instructions: readonly Instruction[]): number {
  let count = instructions.length;
  for (const { accounts } of instructions) count += accounts.length;
  return count;
}

function countOf(roles: readonly number[], wanted: number): number {
  let count = 0;
  for (let at = 0; at < roles.length; at++) if (roles[at] === wanted) count++;
  return count;
}

function merge(addresses: Address[], roles: number[], address: Address, role: number): number {
  const known = addresses.indexOf(address);
  if (known === -1) {
    roles.push(role);
    return addresses.push(address) - 1;
  }
  roles[known] = (roles[known] ?? 0) | role;
  return known;
}

/** The format of the transaction's message. */
export type TransactionVersion = 'legacy' | 0 | 1;
