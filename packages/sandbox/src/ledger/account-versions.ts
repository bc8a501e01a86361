import type { Address, EncodedAccount } from '@solana/kit';

/** What an account held before a slot changed it; no account where there was none. */
interface Version {
  slot: bigint;
  account: EncodedAccount | undefined;
}

/** What accounts held before the changes that are not final yet. */
export class AccountVersions {
  /** By address, the oldest version first, at most one of each slot. */
  readonly #versions = new Map<Address, Version[]>();

  /** Remembers what an account held before a slot changed it; only the first change of a slot counts. */
  remember(address: Address, slot: bigint, account: EncodedAccount | undefined): void {
    const versions = this.#versions.get(address);
    if (versions === undefined) this.#versions.set(address, [{ slot, account }]);
    else if (versions.at(-1)?.slot !== slot) versions.push({ slot, account });
  }

  /** Returns the version of an account at the end of a slot; undefined when nothing has changed it since. */
  at(address: Address, slot: bigint): Version | undefined {
    return this.#versions.get(address)?.find((version) => version.slot > slot);
  }

  /** Returns the accounts that have changed since a slot, as they were at its end. */
  changedSince(slot: bigint): Map<Address, EncodedAccount | undefined> {
    const changed = new Map<Address, EncodedAccount | undefined>();
    for (const address of this.#versions.keys()) {
      const version = this.at(address, slot);
      if (version !== undefined) changed.set(address, version.account);
    }
    return changed;
  }

  /** Forgets the versions of an account. */
  forget(address: Address): void {
    this.#versions.delete(address);
  }

  /** Forgets the versions that no commitment needs once this slot is final. */
  forgetBefore(finalSlot: bigint): void {
    for (const [address, versions] of this.#versions) {
      const kept = versions.filter(({ slot }) => slot > finalSlot);
      if (kept.length === 0) this.#versions.delete(address);
      else if (kept.length < versions.length) this.#versions.set(address, kept);
    }
  }
}
