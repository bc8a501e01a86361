import { leastReceived, shownAmount, type TransferFeeTerms, type UiScale } from 'splwright-core';
import { sayPercent } from './amount-words.ts';

/** The amounts of a payment: from the least to the most where the payer chooses. Base units. */
export interface NotedAmounts {
  minAmount: bigint;
  maxAmount: bigint;
  decimals: number;
}

/** Writes an amount of the token with its name. */
type SayAmount = (amount: bigint) => string;

/** Says what wallets show for a payment, in a sentence; `undefined` where they show its amount as it is. */
export function walletNote(
  { minAmount, maxAmount, decimals }: NotedAmounts,
  uiScale: UiScale | undefined,
  say: SayAmount,
): string | undefined {
  if (uiScale === undefined) return undefined;
  const shown = rangeOf(minAmount, maxAmount, (amount) => say(shownAmount(amount, decimals, uiScale)));
  const why = uiScale.growsWithTime ? 'adds interest to' : 'multiplies';
  const note = `Your wallet shows ${uiScale.growsWithTime ? 'about ' : ''}${shown} for the same payment: it ${why} amounts of this token.`;
  return minAmount === maxAmount ? note : `${note} Enter the amount as it is written here.`;
}

/** Says what the seller receives of a payment, in a sentence; `undefined` where the mint withholds nothing. */
export function feeNote(
  { minAmount, maxAmount }: NotedAmounts,
  fees: readonly TransferFeeTerms[],
  say: SayAmount,
): string | undefined {
  if (fees.length === 0) return undefined;
  const share = sayPercent(Math.max(...fees.map(({ basisPoints }) => basisPoints)));
  const received = rangeOf(minAmount, maxAmount, (amount) => say(leastReceived(amount, fees)));
  if (fees.length > 1) return receivedNote(`up to ${share}`, `at least ${received}`);
  const isCapped = fees.some((fee) => fee.maximumFee * 10_000n < maxAmount * BigInt(fee.basisPoints));
  return receivedNote(isCapped ? `up to ${share}` : share, received);
}

/** Says that a recipient is new to the chain, as a mistyped address is. */
export const neverUsedNote =
  'The address that is paid had never been used when this link was made. Ask the seller whether it is right before you pay.';

/** Says what the token withholds and what the seller receives of a payment. */
export function receivedNote(withheld: string, received: string): string {
  return `The token withholds ${withheld}: the seller receives ${received}.`;
}

function rangeOf(min: bigint, max: bigint, say: SayAmount): string {
  return min === max ? say(min) : `${say(min)} to ${say(max)}`;
}
