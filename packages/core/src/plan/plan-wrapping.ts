import type { Address } from '../addresses/address.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import type { AssociatedAccount } from './transfer-facts.ts';

/** SOL of the sender that becomes tokens in its own token account before all payments, in lamports. */
export interface Wrap {
  /** What the payments take beyond what the token account has. */
  lamports: bigint;
  createsTokenAccount: boolean;
  /** What the sender pays for the token account; 0 when it exists. */
  rent: bigint;
}

/** The sender's token account closed after all payments: its lamports, which go back to the sender. */
export interface Unwrap {
  lamports: bigint;
}

/** What the chain says that wrapping depends on. */
export interface WrappingFacts {
  senderTokenAccount: Pick<AssociatedAccount, 'state' | 'lamports'>;
  tokenAccountRent: bigint;
}

/** Plans what is wrapped and unwrapped around payments of `sent` base units. Nothing is wrapped into the token account of another owner. */
export function planWrapping(
  request: { from: Address } & Pick<TransferRequest, 'wrap' | 'unwrap'>,
  { senderTokenAccount: { state, lamports }, tokenAccountRent }: WrappingFacts,
  sent: bigint,
): { wrap?: Wrap; unwrap?: Unwrap } {
  const missing = sent - (state?.amount ?? 0n);
  const isOwn = state === undefined || state.owner === request.from;
  const rent = state || lamports >= tokenAccountRent ? 0n : tokenAccountRent - lamports;
  const wrap = request.wrap && isOwn && missing > 0n && { lamports: missing, createsTokenAccount: !state, rent };
  const held = lamports + (wrap ? wrap.rent + wrap.lamports : 0n);
  return { ...(wrap && { wrap }), ...(request.unwrap && { unwrap: { lamports: held - sent } }) };
}
