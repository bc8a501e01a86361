import type { Clock } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import { changesShownAmounts } from '../accounts/ui-amount.ts';
import type { Warning } from '../findings/warning.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';

/** Returns what a payer should know of a mint. `clock`: of the facts that the plan was made from. */
export function warnOfMint(plan: TransferPlan, state: Mint, { epoch, unixSeconds }: Clock): readonly Warning[] {
  const { mint } = plan;
  const warnings: Warning[] = [...warnOfTransferFee(plan, state, epoch)];
  if (state.permanentDelegate) {
    warnings.push({ code: 'permanent_delegate', context: { mint, delegate: state.permanentDelegate } });
  }
  // A configuration that could not be decoded may show anything.
  if (!state.uiAmountConfig || changesShownAmounts(state.uiAmountConfig, unixSeconds)) {
    if (state.hasScaledUiAmount) warnings.push({ code: 'scaled_ui_amount', context: { mint } });
    if (state.isInterestBearing) warnings.push({ code: 'interest_bearing', context: { mint } });
  }
  if (state.unknownExtensions.length > 0) {
    warnings.push({ code: 'unknown_extension', context: { mint, extensionTypes: state.unknownExtensions } });
  }
  if (state.transferHookAuthority) {
    warnings.push({ code: 'mutable_transfer_hook', context: { mint, authority: state.transferHookAuthority } });
  }
  if (state.hasFreezeAuthority) warnings.push({ code: 'freeze_authority', context: { mint } });
  if (state.pauseAuthority) {
    warnings.push({ code: 'mint_can_be_paused', context: { mint, authority: state.pauseAuthority } });
  }
  if (state.hasCloseAuthority) warnings.push({ code: 'mint_can_be_closed', context: { mint } });
  return warnings;
}

function warnOfTransferFee(
  plan: TransferPlan,
  { transferFeeConfig: config, transferFeeAuthority: authority }: Mint,
  epoch: bigint,
): readonly Warning[] {
  if (!config) return [];
  const { mint, decimals } = plan;
  const payments = [...plan.splits, plan];
  const amount = payments.reduce((sum, payment) => sum + payment.amount, 0n);
  const transferFee = payments.reduce((sum, payment) => sum + payment.transferFee, 0n);
  const warnings: Warning[] = [];
  if (transferFee > 0n) {
    const context = { mint, transferFee, receivedAmount: amount - transferFee, decimals };
    warnings.push({ code: 'transfer_fee', context });
  }
  const { epoch: start } = config.newer;
  if (epoch < start) {
    const scheduled = payments.reduce((sum, payment) => sum + calculateTransferFee(config, payment.amount, start), 0n);
    const context = { mint, epoch: start, transferFee: scheduled, decimals };
    if (scheduled !== transferFee) warnings.push({ code: 'scheduled_transfer_fee', context });
  }
  if (authority) warnings.push({ code: 'mutable_transfer_fee', context: { mint, authority } });
  return warnings;
}
