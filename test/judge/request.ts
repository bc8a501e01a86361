import type { TransferInputs } from '../../packages/core/src/request/parse-transfer-request.ts';
import { askedCreationOf, withheldOf } from './asked.ts';
import type { PriorityFeeWorld } from './options-world.ts';
import type { Situation } from './situation.ts';

/** A world's request. */
export function requestOf(
  situation: Situation,
  memo: string | undefined,
  priority: string | undefined,
): TransferInputs {
  const { world, sender, recipient, mint, feePayer, nonceAccount, references, payments } = situation;
  const { options } = world;
  const splits = payments.slice(0, -1).map((payment) => ({ to: payment.recipient, amount: `${payment.payee.amount}` }));
  return {
    ...(world.transfer?.layout && { layout: world.transfer.layout }),
    createTokenAccount: askedCreationOf(world),
    from: sender,
    to: recipient,
    mint: mint,
    ...amountTexts(situation),
    ...(world.senderWallet === 'vault' && { allowsOffCurveSender: true }),
    ...(splits.length > 0 && { splits }),
    ...(world.transfer?.wraps && { wrap: true }),
    ...(world.transfer?.unwraps && { unwrap: true }),
    ...(memo !== undefined && { memo }),
    ...(options.feePayer && { feePayer }),
    ...(priority !== undefined && { priorityFee: priority }),
    ...(nonceAccount !== undefined && { nonceAccount }),
    ...(options.transactionVersion !== undefined && { transactionVersion: options.transactionVersion }),
    ...(options.references && { references }),
    ...(options.allowOffCurveRecipient !== undefined && {
      allowsOffCurveRecipient: options.allowOffCurveRecipient,
    }),
    ...(options.checks && { checks: options.checks }),
  };
}

function amountTexts({
  world,
  decimals,
}: Situation): Pick<
  TransferInputs,
  'amount' | 'acceptsMax' | 'amountDecimal' | 'amountReceived' | 'amountReceivedDecimal'
> {
  const { amount, transfer } = world;
  const received = amount - withheldOf(world, amount);
  switch (transfer?.amountText ?? 'base_units') {
    case 'base_units':
      return { amount: `${amount}` };
    case 'padded_decimal':
      return { amountDecimal: decimalText(amount, decimals) };
    case 'shortest_decimal':
      return { amountDecimal: decimalText(amount, decimals).replace(/\.0+$|(?<=\..*)0+$/, '') };
    case 'too_many_digits':
      return { amountDecimal: `${decimalText(amount, decimals)}${decimals === 0 ? '.' : ''}0` };
    case 'too_large':
      return { amountDecimal: decimalText(2n ** 64n, decimals) };
    case 'max':
      return { amount: 'max', acceptsMax: true };
    case 'received':
      return { amountReceived: `${received}` };
    case 'received_decimal':
      return { amountReceivedDecimal: decimalText(received, decimals) };
  }
}

/** Writes base units as whole tokens, with as many digits after the point as the mint has decimals. */
export function decimalText(amount: bigint, decimals: number): string {
  const digits = `${amount}`.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}

/** The text of a world's priority fee. `price` is the one that it comes to. */
export function priorityFeeText(asked: PriorityFeeWorld | undefined, price: bigint | undefined): string | undefined {
  if (asked === undefined) return undefined;
  if (asked.kind === 'none') return 'none';
  if (asked.kind === 'level') return asked.level;
  return `${asked.kind === 'price' ? asked.price : (price ?? 0n)}`;
}
