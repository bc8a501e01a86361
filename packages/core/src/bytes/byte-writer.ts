import type { Address } from '../addresses/address.ts';
import { addressLength } from '../addresses/address-bytes.ts';
import { copyAddress } from '../addresses/known-addresses.ts';
import { writeU32, writeU64 } from './little-endian.ts';

/** Writes bytes in order into a buffer of its own that has room for all of them, zero where nothing is written. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  byte(value: number): void {
    this.bytes[this.#offset++] = value;
  }

  copy(values: Uint8Array): void {
    this.bytes.set(values, this.#offset);
    this.#offset += values.length;
  }

  address(address: Address): void {
    this.addressAhead(0, address);
    this.#offset += addressLength;
  }

  /** Writes an address where it stands after `others` addresses, and does not move on. */
  addressAhead(others: number, address: Address): void {
    copyAddress(address, this.#view, this.#offset + others * addressLength);
  }

  skip(count: number): void {
    this.#offset += count;
  }

  u16(value: number): void {
    this.byte(value & 0xff);
    this.byte(value >>> 8);
  }

  u32(value: number): void {
    writeU32(this.bytes, this.#offset, value);
    this.#offset += 4;
  }

  u64(value: bigint): void {
    writeU64(this.bytes, this.#offset, value);
    this.#offset += 8;
  }

  // The runtime's variable-length integer: seven bits a byte, least significant first, at most three bytes.
  compactU16(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest);
  }
}

/** How many bytes `compactU16` writes. */
export function compactU16Length(value: number): number {
  if (value < 0x80) return 1;
  return value < 0x4000 ? 2 : 3;
}
