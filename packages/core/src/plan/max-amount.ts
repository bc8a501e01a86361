import type { Mint, TokenAccount } from '../accounts/token-state.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/**
 * Returns the base units of a token that are left for the recipient once the sponsor and the splits are paid; 1 where there are none,
 * which is then found to be too much.
 *
 * `state`: of the sender's token account.
 */
export function maxTokens(
  { from, mint, splits, sponsorFee }: TransferRequest,
  { permanentDelegate }: Mint,
  state: TokenAccount | undefined,
): bigint {
  const fee = sponsorFee?.mint === mint ? (sponsorFee.amounts[0] ?? 0n) : 0n;
  const before = [fee, ...splits.map(({ amount }) => amount)];
  const spent = before.reduce((sum, amount) => sum + amount, 0n);
  let available = state?.amount ?? 0n;
  const delegated = state?.delegate?.address === from ? state.delegate.amount : undefined;
  if (delegated !== undefined && delegated < available && permanentDelegate !== from) {
    // An owner that is its own delegate sends as the owner once the delegated amount is spent.
    if (state?.owner !== from || !isSpentBy(before, delegated)) available = delegated;
  }
  return available > spent ? available - spent : 1n;
}

function isSpentBy(amounts: readonly bigint[], delegated: bigint): boolean {
  let left = delegated;
  return amounts.some((amount) => {
    left -= amount;
    return amount > 0n && left === 0n;
  });
}
