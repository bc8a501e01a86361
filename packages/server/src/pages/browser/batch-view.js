import { tokens } from './amounts.js';
import { balanceTable } from './balance-table.js';
import { isUnderWay, recallBatch, rememberBatch, runBatch } from './batch-run.js';
import { copyable } from './copy-button.js';
import { make, makeButton, makeTerms } from './make.js';
import { counted, fullName, shortName, unitOf } from './names.js';
import { summarizePayments } from './payments-table.js';
import { trackSending } from './recent.js';
import { clearRefusal, showFaults, showRefusal } from './refusals.js';
import { asJson, clearReply, describeVerified, showDifference, showReply } from './reply-view.js';
import { ask } from './service.js';
import { amountOf, costRows, warningsAround } from './transfer-view.js';

/** @import { BatchData, BatchTransfer } from 'splwright-client' */
/** @import { VerifiedBatch } from 'splwright-client/verify' */
/** @import { BatchOptions, StoredBatch } from './batch-run.js' */
/** @typedef {NonNullable<BatchData['landed']>[number]} LandedBatchTransaction */

const path = '/v1/transfers/batch';

/**
 * Builds a batch. One that is under way is asked for again under its own key, whatever became of the page in between.
 * @param {Record<string, unknown>} body
 */
export async function submitBatch(body) {
  const known = recallBatch();
  const isSame = known && JSON.stringify(known.body) === JSON.stringify(body);
  if (known && isUnderWay(known) && !isSame) {
    const detail = 'Another batch is under way in this browser. Resume or discard it before you build another one.';
    clearReply();
    showFaults('A batch is under way', [{ pointer: '', detail }]);
    return offerResume();
  }
  const batch = known && isSame ? known : { key: newKey(), body, sent: [], isReproducible: true };
  rememberBatch(batch);
  await build(batch);
}

// `randomUUID` is there on localhost and over https alone.
function newKey() {
  return `console-${Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join('-')}`;
}

/** @param {StoredBatch} batch */
async function build(batch) {
  clearRefusal();
  const reply = await ask('POST', path, batch.body, { 'idempotency-key': batch.key });
  if (reply.ok) {
    const { verifyBatchReply } = await import('./verification.js');
    const { verified, difference } = await verifyBatchReply(batch.body, reply);
    if (verified) return show(batch, reply.body.data, verified);
    // Asked for again, it is built again and not repeated; unless something of it may have been sent.
    if (!isUnderWay(batch)) rememberBatch(undefined);
    return showDifference(difference, reply.body);
  }
  clearReply();
  if (reply.body.code === 'already_landed') return showAllPaid(reply.body.landed_transactions ?? []);
  if (reply.status >= 400 && reply.status < 500 && !isUnderWay(batch)) rememberBatch(undefined);
  showRefusal(reply);
  if (isUnderWay(batch)) offerResume();
}

/** Offers to resume the batch that is under way in this browser, if there is one. */
export function offerResume() {
  const batch = recallBatch();
  if (!batch || !isUnderWay(batch)) return;
  const { transfers } = batch.body;
  const count = Array.isArray(transfers) ? transfers.length : 0;
  showReply(() => [
    make('p', { class: 'sentence' }, `A batch of ${count} recipients is under way.`),
    make('p', {}, 'Resume it: what has landed is not paid again, and what can no longer land is built again.'),
    makeButton('Resume', 'button', () => build(batch)),
    makeButton('Discard', 'quiet', () => {
      rememberBatch(undefined);
      clearReply();
    }),
  ]);
}

/**
 * @param {StoredBatch} batch
 * @param {BatchData} data
 * @param {VerifiedBatch} verified
 */
function show(batch, data, verified) {
  const { summary } = data;
  const unit = unitOf(String(batch.body.token_mint_address));
  const landed = data.landed ?? [];
  const payments = /** @type {BatchTransfer[]} */ (batch.body.transfers);
  const paid = landed.reduce((sum, { transfers }) => sum + transfers.length, 0);
  const text =
    `${shortName(summary.sender)} pays ${summary.transfer_count} recipients ${counted(summary.amount.decimal, unit)} in ` +
    `${countOf(summary.transaction_count)}.${paid > 0 ? ` ${paid} more are paid already.` : ''}`;
  const created = summary.created_token_accounts;
  const table = makeTerms([
    ['Amount', amountOf(summary.amount, unit)],
    summary.transfer_fee.base_units === '0' ? undefined : ['Fee of the mint', amountOf(summary.transfer_fee, unit)],
    ['Received', amountOf(summary.received_amount, unit)],
    created > 0 ? ['New accounts', String(created)] : undefined,
    ...costRows(summary),
    ['Fee payer', shortName(summary.fee_payer)],
  ]);
  const name = `${counted(summary.amount.decimal, unit)} from ${shortName(summary.sender)} to ${summary.transfer_count} recipients`;
  const balances = balanceTable([{ owner: summary.sender, tokenAccount: summary.sender_token_account }], {
    decimals: summary.decimals,
    unit,
  });
  /** @type {BatchOptions['track']} */
  const track = (transactions) => {
    const tracker = trackSending({ kind: 'batch', text: name, id: batch.key }, transactions);
    return {
      ...tracker,
      onOutcomes: (outcomes) => {
        tracker.onOutcomes(outcomes);
        if (outcomes.every((each) => each?.outcome === 'landed')) balances.showAfter();
      },
    };
  };
  showReply((signal) => [
    make('p', { class: 'sentence' }, text),
    balances.element,
    ...warningsAround(table, summary.warnings),
    listPayments(payments, { decimals: summary.decimals, unit }),
    describeVerified(verified),
    runBatch({ batch, data, signal, again: () => build(batch), track }),
    asJson(data),
  ]);
}

/** @param {number} count */
function countOf(count) {
  return count === 1 ? 'one transaction' : `${count} transactions`;
}

/** @param {readonly LandedBatchTransaction[]} landed */
function showAllPaid(landed) {
  rememberBatch(undefined);
  const count = landed.reduce((sum, { transfers }) => sum + transfers.length, 0);
  const items = landed.map(({ transfers, signature }) =>
    make('li', {}, `${transfers.length} in `, copyable('the signature', signature)),
  );
  showReply(() => [make('p', { class: 'sentence' }, `All ${count} recipients are paid.`), make('ul', {}, ...items)]);
}

/**
 * What a batch pays: in all, and when it is opened each payment with its memo.
 * @param {readonly BatchTransfer[]} payments
 * @param {{ decimals: number, unit: string }} token
 */
export function listPayments(payments, { decimals, unit }) {
  const items = payments.map(({ to_address: address, amount, amount_decimal: whole, memo }) => {
    const decimal = whole ?? tokens(amount ?? 0n, decimals);
    const note = memo === undefined ? undefined : make('q', { class: 'memo' }, memo);
    return make('li', {}, make('b', {}, `${decimal} ${unit}`), ' to ', fullName(address), note && ' ', note);
  });
  const title = make('summary', {}, summarizePayments(payments));
  return make('details', { class: 'json payments' }, title, make('ol', {}, ...items));
}
