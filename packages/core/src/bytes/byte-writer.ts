import type { Address } from '../addresses/address.ts';
import { addressLength } from '../addresses/address-bytes.ts';
import { copyAddress } from '../addresses/known-addresses.ts';
import { writeU32, writeU64 } from './little-endian.ts';

// Memory of its own for a few hundred bytes takes longer than to fill them: they are cut from a large piece, each part once.
const pieceLength = 65_536;
let piece = new ArrayBuffer(pieceLength);
let viewOfPiece = new DataView(piece);
let usedOfPiece = 0;

/** Returns so many bytes, all zero, in memory that no one else has. */
export function cutBytes(length: number): Uint8Array {
  if (length > pieceLength) return new Uint8Array(length);
  if (usedOfPiece + length > pieceLength) {
    piece = new ArrayBuffer(pieceLength);
    viewOfPiece = new DataView(piece);
    usedOfPiece = 0;
  }
  const start = usedOfPiece;
  usedOfPiece += length;
  // Takes a quarter of the time of `subarray`.
  return new Uint8Array(piece, start, length);
}

/** Writes bytes in order into a buffer that has room for all of them, zero where nothing is written. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  #offset = 0;
  // Of the whole buffer, in which the bytes begin here.
  readonly #view: DataView;
  readonly #start: number;

  constructor(length: number) {
    this.bytes = cutBytes(length);
    const { buffer, byteOffset } = this.bytes;
    this.#view = buffer === piece ? viewOfPiece : new DataView(buffer);
    this.#start = byteOffset;
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

  /** Writes an address after so many others, without passing over them. */
  addressAhead(others: number, address: Address): void {
    const at = this.#offset + others * addressLength;
    // The view would go on into the bytes of others.
    if (at + addressLength > this.bytes.length) throw new RangeError(`there is no room for an address at byte ${at}`);
    copyAddress(address, this.#view, this.#start + at);
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
