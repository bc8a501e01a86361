import type { Finding } from 'splwright-core';
import { refusalOf } from '../app/refusal.ts';
import { type AppError, type DescribedFinding, isAppError } from '../problems.ts';
import { isTransferRefused, SimulationFailed } from '../transfers/transfer-refused.ts';
import { refusalOfSimulation } from '../transfers/transfer-reply.ts';
import { describeFinding } from '../transfers/words/finding-words.ts';
import { LinkClosed } from './link-problems.ts';
import { closedMessages, describeBounds, describeFindingToPayer } from './payer-words.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** Gives a refusal of a payment the words for its payer; every other error is returned as it is. */
export function refusalOfPayment(error: unknown, link: PaymentLink): unknown {
  if (isTransferRefused(error)) {
    const [first, ...others] = error.findings;
    const refusal = refusalOf([describeToPayer(first), ...others.map(describeToPayer)]);
    return refusal.forPayer(describeFindingToPayer(first, link));
  }
  if (error instanceof SimulationFailed) return refusalOfSimulation(error);
  if (error instanceof LinkClosed) return error.forPayer(closedMessages[error.state]);
  if (isAppError(error, 'amount_out_of_bounds')) return error.forPayer(describeBounds(link));
  return error;
}

/** The refusal of what a wallet has sent. */
export function refusalOfFinding(finding: DescribedFinding, message?: string): AppError {
  const refusal = refusalOf([finding]);
  return message === undefined ? refusal : refusal.forPayer(message);
}

// A payer has sent the account alone: the rest is the link's.
function describeToPayer(finding: Finding): DescribedFinding {
  const isOfPayer = finding.field === 'from' || finding.field === 'feePayer';
  return { ...describeLinkFinding(finding), pointer: isOfPayer ? '/account' : '' };
}

/**
 * Describes a reason why a link cannot be paid.
 *
 * When the recipient demands a memo, the remedy is to set it on the link: payers send none.
 */
export function describeLinkFinding(finding: Finding, isOnSandbox = false): DescribedFinding {
  const described = describeFinding(finding, 'memo', isOnSandbox);
  if (finding.code !== 'recipient_requires_memo') return described;
  const { wallet, tokenAccount } = finding.context;
  const detail =
    `The token account ${tokenAccount} of ${wallet} demands a memo directly before each transfer, and the link has none. ` +
    'Set memo on the link.';
  return { ...described, pointer: '/memo', detail };
}
