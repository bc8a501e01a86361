import type { Address } from 'splwright-core';
import type { LandedTransaction } from '../chain/chain-history.ts';

/** A token account whose credits are of interest. */
export interface CreditedAccount {
  tokenAccount: Address;
  mint: Address;
  /** Who owns it: what arrives while somebody else does is not theirs. */
  wallet: Address;
}

/** What a transaction brought to a token account. */
export interface SeenCredit {
  /** Base units by which the account holds more. */
  amount: bigint;
  /** The owner of the one token account that it came from; `null` when several could be it, or none. */
  payer: Address | null;
  /** The first memo of the transaction. */
  memo: string | null;
  /** The addresses that transfers to the account carry, in their order. */
  references: readonly Address[];
}

/** Returns what a landed, successful transaction brought to a token account, in whatever form; `not_shown` when its node does not say. */
export function creditIn(
  { tokenAccount, mint, wallet }: CreditedAccount,
  { content, balances }: LandedTransaction,
): SeenCredit | 'none' | 'not_shown' {
  if (!content || !balances) return 'not_shown';
  const balance = balances.get(tokenAccount);
  if (!balance || balance.mint !== mint || (balance.owner ?? wallet) !== wallet) return 'none';
  const amount = balance.after - balance.before;
  if (amount <= 0n) return 'none';
  const givers = [...balances.values()].filter((each) => each.mint === mint && each.after < each.before);
  const carried = content.transfers
    .filter(({ destination }) => destination === tokenAccount)
    .flatMap(({ references, handed }) => [...references, ...handed]);
  return {
    amount,
    payer: (givers.length === 1 ? givers[0]?.owner : undefined) ?? null,
    memo: content.memos[0] ?? null,
    references: [...new Set(carried)],
  };
}
