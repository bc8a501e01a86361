import type { Finding } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import { wordFinding } from '../word-finding.ts';

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
