import type { TransferInputs } from '../../packages/core/src/request/parse-transfer-request.ts';
import type { PriorityFeeWorld } from './options-world.ts';
import type { Situation } from './situation.ts';

/** A world's request. */
export function requestOf(
  situation: Situation,
  memo: string | undefined,
  priority: string | undefined,
): TransferInputs {
  const { world, sender, recipient, mint, feePayer, nonceAccount, references } = situation;
  const { options } = world;
  return {
    createTokenAccount: world.operation === 'create_transfer' ? 'always' : 'never',
    from: sender,
    to: recipient,
    mint: mint,
    amount: `${world.amount}`,
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

/** The text of a world's priority fee. `price` is the one that it comes to. */
export function priorityFeeText(asked: PriorityFeeWorld | undefined, price: bigint | undefined): string | undefined {
  if (asked === undefined) return undefined;
  if (asked.kind === 'none') return 'none';
  if (asked.kind === 'level') return asked.level;
  return `${asked.kind === 'price' ? asked.price : (price ?? 0n)}`;
}
