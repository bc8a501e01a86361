import { createHash } from 'node:crypto';

/** A stream of random draws that its name determines: the same name draws the same values on every machine. */
export class Random {
  readonly #name: string;
  #block = Buffer.alloc(0);
  #blocks = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Draws so many bytes. */
  bytes(count: number): Uint8Array {
    const drawn: number[] = [];
    while (drawn.length < count) drawn.push(this.#byte());
    return Uint8Array.from(drawn);
  }

  /** Draws a whole number from `min` to `max`, both included. The range is small against 2^48. */
  integer(min: number, max: number): number {
    const wide = this.bytes(6).reduce((sum, byte) => sum * 256 + byte, 0);
    return min + (wide % (max - min + 1));
  }

  /** Draws true with this probability. */
  chance(probability: number): boolean {
    return this.integer(0, 999_999) < probability * 1_000_000;
  }

  /** Draws one of the values. Throws when there is none. */
  pick<T>(values: readonly T[]): T {
    const index = this.integer(0, values.length - 1);
    if (!(index in values)) throw new RangeError('nothing to pick from');
    return values[index] as T;
  }

  /** Draws one of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    // Object.keys forgets the type of the keys, which are the record's own.
    const keys = Object.keys(weights) as K[];
    const repeated = keys.flatMap((key) => new Array<K>(weights[key]).fill(key));
    return this.pick(repeated);
  }

  #byte(): number {
    const [first] = this.#block;
    if (first === undefined) {
      this.#block = createHash('sha256').update(`${this.#name} ${this.#blocks}`).digest();
      this.#blocks += 1;
      return this.#byte();
    }
    this.#block = this.#block.subarray(1);
    return first;
  }
}
