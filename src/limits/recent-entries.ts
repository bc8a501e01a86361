/**
 * Keeps something for each key in use, and forgets what is no longer needed, without a timer and without a pause.
 *
 * Each key that is added has two others looked at, the longest not looked at first: memory follows the keys in use.
 */
export class RecentEntries<Entry> {
  readonly #isIdle: (entry: Entry, now: number) => boolean;
  readonly #entries = new Map<string, Entry>();

  /** `isIdle` says what may be forgotten. */
  constructor(isIdle: (entry: Entry, now: number) => boolean) {
    this.#isIdle = isIdle;
  }

  /** How many are held in memory. */
  get size(): number {
    return this.#entries.size;
  }

  /** What is kept for a key; `undefined` when there is nothing, or it was forgotten. */
  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Keeps something for a key that has nothing yet. */
  add(id: string, entry: Entry, now: number): void {
    this.#forgetTwo(now);
    this.#entries.set(id, entry);
  }

  #forgetTwo(now: number): void {
    let seen = 0;
    for (const [id, entry] of this.#entries) {
      if (seen === 2) return;
      seen += 1;
      this.#entries.delete(id);
      // Still in use: it goes to the end of the line.
      if (!this.#isIdle(entry, now)) this.#entries.set(id, entry);
    }
  }
}
