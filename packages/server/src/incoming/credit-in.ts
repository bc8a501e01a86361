import { type Address, type BalanceChange, isWrappedSol, sol } from 'splwright-core';
import type { LandedTransaction } from '../chain/chain-history.ts';
import type { CreditRow } from '../store/schema/tables.ts';

/** A token account whose credits are of interest. */
export interface CreditedAccount {
  tokenAccount: Address;
  mint: Address;
  /** Who owns it: what arrives while somebody else does is not theirs. */
  wallet: Address;
}

/** The columns of a credit that its transaction shows. */
export type SeenCredit = Pick<CreditRow, 'amount' | 'payer' | 'memo' | 'reference_addresses'>;

/** Returns what a landed, successful transaction brought to a token account, in whatever form; `not_shown` when its node does not say. */
export function creditIn(
  { tokenAccount, mint, wallet }: CreditedAccount,
  { content, balances: ofTokens, lamportBalances }: LandedTransaction,
): SeenCredit | 'none' | 'not_shown' {
  const balances = mint === sol ? lamportBalances : ofTokens;
  if (!content) return 'not_shown';
  // Without a transfer of SOL there are none: nothing is credited that no transfer names.
  if (!balances)
    return mint === sol && content.hasCalls && content.lamportTransfers.length === 0 ? 'none' : 'not_shown';
  const balance = balances.get(tokenAccount);
  if (!balance || balance.mint !== mint || (balance.owner ?? wallet) !== wallet) return 'none';
  const amount = balance.after - balance.before;
  if (amount <= 0n) return 'none';
  const transfers = mint === sol ? [] : content.transfers;
  const lamportTransfers = mint === sol || isWrappedSol(mint) ? content.lamportTransfers : [];
  const carried = [...transfers, ...lamportTransfers]
    .filter(({ destination }) => destination === tokenAccount)
    .flatMap(({ references, handed }) => [...references, ...handed]);
  return {
    amount: amount.toString(),
    payer: payerAmong([...balances.values()].filter((each) => each.mint === mint)),
    // Without what a database of texts cannot hold.
    memo: content.memos[0]?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null,
    reference_addresses: JSON.stringify([...new Set(carried)]),
  };
}

/** The owner of the one account that gave at least what all others of its mint got. */
function payerAmong(balances: readonly BalanceChange[]): Address | null {
  const [giver, ...others] = balances.filter(({ before, after }) => after < before);
  const got = balances.reduce((sum, { before, after }) => (after > before ? sum + after - before : sum), 0n);
  return giver && others.length === 0 && got <= giver.before - giver.after ? (giver.owner ?? null) : null;
}
