import { type Address, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit';

const noAddress = '11111111111111111111111111111111';

/** Reads little-endian values one after another; throws RangeError where the bytes end too soon. */
export class ByteReader {
  readonly #bytes: ReadonlyUint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: ReadonlyUint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that are still to be read. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from(this.#bytes.slice(this.#skip(length), this.#offset));
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true);
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

  address(): Address {
    return getAddressDecoder().decode(this.bytes(32));
  }

  /** An address, or null for 32 zero bytes (`OptionalNonZeroPubkey`). */
  addressOrNull(): Address | null {
    const address = this.address();
    return address === noAddress ? null : address;
  }

  /** A flag of four bytes, then a value that counts only when the flag is set (`COption`). */
  option<T>(read: () => T): T | null {
    const isSet = this.u32() !== 0;
    const value = read();
    return isSet ? value : null;
  }

  /** A u32 length, then UTF-8. Throws TypeError for other bytes. */
  text(): string {
    return decodeUtf8(this.bytes(this.u32()));
  }

  #skip(length: number): number {
    const start = this.#offset;
    if (start + length > this.#bytes.length) throw new RangeError('the bytes end too soon');
    this.#offset += length;
    return start;
  }
}

/** Decodes UTF-8; throws TypeError for other bytes. */
export function decodeUtf8(bytes: ReadonlyUint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
}
