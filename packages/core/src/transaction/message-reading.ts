import type { Address } from '../addresses/address.ts';
import { isAddressAt } from '../addresses/known-addresses.ts';
import {
  type InstructionLayout,
  isSignerAt,
  isWritableAt,
  readTransactionLayout,
  type TransactionLayout,
} from './read-transaction-layout.ts';

const encoder = new TextEncoder();

// Of each account of the message, whose index is a byte, whether it is used.
const isUsed = new Uint8Array(256);

/** Thrown when bytes do not say what their plan says: a fault of the builder, so never shown to a caller. */
export class ReadBackError extends Error {
  override readonly name = 'ReadBackError';
}

/** The role that an instruction itself demands of an account. */
export type DemandedRole = 'readonly' | 'signer' | 'writable' | 'writable signer';

/**
 * The bytes of a transaction, to be compared with what they should say, one part after another.
 *
 * Every method that expects throws a `ReadBackError` naming the part that differs.
 */
export class MessageReading {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly layout: TransactionLayout;
  // The address that was last found at each index: most are asked for by every payment of a message.
  readonly #found: (Address | undefined)[];
  // At the same indices, whether an instruction demanded that it may be written.
  readonly #isDemanded: boolean[];
  #next = 0;

  /** Throws a `TransactionDecodeError` for bytes that are no transaction. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.layout = readTransactionLayout(bytes);
    this.#found = new Array<Address | undefined>(this.layout.addressCount);
    this.#isDemanded = new Array<boolean>(this.layout.addressCount);
  }

  /** Takes the next instruction, which must be of this program, and have this many bytes of data if that is given. */
  nextInstruction(name: string, program: Address, dataLength?: number): InstructionLayout {
    const instruction = this.layout.instructions[this.#next++];
    if (!instruction) throw new ReadBackError(`the ${name} instruction is missing`);
    if (!this.hasAddressAt(instruction.programIndex, program)) {
      throw new ReadBackError(`${name} program: the bytes do not name ${program}`);
    }
    if (dataLength !== undefined && dataLength !== instruction.dataLength) {
      throw new ReadBackError(`${name} data length: the bytes say ${instruction.dataLength}, the plan ${dataLength}`);
    }
    return instruction;
  }

  expectNoFurtherInstruction(): void {
    expectEqual('number of instructions', this.layout.instructions.length, this.#next);
  }

  /**
   * A role that the instruction demands must be there; one beyond it can come from another instruction of the message.
   *
   * `roles`: of the first accounts; the others are readonly.
   */
  expectAccounts(
    name: string,
    instruction: InstructionLayout,
    expected: readonly Address[],
    roles: readonly DemandedRole[],
  ): void {
    if (instruction.accountCount !== expected.length) {
      throw new ReadBackError(`${name}: ${instruction.accountCount} accounts instead of ${expected.length}`);
    }
    for (let position = 0; position < expected.length; position++) {
      const address = expected[position];
      const role = roles[position] ?? 'readonly';
      const index = this.bytes[instruction.accountsOffset + position];
      if (address !== undefined && index !== undefined && this.#fits(index, address, role)) continue;
      throw new ReadBackError(`${name}: account ${position} is not ${address} (${role})`);
    }
  }

  /** Whether the address at an index of the message is this one. */
  hasAddressAt(index: number, address: Address): boolean {
    if (this.#found[index] === address) return true;
    if (!isAddressAt(this.view, this.addressOffset(index), address)) return false;
    this.#found[index] = address;
    return true;
  }

  /** Where the bytes of the address at an index of the message begin. */
  addressOffset(index: number): number {
    return this.layout.addressesOffset + index * 32;
  }

  expectAddress(name: string, offset: number, expected: string): void {
    if (!isAddressAt(this.view, offset, expected)) throw new ReadBackError(`${name}: the bytes do not say ${expected}`);
  }

  expectBytes(name: string, offset: number, expected: Uint8Array): void {
    if (!areBytesAt(this.bytes, offset, expected)) throw new ReadBackError(`${name}: the bytes say something else`);
  }

  /** The UTF-8 of a text, which is plain ASCII nearly always. */
  expectText(name: string, offset: number, length: number, text: string): void {
    if (length === text.length && isAsciiAt(this.bytes, offset, text)) return;
    const expected = encoder.encode(text);
    expectEqual(`${name} length`, length, expected.length);
    this.expectBytes(name, offset, expected);
  }

  expectByte(name: string, offset: number, expected: number): void {
    expectEqual(name, this.bytes[offset], expected);
  }

  // Byte by byte: the encoder goes about it in another way, so that the same slip cannot be in both.
  expectInteger(name: string, offset: number, length: number, expected: bigint): void {
    let number = 0;
    for (let at = offset + length - 1; at >= offset; at--) {
      number = number * 256 + (this.bytes[at] ?? Number.NaN);
    }
    // Nearly all are small enough for a number to be exact, and are compared in one.
    if (number <= Number.MAX_SAFE_INTEGER && BigInt(number) === expected) return;
    let rest = expected;
    for (let at = offset; at < offset + length; at++) {
      if (this.bytes[at] !== Number(rest & 0xffn)) throw new ReadBackError(`${name}: the bytes do not say ${expected}`);
      rest >>= 8n;
    }
    if (rest !== 0n) throw new ReadBackError(`${name}: ${expected} has more than ${length} bytes`);
  }

  /**
   * Every account is there once, is used, and is writable only where an instruction was expected to demand it, or pays the fee.
   *
   * A message grants each account one role for all its instructions: none may have more than they need.
   */
  expectRoles(): void {
    const { layout, bytes } = this;
    const { addressesOffset, addressCount } = layout;
    isUsed.fill(0);
    isUsed[0] = 1;
    for (const { programIndex, accountsOffset, accountCount } of layout.instructions) {
      isUsed[programIndex] = 1;
      for (let at = accountsOffset; at < accountsOffset + accountCount; at++) isUsed[bytes[at] ?? 0] = 1;
    }
    for (let index = 0; index < addressCount; index++) {
      if (isUsed[index] !== 1) throw new ReadBackError(`account ${index} is not used`);
      if (index > 0 && isWritableAt(layout, index) && !this.#isDemanded[index]) {
        throw new ReadBackError(`account ${index}: the bytes say writable, the plan not`);
      }
      const offset = addressesOffset + index * 32;
      for (let other = addressesOffset; other < offset; other += 32) {
        if (haveSameBytes(bytes, other, offset)) throw new ReadBackError(`account ${index} is there twice`);
      }
    }
  }

  #fits(index: number, address: Address, role: DemandedRole): boolean {
    const isSigner = role === 'signer' || role === 'writable signer';
    const isWritable = role === 'writable' || role === 'writable signer';
    if (isWritable) this.#isDemanded[index] = true;
    return (
      this.hasAddressAt(index, address) &&
      (!isSigner || isSignerAt(this.layout, index)) &&
      (!isWritable || isWritableAt(this.layout, index))
    );
  }
}

/** Compares a part of the bytes with what it should be. Throws a `ReadBackError` where they differ. */
export function expectEqual<T>(name: string, actual: T, expected: T): void {
  if (actual !== expected) throw new ReadBackError(`${name}: the bytes say ${actual}, the plan ${expected}`);
}

function areBytesAt(bytes: Uint8Array, offset: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index++) if (bytes[offset + index] !== expected[index]) return false;
  return true;
}

function isAsciiAt(bytes: Uint8Array, offset: number, text: string): boolean {
  let index = 0;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f || bytes[offset + index] !== code) break;
  }
  return index === text.length;
}

function haveSameBytes(bytes: Uint8Array, first: number, second: number): boolean {
  for (let index = 0; index < 32; index++) if (bytes[first + index] !== bytes[second + index]) return false;
  return true;
}
