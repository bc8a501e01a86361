import { type Address, bytesOf, toAddress } from './address.ts';
import type { AccountMeta, Instruction } from './instruction.ts';
import type { TransactionVersion } from './transfer-plan.ts';

/** The largest transaction of each version that a validator takes (`PACKET_DATA_SIZE`; SIMD-0296 for version 1). */
export function transactionSizeLimit(version: TransactionVersion): number {
  return version === 1 ? 4096 : 1232;
}

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

interface CompiledAccounts {
  addresses: readonly Address[];
  indexOf: ReadonlyMap<Address, number>;
  requiredSignatures: number;
  readonlySigners: number;
  readonlyNonSigners: number;
}

/**
 * Encodes an unsigned transaction: 64 zero bytes for each signer's signature, and the message, fee payer first.
 *
 * The result may be larger than `transactionSizeLimit`: that is the caller's to judge.
 */
export function encodeTransaction(message: UnsignedMessage): Uint8Array {
  const accounts = compileAccounts(message.feePayer, message.instructions);
  const writer = new ByteWriter();
  if (message.version === 1) {
    writeVersion1(writer, message, accounts);
    writer.zeros(accounts.requiredSignatures * 64);
  } else {
    writer.compactU16(accounts.requiredSignatures);
    writer.zeros(accounts.requiredSignatures * 64);
    writeLegacyOrVersion0(writer, message, accounts);
  }
  return writer.toBytes();
}

function writeLegacyOrVersion0(writer: ByteWriter, message: UnsignedMessage, accounts: CompiledAccounts): void {
  if (message.version === 0) writer.byte(0x80);
  writer.byte(accounts.requiredSignatures, accounts.readonlySigners, accounts.readonlyNonSigners);
  writer.compactU16(accounts.addresses.length);
  for (const address of accounts.addresses) writer.bytes(bytesOf(address));
  writer.bytes(bytesOf(toAddress(message.lifetimeToken)));
  writer.compactU16(message.instructions.length);
  for (const instruction of message.instructions) {
    writer.byte(indexIn(accounts, instruction.program));
    writer.compactU16(instruction.accounts.length);
    for (const account of instruction.accounts) writer.byte(indexIn(accounts, account.address));
    writer.compactU16(instruction.data.length);
    writer.bytes(instruction.data);
  }
  // No address lookup tables.
  if (message.version === 0) writer.compactU16(0);
}

// The bits of the config mask: two for the priority fee (u64), one each for the unit limit and the data size limit (u32).
const priorityFeeBits = 0b0011;
const computeUnitLimitBit = 0b0100;
const loadedAccountsDataSizeLimitBit = 0b1000;

function writeVersion1(writer: ByteWriter, message: UnsignedMessage, accounts: CompiledAccounts): void {
  const { config, instructions } = message;
  if (!config) throw new Error('a version 1 message needs limits: without them they are zero');
  const hasPriorityFee = config.priorityFee > 0n;
  const mask = computeUnitLimitBit | loadedAccountsDataSizeLimitBit | (hasPriorityFee ? priorityFeeBits : 0);
  writer.byte(0x81, accounts.requiredSignatures, accounts.readonlySigners, accounts.readonlyNonSigners);
  writer.u32(mask);
  writer.bytes(bytesOf(toAddress(message.lifetimeToken)));
  writer.byte(instructions.length, accounts.addresses.length);
  for (const address of accounts.addresses) writer.bytes(bytesOf(address));
  if (hasPriorityFee) writer.u64(config.priorityFee);
  writer.u32(config.computeUnitLimit);
  writer.u32(config.loadedAccountsDataSizeLimit);
  for (const instruction of instructions) {
    writer.byte(indexIn(accounts, instruction.program), instruction.accounts.length);
    writer.byte(instruction.data.length & 0xff, instruction.data.length >> 8);
  }
  for (const instruction of instructions) {
    for (const account of instruction.accounts) writer.byte(indexIn(accounts, account.address));
    writer.bytes(instruction.data);
  }
}

function compileAccounts(feePayer: Address, instructions: readonly Instruction[]): CompiledAccounts {
  const merged = new Map<Address, AccountMeta>([[feePayer, { address: feePayer, signer: true, writable: true }]]);
  const add = (meta: AccountMeta): void => {
    const known = merged.get(meta.address);
    merged.set(meta.address, {
      address: meta.address,
      signer: meta.signer || known?.signer === true,
      writable: meta.writable || known?.writable === true,
    });
  };
  for (const instruction of instructions) for (const account of instruction.accounts) add(account);
  for (const { program } of instructions) add({ address: program, signer: false, writable: false });

  // The order that the message header counts by: writable signers, readonly signers, writable, readonly.
  const rank = (meta: AccountMeta): number => (meta.signer ? 0 : 2) + (meta.writable ? 0 : 1);
  const ordered = [...merged.values()].sort((a, b) => rank(a) - rank(b));
  return {
    addresses: ordered.map((meta) => meta.address),
    indexOf: new Map(ordered.map((meta, index) => [meta.address, index])),
    requiredSignatures: ordered.filter((meta) => meta.signer).length,
    readonlySigners: ordered.filter((meta) => meta.signer && !meta.writable).length,
    readonlyNonSigners: ordered.filter((meta) => !meta.signer && !meta.writable).length,
  };
}

function indexIn(accounts: CompiledAccounts, address: Address): number {
  const index = accounts.indexOf.get(address);
  if (index === undefined) throw new Error(`account ${address} was not compiled into the message`);
  return index;
}

class ByteWriter {
  readonly #bytes: number[] = [];

  byte(...values: number[]): void {
    this.#bytes.push(...values);
  }

  bytes(values: Uint8Array): void {
    for (const value of values) this.#bytes.push(value);
  }

  zeros(count: number): void {
    for (let index = 0; index < count; index++) this.#bytes.push(0);
  }

  u32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.#bytes.push((value >>> shift) & 0xff);
  }

  u64(value: bigint): void {
    for (let shift = 0n; shift < 64n; shift += 8n) this.#bytes.push(Number((value >> shift) & 0xffn));
  }

  // The runtime's variable-length integer: seven bits a byte, least significant first, at most three bytes.
  compactU16(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes.push((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.#bytes.push(rest);
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
