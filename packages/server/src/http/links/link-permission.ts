import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import type { NewPaymentLink } from '../../links/make-link.ts';
import { KeyFindings } from '../transfers/key-permission.ts';

/** Throws an `AppError` of status 403 for a key that may not use payment links. */
export function assertKeyAllowsLinks(restrictions: KeyRestrictions): void {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('payment_link');
  findings.throwIfAny();
}

/** What a key can be limited to, of a link. Amounts are base units. */
type LimitedLink = Pick<NewPaymentLink, 'mint' | 'recipient' | 'minAmount' | 'maxAmount' | 'isSingleUse'>;

/**
 * Throws an `AppError` of status 403 for a link that a key may not make, with a finding for each reason.
 *
 * Anyone may pay a link, so a key that is limited to senders makes none. What its payers choose counts as the most that they may.
 */
export function assertKeyAllowsLink(restrictions: KeyRestrictions, link: LimitedLink): void {
  findFaults(restrictions, link).throwIfAny();
}

/** Whether a key may make a link. */
export function keyAllowsLink(restrictions: KeyRestrictions, link: LimitedLink): boolean {
  return findFaults(restrictions, link).areNone;
}

function findFaults(restrictions: KeyRestrictions, link: LimitedLink): KeyFindings {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('payment_link');
  findings.checkMint(link.mint);
  if (restrictions.fromAddresses)
    findings.refuse('', 'make payment links, which anyone may pay: it is limited to senders');
  findings.checkRecipient(link.recipient, '/to_address');
  const limit = restrictions.amounts?.get(link.mint);
  const pointer = link.minAmount === link.maxAmount ? '/amount' : '/amount_max';
  if (limit?.perTransfer != null && link.maxAmount > limit.perTransfer) {
    findings.refuseAmount(pointer, link.maxAmount, limit.perTransfer, 'in one transfer');
  }
  if (limit?.perDay != null) {
    if (link.maxAmount > limit.perDay) findings.refuseAmount(pointer, link.maxAmount, limit.perDay, 'in a day');
    if (!link.isSingleUse) {
      findings.refuse('/single_use', 'make links for any number of payments: it has a daily limit for this mint');
    }
  }
  return findings;
}
