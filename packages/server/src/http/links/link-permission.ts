import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import type { NewPaymentLink } from '../../payments/make-link.ts';
import { KeyFindings } from '../transfer-requests/key-permission.ts';

/** Throws an `AppError` of status 403 for a key that may not use payment links. */
export function assertKeyAllowsLinks(restrictions: KeyRestrictions): void {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('payment_link');
  findings.throwIfAny();
}

/**
 * Throws an `AppError` of status 403 for a link that a key may not make, with a finding for each reason.
 *
 * Anyone may pay a link, so a key that is limited to senders makes none. What its payers choose counts as the most that they may.
 */
export function assertKeyAllowsLink(restrictions: KeyRestrictions, asked: NewPaymentLink): void {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('payment_link');
  findings.checkMint(asked.mint);
  if (restrictions.fromAddresses)
    findings.refuse('', 'make payment links, which anyone may pay: it is limited to senders');
  findings.checkRecipient(asked.recipient, '/to_address');
  const limit = restrictions.amounts?.get(asked.mint);
  const pointer = asked.minAmount === asked.maxAmount ? '/amount' : '/amount_max';
  if (limit?.perTransfer != null && asked.maxAmount > limit.perTransfer) {
    findings.refuseAmount(pointer, asked.maxAmount, limit.perTransfer, 'in one transfer');
  }
  if (limit?.perDay != null) {
    if (asked.maxAmount > limit.perDay) findings.refuseAmount(pointer, asked.maxAmount, limit.perDay, 'in a day');
    if (!asked.isSingleUse) {
      findings.refuse('/single_use', 'make links for any number of payments: it has a daily limit for this mint');
    }
  }
  findings.throwIfAny();
}
