import { formatAmount, shownAmount, type UiScale } from 'splwright-core';
import type { Static } from 'typebox';
import type { tokenAmount } from './schemas/summary-parts.ts';

/** Writes an amount of a mint: its base units, in tokens, and what wallets show where that is another number. */
export function tokenAmountJson(
  amount: bigint,
  { decimals, uiScale }: { decimals: number; uiScale: UiScale | undefined },
): Static<typeof tokenAmount> {
  return {
    base_units: amount.toString(),
    decimal: formatAmount(amount, decimals),
    ...(uiScale && { ui_amount: formatAmount(shownAmount(amount, decimals, uiScale), decimals) }),
  };
}
