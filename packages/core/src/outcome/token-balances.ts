import type { Address } from '../addresses/address.ts';

/** What a token account held before a transaction and after it, in base units; zero where it was not there. */
export interface BalanceChange {
  mint: Address;
  before: bigint;
  after: bigint;
  /** Its owner after the transaction, or before it where the account is gone; `undefined` where the node names none. */
  owner: Address | undefined;
}

/** The token accounts of a landed transaction, by their addresses. */
export type TokenBalances = ReadonlyMap<Address, BalanceChange>;

/** Returns how much more a token account holds than before; zero for one that the transaction does not name. */
export function changeOf(balances: TokenBalances, account: Address): bigint {
  const balance = balances.get(account);
  return balance ? balance.after - balance.before : 0n;
}
