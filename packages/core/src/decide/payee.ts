import type { Address } from '../addresses/address.ts';
import type { RecipientField } from '../findings/finding.ts';
import type { Memo } from '../request/memo.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/** Somebody whom a transfer pays, and where its request names them. */
export interface Payee {
  to: Address;
  /** Base units. */
  amount: bigint;
  field: RecipientField;
  memo: Memo | undefined;
  references: readonly Address[];
}

/** Everyone whom a transfer pays, in the order in which their findings are reported: the recipient, then the splits. */
export function payeesOf(
  { to, memo, references, splits }: TransferRequest,
  amount: bigint,
): readonly [Payee, ...Payee[]] {
  const recipient: Payee = { to, amount, field: 'to', memo, references };
  if (splits.length === 0) return [recipient];
  const others = splits.map((split, index): Payee => {
    const { to: other, amount: part, memo: ofSplit, references: found = noReferences } = split;
    return { to: other, amount: part, field: { split: index, part: 'to' }, memo: ofSplit, references: found };
  });
  return [recipient, ...others];
}

/** The base units of each payment, in the order in which the transaction makes them: the recipient's is the last. */
export function amountsInOrder([recipient, ...splits]: readonly [Payee, ...Payee[]]): readonly bigint[] {
  return [...splits.map(({ amount }) => amount), recipient.amount];
}

const noReferences: readonly Address[] = [];
