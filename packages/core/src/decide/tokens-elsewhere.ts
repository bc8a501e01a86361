import type { Account } from '../accounts/account.ts';
import { decodeTokenAccount } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import type { Finding, FindingOf, TokensElsewhere } from '../findings/finding.ts';

/** A finding whose reason is that the sender's own token account holds nothing. */
export type EmptySenderFinding = FindingOf<'sender_token_account_not_found' | 'insufficient_token_balance'>;

/** Returns whether a finding says that the sender's associated token account is missing or empty. */
export function isEmptySender(finding: Finding): finding is EmptySenderFinding {
  if (finding.code === 'sender_token_account_not_found') return true;
  if (finding.code !== 'insufficient_token_balance') return false;
  return finding.context.limitedBy === 'balance' && finding.context.available === 0n;
}

/**
 * Returns the token account that holds most of what the sender has elsewhere, by what the accounts themselves say; `undefined`
 * where none that the sender can send from holds any.
 *
 * `accounts`: those that are said to be the sender's, by their addresses.
 */
export function findTokensElsewhere(
  { wallet, mint, tokenAccount }: EmptySenderFinding['context'],
  accounts: ReadonlyMap<Address, Account>,
): TokensElsewhere | undefined {
  let found: TokensElsewhere | undefined;
  for (const [address, account] of accounts) {
    const state = decodeTokenAccount(account, { mint, tokenProgram: account.owner, likelyOwner: wallet });
    if (address === tokenAccount || state?.owner !== wallet || state.isFrozen) continue;
    const { amount } = state;
    if (amount > (found?.amount ?? 0n)) found = { tokenAccount: address, amount };
  }
  return found;
}

/** Returns a finding that also names the tokens that the sender has elsewhere. */
export function withTokensElsewhere(finding: EmptySenderFinding, elsewhere: TokensElsewhere): Finding {
  return finding.code === 'sender_token_account_not_found'
    ? { ...finding, context: { ...finding.context, elsewhere } }
    : { ...finding, context: { ...finding.context, elsewhere } };
}
