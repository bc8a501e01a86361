import type { BatchData, BatchSummary, BatchTransfer, LandedBatchTransaction } from 'splwright-client';
import { summarizePayments } from 'splwright-client/payments-file';
import type { VerifiedBatch } from 'splwright-client/verify';
import { balanceTable } from './balances.ts';
import {
  forgetBatch,
  isUnderWay,
  recallBatch,
  rejectFirst,
  rememberBatch,
  runBatch,
  type Sendable,
  type StoredBatch,
} from './batch-run.ts';
import { copyable, make, makeButton, makeTerms } from './dom.ts';
import { counted, fullName, shortName, tokens, unitOf, withNames } from './names.ts';
import type { Followed } from './outcomes.ts';
import { type Tracker, trackSending } from './recent.ts';
import { clearRefusal, showFaults, showRefusal } from './refusals.ts';
import { asJson, clearReply, describeVerified, showDifference, showReply } from './reply-view.ts';
import { ask } from './service.ts';
import { amountTerms, costTerms, sponsorTerm, warningsAround } from './transfer-view.ts';

const path = '/v1/transfers/batch';

/** Builds a batch. One that is under way is asked for again under its own key, whatever became of the page in between. */
export async function submitBatch(body: Readonly<Record<string, unknown>>): Promise<void> {
  const known = recallBatch();
  const isSame = known && JSON.stringify(known.body) === JSON.stringify(body);
  if (isUnderWay(known) && !isSame) {
    const detail = 'Another batch is under way in this browser. Resume or discard it before you build another.';
    showFaults('A batch is under way', [{ pointer: '', detail }]);
    return offerResume();
  }
  const batch = known && isSame ? known : { key: newKey(), body, sent: [], isReproducible: true };
  rememberBatch(batch);
  await build(batch);
}

// `randomUUID` is there on localhost and over https alone.
function newKey(): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join('-')}`;
}

async function build(batch: StoredBatch): Promise<void> {
  clearRefusal();
  const reply = await ask<{ data: BatchData }>('POST', path, batch.body, { 'idempotency-key': batch.key });
  if (reply.ok) {
    const { verifyBatchReply } = await import('./verification.ts');
    const { verified, difference } = await verifyBatchReply(batch.body, reply);
    if (verified) return show(batch, reply.body.data, verified);
    // Asked for again, it is built again and not repeated; unless something of it may have been sent.
    if (!isUnderWay(batch)) forgetBatch(batch);
    return showDifference(difference, reply.body);
  }
  clearReply();
  if (reply.body.code === 'already_landed') return showAllPaid(batch, reply.body.landed_transactions ?? []);
  if (reply.status >= 400 && reply.status < 500 && !isUnderWay(batch)) forgetBatch(batch);
  showRefusal(reply);
  if (isUnderWay(batch)) offerResume();
}

/** Offers to resume the batch that is under way in this browser, if there is one. */
export function offerResume(): void {
  const batch = recallBatch();
  if (!isUnderWay(batch)) return;
  const { transfers } = batch.body;
  const count = Array.isArray(transfers) ? transfers.length : 0;
  showReply(() => [
    make('p', { class: 'sentence' }, `A batch of ${count} recipients is under way.`),
    make('p', {}, 'Resume it: payments that landed are not repeated, and those that can no longer land are rebuilt.'),
    batch.isReproducible ? undefined : make('p', {}, rejectFirst),
    makeButton('Resume', 'button', () => build(batch)),
    makeButton('Discard', 'quiet', () => {
      forgetBatch(batch);
      clearReply();
    }),
  ]);
}

function show(batch: StoredBatch, data: BatchData, verified: VerifiedBatch): void {
  const { summary, refused = [], landed_transactions: landed = [] } = data;
  const parts = sendableOf(data);
  const waiting = countOf(data.pending_transactions?.filter(({ transaction }) => transaction === undefined));
  const paid = countOf(landed);
  const isWhole = waiting === 0 && refused.length === 0;
  const mint = String(batch.body.token_mint_address);
  const sender = String(batch.body.from_address);
  const sums = summary?.tokens.map((each) => counted(each.amount.decimal, unitOf(each.token_mint_address)));
  const total = sums?.join(' and ') ?? '';
  const news = summary
    ? `${shortName(sender)} pays ${total} to ${recipientsOf(summary.transfer_count)} in ${transactionsOf(summary.transaction_count)}.`
    : 'There is nothing new to pay.';
  const sentence = [
    news,
    ...(parts.length > data.transactions.length ? ['Transactions built earlier can still be sent.'] : []),
    ...(waiting > 0 ? [`${recipientsOf(waiting)} may still be paid: resume the batch in a minute.`] : []),
    ...(paid > 0 ? [`${paid} more are already paid.`] : []),
    ...(refused.length > 0 ? [`${recipientsOf(refused.length)} cannot be paid now.`] : []),
  ].join(' ');
  const reasons = refused.flatMap(({ errors }) => errors.map(({ detail }) => make('li', {}, detail)));
  const table = summary && termsOf(summary);
  const balances = balanceTable([sender], mint);
  const track = (followed: readonly Followed[]): Tracker => {
    const text = `${total} from ${shortName(sender)} to ${recipientsOf(countOf(parts))}`.trim();
    const tracker = trackSending({ text, id: batch.key }, followed);
    return {
      ...tracker,
      onOutcomes: (outcomes) => {
        tracker.onOutcomes(outcomes);
        if (outcomes.every((each) => each?.outcome === 'landed')) balances.showAfter();
      },
    };
  };
  showReply((signal) => [
    make('p', { class: 'sentence' }, sentence),
    ...(reasons.length > 0 ? [make('ul', { class: 'alert' }, ...reasons)] : []),
    ...warningsAround(
      [
        ...(parts.length > 0 ? [runBatch({ batch, parts, isWhole, signal, again: () => build(batch), track })] : []),
        ...(table ? [balances.element, table] : []),
      ],
      summary?.warnings ?? [],
    ),
    listPayments(batch.body.transfers as readonly BatchTransfer[], verified, mint),
    describeVerified(verified.sentence, [...verified.pending, ...verified.transactions]),
    asJson(data),
  ]);
}

function termsOf(summary: BatchSummary): HTMLElement {
  const { created_token_accounts: created } = summary;
  return makeTerms([
    ...summary.tokens.flatMap((each) => amountTerms(each, unitOf(each.token_mint_address))),
    created > 0 ? ['New accounts', String(created)] : undefined,
    ...costTerms(summary),
    ['Fee payer', shortName(summary.fee_payer)],
    sponsorTerm(summary),
  ]);
}

/** The transactions of a reply that can be sent, those first that were built before. */
function sendableOf({ transactions, lifetime, pending_transactions: pending = [] }: BatchData): readonly Sendable[] {
  return [
    ...pending.flatMap(({ transaction, transfers, lifetime: { last_valid_block_height: height } }) =>
      transaction === undefined ? [] : [{ transaction, transfers, lastValidBlockHeight: height }],
    ),
    ...transactions.map(({ transaction, transfers }) => {
      return { transaction, transfers, lastValidBlockHeight: lifetime?.last_valid_block_height };
    }),
  ];
}

function recipientsOf(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`;
}

function transactionsOf(count: number): string {
  return count === 1 ? 'one transaction' : `${count} transactions`;
}

function countOf(transactions: readonly { transfers: readonly number[] }[] = []): number {
  return transactions.reduce((sum, { transfers }) => sum + transfers.length, 0);
}

function showAllPaid(batch: StoredBatch, landed: readonly LandedBatchTransaction[]): void {
  forgetBatch(batch);
  const title = make('p', { class: 'sentence' }, `All ${countOf(landed)} recipients are paid.`);
  const items = landed.map(({ transfers, signature }) =>
    make('li', {}, `${transfers.length} in `, copyable('the signature', signature)),
  );
  showReply(() => [title, make('ul', {}, ...items)]);
}

/** The payments of a batch: in all, and when it is opened each one with its memo. */
function listPayments(
  payments: readonly BatchTransfer[],
  { transactions, pending }: VerifiedBatch,
  usualMint: string,
): HTMLElement {
  const decimals = new Map([...transactions, ...pending].map((each) => [each.mint, each.decimals]));
  const items = payments.map(({ to_address: address, amount, amount_decimal: whole, memo, ...own }) => {
    const mint = own.token_mint_address ?? usualMint;
    const places = decimals.get(mint);
    const decimal = whole ?? (places === undefined ? `${amount} base units of` : tokens(amount ?? 0n, places));
    const note = memo === undefined ? undefined : make('q', { class: 'memo' }, memo);
    return make('li', {}, make('b', {}, `${decimal} ${unitOf(mint)}`), ' to ', fullName(address), note && ' ', note);
  });
  const title = make('summary', {}, withNames(summarizePayments(payments)));
  return make('details', {}, title, make('ol', {}, ...items));
}
