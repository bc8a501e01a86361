import type { Address } from '../addresses/address.ts';
import type { RecipientField } from '../findings/finding.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/** Somebody whom a transfer pays, and where its request names them. */
export interface Payee {
  to: Address;
  /** Base units. */
  amount: bigint;
  field: RecipientField;
  /** Whether a memo stands directly before the payment, which is so for the last one alone. */
  hasMemo: boolean;
}

/** Everyone whom a transfer pays, in the order in which their findings are reported: the recipient, then the splits. */
export function payeesOf({ layout, to, memo, splits }: TransferRequest, amount: bigint): readonly [Payee, ...Payee[]] {
  const recipient: Payee = { to, amount, field: 'to', hasMemo: memo !== undefined && layout !== 'x402' };
  if (splits.length === 0) return [recipient];
  const others = splits.map((split, index): Payee => {
    return { ...split, field: { split: index, part: 'to' }, hasMemo: false };
  });
  return [recipient, ...others];
}

/** The base units of each payment, in the order in which the transaction makes them: the recipient's is the last. */
export function amountsInOrder([recipient, ...splits]: readonly [Payee, ...Payee[]]): readonly bigint[] {
  return [...splits.map(({ amount }) => amount), recipient.amount];
}
