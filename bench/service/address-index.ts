import { recordLayout as layout, recordLength, textLength } from './transfer-record.ts';

/** What an address of the pool is. */
export type AddressKind = 'senderText' | 'recipientText' | 'mintText' | 'senderTokenText' | 'recipientTokenText';

const kinds: readonly AddressKind[] = [
  'senderText',
  'recipientText',
  'mintText',
  'senderTokenText',
  'recipientTokenText',
];

/** Where an address stands in the pool. */
export interface FoundAddress {
  record: number;
  kind: AddressKind;
}

/**
 * Finds addresses of the pool by their text, straight in the bytes of a request.
 *
 * An open-addressing table over the pool itself: millions of addresses without one object, so that the upstream costs
 * next to nothing beside what is measured.
 */
export class AddressIndex {
  readonly #pool: Buffer;
  readonly #slots: Int32Array;

  constructor(pool: Buffer) {
    this.#pool = pool;
    const records = pool.length / recordLength;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(records * kinds.length * 2)));
    for (let record = 0; record < records; record++) {
      for (const [kind, name] of kinds.entries()) this.#insert(record, kind, record * recordLength + layout[name]);
    }
  }

  /** Finds the address whose text stands in `bytes` from `start` to `end`. */
  find(bytes: Buffer, start: number, end: number): FoundAddress | undefined {
    for (let slot = this.#slotOf(bytes, start); ; slot = this.#next(slot)) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) return undefined;
      const record = Math.floor((entry - 1) / kinds.length);
      const kind = kinds[(entry - 1) % kinds.length] ?? 'mintText';
      if (this.#isAt(record * recordLength + layout[kind], bytes, start, end)) return { record, kind };
    }
  }

  // A mint that many records share is entered once.
  #insert(record: number, kind: number, at: number): void {
    let slot = this.#slotOf(this.#pool, at);
    for (; this.#slots[slot] !== 0; slot = this.#next(slot)) {
      const isShared = kinds[kind] === 'mintText' && this.find(this.#pool, at, at + textLength) !== undefined;
      if (isShared) return;
    }
    this.#slots[slot] = 1 + record * kinds.length + kind;
  }

  // Addresses are random: any twelve of their characters spread well.
  #slotOf(bytes: Buffer, start: number): number {
    let hash = 0;
    for (let index = start + 20; index < start + 32; index++) hash = Math.imul(hash, 59) + (bytes[index] ?? 0);
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #isAt(at: number, bytes: Buffer, start: number, end: number): boolean {
    const length = end - start;
    for (let index = 0; index < length; index++) {
      if (this.#pool[at + index] !== bytes[start + index]) return false;
    }
    return length === textLength || this.#pool[at + length] === 0;
  }
}
