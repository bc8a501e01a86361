import type { Finding } from 'splwright-core';
import { isTransferRefused } from '../../build/transfer-refused.ts';
import { type AppError, isAppError, type WordedFinding } from '../../errors.ts';
import { LinkClosed } from '../../links/link-problems.ts';
import type { PaymentLink } from '../../links/records/payment-link-store.ts';
import { wordLinkFinding } from '../../wire/links/link-finding.ts';
import { boundsMessage, closedMessages, payerMessageOfFinding } from '../../wire/links/payer-message.ts';
import { refusalOf } from '../../wire/refusal.ts';

/** Gives a refusal of a payment the words for its payer; every other error is returned as it is. */
export function refusalOfPayment(error: unknown, link: PaymentLink): unknown {
  if (isTransferRefused(error)) {
    const [first, ...others] = error.findings;
    const refusal = refusalOf([wordForPayer(first), ...others.map(wordForPayer)]);
    return refusal.forPayer(payerMessageOfFinding(first, link));
  }
  if (error instanceof LinkClosed) return error.forPayer(closedMessages[error.state]);
  if (isAppError(error, 'amount_out_of_bounds')) return error.forPayer(boundsMessage(link));
  return error;
}

/** The refusal of what a wallet has sent. */
export function refusalOfFinding(finding: WordedFinding, message?: string): AppError {
  const refusal = refusalOf([finding]);
  return message === undefined ? refusal : refusal.forPayer(message);
}

// A payer has sent the account alone: the rest is the link's.
function wordForPayer(finding: Finding): WordedFinding {
  const isOfPayer = finding.field === 'from' || finding.field === 'feePayer';
  return { ...wordLinkFinding(finding), pointer: isOfPayer ? '/account' : '' };
}
