import type { Address } from '../addresses/address.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/**
 * Says whether a payment creates the token account that it pays.
 *
 * `exists`: whether there is one.
 * `before`: the payments that the transaction makes before it, since only the first to a recipient creates the account.
 */
export function createsTokenAccount(
  { createTokenAccount }: Pick<TransferRequest, 'createTokenAccount'>,
  recipient: Address,
  exists: boolean,
  before: readonly { recipient: Address }[],
): boolean {
  if (createTokenAccount === 'never' || (createTokenAccount === 'if_missing' && exists)) return false;
  for (const payment of before) if (payment.recipient === recipient) return false;
  return true;
}
