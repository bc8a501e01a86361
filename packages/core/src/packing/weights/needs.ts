import type { Address } from '../../addresses/address.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from '../../addresses/programs.ts';
import type { Parcel } from './parcel.ts';

const noNeed = -1;
// Those that have numbers whether or not a transfer names them.
const programCount = 4;

/**
 * What the transactions of a batch need for its transfers and may have already: accounts, and that a token account is created.
 *
 * Each need is a number, because texts would be hashed and compared again for each transfer that has it.
 */
export class Needs {
  readonly #numbers = new Map<Address, number>();
  // By number, with room for as many as there can be. The creation of a token account has the number that its wallet remembers.
  readonly #useCounts: Uint32Array;
  readonly #lastUsers: Int32Array;
  readonly #creations: Int32Array;
  readonly #isCreate: Uint8Array;
  #count = 0;
  // The needs of all parcels, one after another, and where those of each end.
  readonly #needs: Uint32Array;
  readonly #ends: number[] = [];
  #end = 0;
  readonly #frameCount: number;
  // Looked up once, because most transfers name them.
  readonly #limitProgram: number;
  readonly #memoProgram: number;
  readonly #associatedTokenProgram: number;
  readonly #systemProgram: number;

  /** `frameAccounts`: what every transaction has, which is no need of a transfer. `parcels`: all that are going to be added. */
  constructor(frameAccounts: readonly Address[], parcels: readonly Parcel[]) {
    const maxNeeds = maxNeedsOf(parcels);
    const maxCount = frameAccounts.length + programCount + maxNeeds;
    this.#needs = new Uint32Array(maxNeeds);
    this.#useCounts = new Uint32Array(maxCount);
    this.#lastUsers = new Int32Array(maxCount).fill(noNeed);
    this.#creations = new Int32Array(maxCount).fill(noNeed);
    this.#isCreate = new Uint8Array(maxCount);
    for (const address of frameAccounts) this.#numberOf(address);
    this.#frameCount = this.#numbers.size;
    this.#limitProgram = this.#numberOf(computeBudgetProgram);
    this.#memoProgram = this.#numberOf(memoProgram);
    this.#associatedTokenProgram = this.#numberOf(associatedTokenProgram);
    this.#systemProgram = this.#numberOf(systemProgram);
  }

  /** How many different needs there are, those included that every transaction has. */
  get count(): number {
    return this.#count;
  }

  /** Adds what the next parcel needs, each once. */
  addParcel(parcel: Parcel): void {
    const parcelIndex = this.#ends.length;
    this.#add(this.#numberOf(parcel.recipientTokenAccount), parcelIndex);
    for (const address of parcel.furtherAccounts) this.#add(this.#numberOf(address), parcelIndex);
    if (parcel.memoByteLength !== undefined) this.#add(this.#memoProgram, parcelIndex);
    if (parcel.createsTokenAccount) {
      const wallet = this.#numberOf(parcel.recipient);
      this.#add(wallet, parcelIndex);
      this.#add(this.#associatedTokenProgram, parcelIndex);
      this.#add(this.#systemProgram, parcelIndex);
      this.#add(this.#creationFor(wallet), parcelIndex);
    }
    this.#ends.push(this.#end);
  }

  /** Where the needs of a parcel begin. */
  startOf(parcelIndex: number): number {
    return this.#ends[parcelIndex - 1] ?? 0;
  }

  /** Where the needs of a parcel end. */
  endOf(parcelIndex: number): number {
    return this.#ends[parcelIndex] ?? 0;
  }

  /** The need that stands there. */
  at(index: number): number {
    return this.#needs[index] ?? noNeed;
  }

  /** Whether several parcels have a need, or a compute limit may. */
  isShared(need: number): boolean {
    return (this.#useCounts[need] ?? 0) > 1 || need === this.#limitProgram;
  }

  /** Whether it is the creation of a token account, and no account. */
  isCreate(need: number): boolean {
    return this.#isCreate[need] === 1;
  }

  /** Whether it is the program of compute limits. */
  isLimitProgram(need: number): boolean {
    return need === this.#limitProgram;
  }

  #numberOf(address: Address): number {
    const known = this.#numbers.get(address);
    if (known !== undefined) return known;
    const number = this.#newNumber(false);
    this.#numbers.set(address, number);
    return number;
  }

  #creationFor(wallet: number): number {
    const known = this.#creations[wallet] ?? noNeed;
    if (known !== noNeed) return known;
    const number = this.#newNumber(true);
    this.#creations[wallet] = number;
    return number;
  }

  #newNumber(isCreate: boolean): number {
    if (isCreate) this.#isCreate[this.#count] = 1;
    return this.#count++;
  }

  #add(need: number, parcelIndex: number): void {
    if (need < this.#frameCount || this.#lastUsers[need] === parcelIndex) return;
    this.#lastUsers[need] = parcelIndex;
    this.#useCounts[need] = (this.#useCounts[need] ?? 0) + 1;
    this.#needs[this.#end++] = need;
  }
}

// The recipient's token account and wallet, two programs, the creation, and the program of memos, in addition to what is named.
const maxUnnamedNeeds = 6;

function maxNeedsOf(parcels: readonly Parcel[]): number {
  let max = parcels.length * maxUnnamedNeeds;
  for (const { furtherAccounts } of parcels) max += furtherAccounts.length;
  return max;
}
