import type { Mint } from '../accounts/token-state.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { formatAmount } from '../request/format-amount.ts';
import type { WarningCode } from './warning-codes.ts';

/** Something that the payer or the recipient should know, though the transfer lands. */
export interface TransferWarning {
  code: WarningCode;
  detail: string;
}

/** What a payer should know of a mint, in a fixed order. */
export function warnOfMint(plan: TransferPlan, mint: Mint): readonly TransferWarning[] {
  const warnings: TransferWarning[] = [];
  const warn = (code: TransferWarning['code'], detail: string): void => void warnings.push({ code, detail });
  if (mint.transferFeeConfig) {
    const fee = formatAmount(plan.transferFee, plan.decimals);
    warn(
      'transfer_fee',
      `The mint withholds ${fee} tokens of this transfer; its issuer can change the fee from a later epoch on.`,
    );
  }
  if (mint.permanentDelegate) {
    warn('permanent_delegate', `${mint.permanentDelegate} can move or burn tokens of this mint in any account.`);
  }
  if (mint.hasCloseAuthority) warn('mint_can_be_closed', 'The mint can be closed once nobody holds any of it.');
  if (mint.isInterestBearing) {
    warn(
      'interest_bearing',
      'Wallets may show an amount that grows with time; what moves is the amount of base units.',
    );
  }
  if (mint.hasScaledUiAmount) {
    warn('scaled_ui_amount', 'Wallets may show a multiplied amount; what moves is the amount of base units.');
  }
  if (mint.transferHookAuthority) {
    warn(
      'mutable_transfer_hook',
      `${mint.transferHookAuthority} can set another program to be called on each transfer.`,
    );
  }
  if (mint.hasFreezeAuthority) warn('freeze_authority', 'The issuer can freeze any account of this mint.');
  if (mint.unknownExtensions.length > 0) {
    const types = mint.unknownExtensions.join(', ');
    warn(
      'unknown_extension',
      `The mint has extensions newer than this service (type ${types}), which may change its rules.`,
    );
  }
  return warnings;
}
