import type { TransferRequestTexts } from '../../src/core/parse-transfer-request.ts';
import type { PriorityFeeWorld } from './options-world.ts';
import type { Situation } from './situation.ts';
import type { World } from './world.ts';

/** The body of a world's request. */
export function requestOf(
  situation: Situation,
  memo: string | undefined,
  priority: string | undefined,
): TransferRequestTexts {
  const { world, sender, recipient, mint, feePayer, nonceAccount, references } = situation;
  const { options } = world;
  return {
    from_address: sender,
    to_address: recipient,
    token_mint_address: mint,
    amount: `${world.amount}`,
    ...(memo !== undefined && { [memoFieldOf(world)]: memo }),
    ...(options.feePayer && { fee_payer: feePayer }),
    ...(priority !== undefined && { priority_fee: priority }),
    ...(nonceAccount !== undefined && { nonce_account: nonceAccount }),
    ...(options.transactionVersion !== undefined && { transaction_version: options.transactionVersion }),
    ...(options.references && { references }),
    ...(options.allowOffCurveRecipient !== undefined && {
      allow_off_curve_recipient: options.allowOffCurveRecipient,
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

function memoFieldOf({ operation, options }: World): 'memo' | 'yid' {
  if (operation === 'create_transfer') return options.memoField ?? 'memo';
  return operation === 'memo_transfer' ? 'memo' : 'yid';
}
