import type { TransferOutcome } from 'splwright-client';
import { copyable, make, makeTerms, type Term } from './dom.ts';
import { counted, fullName, sol } from './names.ts';
import type { KnownOutcome } from './recent.ts';
import { timeText } from './records.ts';
import { asJson, askOrShowRefusal, showReply } from './reply-view.ts';

/** The fate of a transaction, in a sentence. */
export const outcomeTitles: Readonly<Record<TransferOutcome['outcome'], string>> = {
  landed: 'It landed.',
  failed: 'It failed: it is on chain, but moved nothing.',
  pending: 'It can still land.',
  expired: 'It never landed and never will.',
  unknown: 'The outcome is not known yet.',
};

/** Asks what became of a transaction, and shows it. */
export async function findOutcome(path: string, question: unknown): Promise<void> {
  const reply = await askOrShowRefusal<{ data: TransferOutcome }>('POST', path, question);
  if (!reply) return;
  const outcome = reply.body.data;
  const title = make('p', { class: 'sentence' }, outcomeTitles[outcome.outcome]);
  showReply(() => [title, make('p', {}, outcome.reason), describeKnown(outcome), asJson(reply.body)]);
}

/** An outcome as a table. */
export function describeKnown(known: KnownOutcome & Partial<TransferOutcome>): HTMLElement {
  const { signature, slot, commitment, payments = [], similar, ambiguous, nonce_used_by: usedBy } = known;
  const signatures = (list: readonly string[]) => make('span', { class: 'address' }, list.join(' '));
  return makeTerms([
    ['Final', known.is_final ? 'yes' : 'no'],
    signature ? ['Signature', copyable('the signature', signature)] : undefined,
    slot ? ['Slot', `${slot}, ${commitment}`] : undefined,
    known.block_time ? ['Time', timeText(known.block_time * 1_000)] : undefined,
    known.network_fee ? ['Fee', sol(known.network_fee)] : undefined,
    ...payments.map(paymentTerm),
    known.block_height ? ['Finalized height', known.block_height] : undefined,
    known.last_valid_block_height ? ['Last height', known.last_valid_block_height] : undefined,
    usedBy ? ['Nonce used by', signatures([usedBy])] : undefined,
    similar?.length ? ['Similar', signatures(similar)] : undefined,
    ambiguous?.length ? ['One of', signatures(ambiguous)] : undefined,
  ]);
}

function paymentTerm(payment: NonNullable<TransferOutcome['payments']>[number]): Term {
  const { recipient, recipient_token_account: account, received_amount: received } = payment;
  const arrived =
    account === null ? sol(received ?? payment.amount) : counted(received ?? payment.amount, 'base units');
  return ['Paid', make('span', {}, `${arrived} to `, fullName(recipient ?? account ?? ''))];
}
