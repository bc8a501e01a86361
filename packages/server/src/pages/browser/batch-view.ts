import type { BatchData, BatchTransfer, Problem } from 'splwright-client';
import { summarizePayments } from 'splwright-client/payments-file';
import type { VerifiedBatch } from 'splwright-client/verify';
import { balanceTable } from './balances.ts';
import { isUnderWay, recallBatch, rememberBatch, runBatch, type StoredBatch } from './batch-run.ts';
import { copyable, make, makeButton, makeTerms } from './dom.ts';
import { counted, fullName, shortName, tokens, unitOf } from './names.ts';
import type { Followed } from './outcomes.ts';
import { type Tracker, trackSending } from './recent.ts';
import { clearRefusal, showFaults, showRefusal } from './refusals.ts';
import { asJson, clearReply, describeVerified, showDifference, showReply } from './reply-view.ts';
import { ask } from './service.ts';
import { amountTerms, costTerms, warningsAround } from './transfer-view.ts';

const path = '/v1/transfers/batch';

/** Builds a batch. One that is under way is asked for again under its own key, whatever became of the page in between. */
export async function submitBatch(body: Readonly<Record<string, unknown>>): Promise<void> {
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
export function offerResume(): void {
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

function show(batch: StoredBatch, data: BatchData, verified: VerifiedBatch): void {
  const { summary } = data;
  const { sender, created_token_accounts: created } = summary;
  const mint = String(batch.body.token_mint_address);
  const amount = counted(summary.amount.decimal, unitOf(mint));
  const recipients = `${summary.transfer_count} recipients`;
  const transactions =
    summary.transaction_count === 1 ? 'one transaction' : `${summary.transaction_count} transactions`;
  const paid = recipientCountOf(data.landed);
  const more = paid > 0 ? ` ${paid} more are paid already.` : '';
  const table = makeTerms([
    ...amountTerms(summary, unitOf(mint)),
    created > 0 ? ['New accounts', String(created)] : undefined,
    ...costTerms(summary),
    ['Fee payer', shortName(summary.fee_payer)],
  ]);
  const balances = balanceTable([sender], mint);
  const track = (followed: readonly Followed[]): Tracker => {
    const text = `${amount} from ${shortName(sender)} to ${recipients}`;
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
    make('p', { class: 'sentence' }, `${shortName(sender)} pays ${recipients} ${amount} in ${transactions}.${more}`),
    balances.element,
    ...warningsAround(table, summary.warnings),
    listPayments(batch.body.transfers as readonly BatchTransfer[], summary.decimals, unitOf(mint)),
    describeVerified(verified),
    runBatch({ batch, data, signal, again: () => build(batch), track }),
    asJson(data),
  ]);
}

function recipientCountOf(landed: Problem['landed_transactions'] = []): number {
  return landed.reduce((sum, { transfers }) => sum + transfers.length, 0);
}

function showAllPaid(landed: NonNullable<Problem['landed_transactions']>): void {
  rememberBatch(undefined);
  const title = make('p', { class: 'sentence' }, `All ${recipientCountOf(landed)} recipients are paid.`);
  const items = landed.map(({ transfers, signature }) =>
    make('li', {}, `${transfers.length} in `, copyable('the signature', signature)),
  );
  showReply(() => [title, make('ul', {}, ...items)]);
}

/** What a batch pays: in all, and when it is opened each payment with its memo. */
function listPayments(payments: readonly BatchTransfer[], decimals: number, unit: string): HTMLElement {
  const items = payments.map(({ to_address: address, amount, amount_decimal: whole, memo }) => {
    const decimal = whole ?? tokens(amount ?? 0n, decimals);
    const note = memo === undefined ? undefined : make('q', { class: 'memo' }, memo);
    return make('li', {}, make('b', {}, `${decimal} ${unit}`), ' to ', fullName(address), note && ' ', note);
  });
  const title = make('summary', {}, summarizePayments(payments));
  return make('details', {}, title, make('ol', {}, ...items));
}
