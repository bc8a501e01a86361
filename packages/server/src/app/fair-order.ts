/** Something that waits: the older, the sooner it is taken among those of its owner. */
export interface Aged {
  age: number;
}

/**
 * What waits for a turn, handed out to owners in rotation: an owner with a thousand entries delays each other owner by one.
 *
 * Of one owner the oldest comes first, and of equal ages the one that was added first.
 */
export class FairOrder<T extends Aged> {
  /** By owner; the first is the next one. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** The waiting entries of the owner that has the most, the next one first; empty when none waits. */
  get longest(): readonly T[] {
    let longest: readonly T[] = [];
    for (const own of this.#waiting.values()) if (own.length >= longest.length) longest = own;
    return longest;
  }

  /** Adds an entry of an owner. */
  add(owner: string, added: T): void {
    const own = this.#waiting.get(owner);
    if (own) own.splice(own.findLastIndex(({ age }) => age <= added.age) + 1, 0, added);
    else this.#waiting.set(owner, [added]);
    this.#size += 1;
  }

  /** Removes an entry of an owner, if it still waits. */
  remove(owner: string, entry: T): void {
    const own = this.#waiting.get(owner);
    const index = own?.indexOf(entry) ?? -1;
    if (!own || index < 0) return;
    own.splice(index, 1);
    if (own.length === 0) this.#waiting.delete(owner);
    this.#size -= 1;
  }

  /** Removes and returns the next entry; `undefined` when none waits. */
  take(): T | undefined {
    for (const [owner, own] of this.#waiting) {
      const next = own.shift();
      // A map keeps its order: the owner goes behind all others.
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      this.#size -= 1;
      return next;
    }
    return undefined;
  }
}
