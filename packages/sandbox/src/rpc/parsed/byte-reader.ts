import { type Address, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit';

/** Thrown when bytes end before what is read from them. */
export class BytesEndError extends Error {}

const noAddress = '11111111111111111111111111111111';

/** Reads little-endian values one after another. */
export class ByteReader {
  readonly #bytes: ReadonlyUint8Array;
  readonly #view: DataView;
  #offset: number;

  constructor(bytes: ReadonlyUint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
  }

  /** Bytes that are still to be read. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from(this.#bytes.slice(this.#skip(length), this.#offset));
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true);
  }

  i16(): number {
    return this.#view.getInt16(this.#skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#skip(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#skip(8), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  /** A byte that is 0 or another. */
  flag(): boolean {
    return this.u8() !== 0;
  }

  address(): Address {
    return getAddressDecoder().decode(this.bytes(32));
  }

  /** An address, or null for 32 zero bytes (`OptionalNonZeroPubkey`). */
  addressOrNull(): Address | null {
    const address = this.address();
    return address === noAddress ? null : address;
  }

  /** A flag of so many bytes, then an address that counts only when the flag is set: always 32 bytes (`COption<Pubkey>`). */
  fixedOption<T>(flagBytes: 1 | 4, read: () => T): T | null {
    const isThere = this.bytes(flagBytes).some((byte) => byte !== 0);
    const value = read();
    return isThere ? value : null;
  }

  /** A flag, then a value when the flag is set. */
  option<T>(read: () => T): T | null {
    return this.flag() ? read() : null;
  }

  /** A length of so many bytes, then UTF-8. Throws TypeError for other bytes. */
  text(lengthBytes: 4 | 8 = 4): string {
    const length = lengthBytes === 4 ? this.u32() : Number(this.u64());
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes(length));
  }

  #skip(length: number): number {
    const start = this.#offset;
    if (start + length > this.#bytes.length) throw new BytesEndError('the bytes end too soon');
    this.#offset += length;
    return start;
  }
}
