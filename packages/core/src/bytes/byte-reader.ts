import { readU32, readU64 } from './little-endian.ts';

/** Thrown when bytes are not a transaction; the message says what is wrong and at which byte. */
export class TransactionDecodeError extends Error {
  override readonly name = 'TransactionDecodeError';
}

/** Reads bytes in order. Every method throws a `TransactionDecodeError` where the bytes end too early or are malformed. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  peek(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new TransactionDecodeError(`the bytes end at ${this.#offset}, too early`);
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#offset++;
    return byte;
  }

  /** Passes over some bytes and returns the offset of the first. */
  skip(length: number): number {
    const start = this.#offset;
    const end = start + length;
    if (end > this.#bytes.length) {
      throw new TransactionDecodeError(`the bytes end at ${this.#bytes.length}, too early: ${end} are needed`);
    }
    this.#offset = end;
    return start;
  }

  u32(): number {
    return readU32(this.#bytes, this.skip(4));
  }

  u64(): bigint {
    return readU64(this.#bytes, this.skip(8));
  }

  // A compact u16: at most three bytes, and no shorter form of the same number (as the runtime demands).
  length(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if ((byte === 0 && shift > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new TransactionDecodeError(`a length before byte ${this.#offset} is malformed`);
  }

  end(): void {
    const excess = this.#bytes.length - this.#offset;
    if (excess > 0) throw new TransactionDecodeError(`${excess} bytes follow the end of the transaction`);
  }
}
