import type { Finding } from 'splwright-core';
import { isTransferRefused } from '../../build/transfer-refused.ts';
import { type AppError, isAppError, type WordedFinding } from '../../errors.ts';
import { LinkClosed } from '../../links/link-problems.ts';
import type { PaymentLink } from '../../store/links/payment-link-store.ts';
import { refusalOf, wordFinding } from '../../wire/refusal.ts';
import { boundsMessage, closedMessages, payerMessageOfFinding } from '../../wire/words/payer-words.ts';

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

/** Words a reason why a link cannot be paid. A memo that the recipient demands is the link's own: payers send none. */
export function wordLinkFinding(finding: Finding): WordedFinding {
  const worded = wordFinding(finding, 'memo');
  if (finding.code !== 'recipient_requires_memo') return worded;
  const { wallet, tokenAccount } = finding.context;
  const detail =
    `The token account ${tokenAccount} of ${wallet} demands a memo directly before each transfer, and the link has none. ` +
    'Set memo on the link.';
  return { ...worded, pointer: '/memo', detail };
}
