import type { Mint } from '../accounts/token-state.ts';
import type { Warning } from '../findings/warning.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';

/** What a payer should know of a mint, in a fixed order. */
export function warnOfMint(plan: TransferPlan, state: Mint): readonly Warning[] {
  const { mint, decimals } = plan;
  const transferFee = plan.splits.reduce((sum, split) => sum + split.transferFee, plan.transferFee);
  const warnings: Warning[] = [];
  if (state.transferFeeConfig) warnings.push({ code: 'transfer_fee', context: { mint, transferFee, decimals } });
  if (state.permanentDelegate) {
    warnings.push({ code: 'permanent_delegate', context: { mint, delegate: state.permanentDelegate } });
  }
  if (state.hasCloseAuthority) warnings.push({ code: 'mint_can_be_closed', context: { mint } });
  if (state.isInterestBearing) warnings.push({ code: 'interest_bearing', context: { mint } });
  if (state.hasScaledUiAmount) warnings.push({ code: 'scaled_ui_amount', context: { mint } });
  if (state.transferHookAuthority) {
    warnings.push({ code: 'mutable_transfer_hook', context: { mint, authority: state.transferHookAuthority } });
  }
  if (state.hasFreezeAuthority) warnings.push({ code: 'freeze_authority', context: { mint } });
  if (state.unknownExtensions.length > 0) {
    warnings.push({ code: 'unknown_extension', context: { mint, extensionTypes: state.unknownExtensions } });
  }
  return warnings;
}
