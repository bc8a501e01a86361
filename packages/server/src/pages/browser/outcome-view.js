import { sol } from './amounts.js';
import { copyable } from './copy-button.js';
import { make, makeTerms } from './make.js';
import { fullName } from './names.js';
import { asJson, showReply } from './reply-view.js';

/** @import { TransferOutcome } from 'splwright-client' */
/** @import { KnownOutcome } from './recent.js' */

/** What became of a transaction, in a sentence. */
export const outcomeTitles = {
  landed: 'It landed.',
  failed: 'It failed: it is on chain and moved nothing.',
  pending: 'It can still land.',
  expired: 'It never landed and never can.',
  unknown: 'It is not known now.',
};

/**
 * Shows what became of a transaction.
 * @param {{ data: TransferOutcome }} body of the reply
 */
export function showOutcome(body) {
  const outcome = body.data;
  const title = make('p', { class: 'sentence' }, outcomeTitles[outcome.outcome]);
  showReply(() => [title, make('p', {}, outcome.reason), describeKnown(outcome), asJson(body)]);
}

/**
 * What is known of a transaction, as a table.
 * @param {TransferOutcome | KnownOutcome | null | undefined} known
 */
export function describeKnown(known) {
  if (!known) return make('p', { class: 'hint' }, 'Its outcome is not known in this browser.');
  /** @type {KnownOutcome & Partial<TransferOutcome>} */
  const outcome = known;
  const { signature, slot, commitment, payments = [], similar, ambiguous, nonce_used_by: usedBy } = outcome;
  const signatures = (/** @type {readonly string[]} */ list) => make('span', { class: 'address' }, list.join(' '));
  return makeTerms([
    ['Final', outcome.is_final ? 'yes' : 'no'],
    signature ? ['Signature', copyable('the signature', signature)] : undefined,
    slot ? ['Slot', `${slot}, ${commitment}`] : undefined,
    outcome.block_time ? ['Time', new Date(outcome.block_time * 1_000).toLocaleString()] : undefined,
    outcome.network_fee ? ['Fee', sol(outcome.network_fee)] : undefined,
    ...payments.map(paymentRow),
    outcome.block_height ? ['Finalized height', outcome.block_height] : undefined,
    outcome.last_valid_block_height ? ['Last height', outcome.last_valid_block_height] : undefined,
    usedBy ? ['Nonce used by', signatures([usedBy])] : undefined,
    similar ? ['Similar', signatures(similar)] : undefined,
    ambiguous ? ['One of', signatures(ambiguous)] : undefined,
  ]);
}

/**
 * @param {NonNullable<TransferOutcome['payments']>[number]} payment
 * @returns {[string, Node]}
 */
function paymentRow({ recipient, recipient_token_account: account, received_amount: received }) {
  return ['Paid', make('span', {}, `${received} base units to `, fullName(recipient ?? account))];
}
