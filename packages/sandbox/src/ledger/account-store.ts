import type { Address, EncodedAccount } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { AccountVersions } from './account-versions.ts';
import { readAccount } from './virtual-machine.ts';

/** The owners of programs and their code. */
const programOwners: ReadonlySet<string> = new Set([
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
]);

/** The machine's accounts, now and at the slots that are not final yet. */
export class AccountStore {
  readonly #machine: LiteSVM;
  readonly #versions = new AccountVersions();
  /** Programs and their code as last read: hundreds of kilobytes, which every transaction loads and hardly any changes. */
  readonly #programs = new Map<Address, EncodedAccount>();

  constructor(machine: LiteSVM) {
    this.#machine = machine;
  }

  /** Returns an account as it was at the end of a slot, as it is without one; undefined where there was none. */
  get(address: Address, slot?: bigint): EncodedAccount | undefined {
    const version = slot === undefined ? undefined : this.#versions.at(address, slot);
    return version === undefined ? this.#read(address) : version.account;
  }

  /** Writes an account, as if it had always been so. */
  set(account: EncodedAccount): void {
    this.#versions.forget(account.address);
    this.#programs.delete(account.address);
    this.#machine.setAccount(account);
  }

  /** Writes an account as part of the transaction that is being run. */
  change(account: EncodedAccount): void {
    this.#machine.setAccount(account);
  }

  /** Remembers what an account holds before a transaction of this slot changes it. */
  remember(address: Address, slot: bigint, account: EncodedAccount | undefined): void {
    this.#versions.remember(address, slot, account);
    this.#programs.delete(address);
  }

  /** Forgets what only slots before the final one would ask for. */
  forgetBefore(finalSlot: bigint): void {
    this.#versions.forgetBefore(finalSlot);
  }

  /** Returns every account that a program owned at the end of a slot, that it owns without one. */
  ownedBy(program: Address, slot?: bigint): EncodedAccount[] {
    const current = this.#machine.getProgramAccounts(program).filter(({ lamports }) => lamports > 0n);
    if (slot === undefined) return current;
    const changed = this.#versions.changedSince(slot);
    const then = [...changed.values()].filter((account) => account?.programAddress === program);
    return [
      ...current.filter(({ address }) => !changed.has(address)),
      ...then.filter((account) => account !== undefined),
    ];
  }

  #read(address: Address): EncodedAccount | undefined {
    const known = this.#programs.get(address);
    if (known !== undefined) return known;
    const account = readAccount(this.#machine, address);
    if (account !== undefined && programOwners.has(account.programAddress)) this.#programs.set(address, account);
    return account;
  }
}
