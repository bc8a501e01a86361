import type { Address } from '../addresses/address.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from '../addresses/programs.ts';
import type { Parcel } from './parcel.ts';

const noNeed = -1;

/**
 * What the transactions of a batch need for its transfers and may have already: accounts, and that a token account is created.
 *
 * Each need is a number, because texts would be hashed and compared again for each transfer that has it.
 */
export class Needs {
  readonly #numbers = new Map<Address, number>();
  // By number. The creation of a token account has the number that its wallet remembers.
  readonly #useCounts: number[] = [];
  readonly #lastUsers: number[] = [];
  readonly #creations: number[] = [];
  readonly #isCreate: boolean[] = [];
  // The needs of all parcels, one after another, and where those of each end.
  readonly #needs: number[] = [];
  readonly #ends: number[] = [];
  readonly #frameCount: number;
  readonly #limitProgram: number;

  /** `frameAccounts`: what every transaction has, which is no need of a transfer. */
  constructor(frameAccounts: readonly Address[]) {
    for (const address of frameAccounts) this.#numberOf(address);
    this.#frameCount = this.#numbers.size;
    this.#limitProgram = this.#numberOf(computeBudgetProgram);
  }

  /** How many different needs there are, those included that every transaction has. */
  get count(): number {
    return this.#useCounts.length;
  }

  /** Adds what the next parcel needs, each once, and returns how much that is. */
  addParcel(parcel: Parcel): number {
    const parcelIndex = this.#ends.length;
    const start = this.#needs.length;
    this.#add(this.#numberOf(parcel.recipientTokenAccount), parcelIndex);
    for (const address of parcel.furtherAccounts) this.#add(this.#numberOf(address), parcelIndex);
    if (parcel.memoByteLength !== undefined) this.#add(this.#numberOf(memoProgram), parcelIndex);
    if (parcel.createsTokenAccount) {
      const wallet = this.#numberOf(parcel.recipient);
      this.#add(wallet, parcelIndex);
      this.#add(this.#numberOf(associatedTokenProgram), parcelIndex);
      this.#add(this.#numberOf(systemProgram), parcelIndex);
      this.#add(this.#creationFor(wallet), parcelIndex);
    }
    this.#ends.push(this.#needs.length);
    return this.#needs.length - start;
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
    return this.#isCreate[need] ?? false;
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
    this.#lastUsers.push(noNeed);
    this.#creations.push(noNeed);
    this.#isCreate.push(isCreate);
    return this.#useCounts.push(0) - 1;
  }

  #add(need: number, parcelIndex: number): void {
    if (need < this.#frameCount || this.#lastUsers[need] === parcelIndex) return;
    this.#lastUsers[need] = parcelIndex;
    this.#useCounts[need] = (this.#useCounts[need] ?? 0) + 1;
    this.#needs.push(need);
  }
}
