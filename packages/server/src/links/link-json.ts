import { formatAmount, leastReceived, shownAmount, sol, type UiScale } from 'splwright-core';
import { describeWarning } from '../transfers/words/warning-words.ts';
import { type LinkJson, type linkReplyNames, linkStatusTexts } from './link-schema.ts';
import { type LinkView, viewIn } from './link-view.ts';
import { inEachToken, type LinkPayment, type LinkRefund, type PaymentLink } from './records/payment-link.ts';

/** The URL of the page of a link, which is what wallets are sent to. `publicUrl` is the origin of the service. */
export function linkUrl(id: string, publicUrl: string): string {
  return `${publicUrl}/pay/${id}`;
}

/** The same for paying in the token that the link is given in: the token of a link with several is in the query. */
export function tokenUrl({ id, mint, otherTokens }: PaymentLink, publicUrl: string): string {
  return linkUrl(id, publicUrl) + (otherTokens.length === 0 ? '' : `?mint=${mint}`);
}

/** Returns a link as JSON, with exactly the members of its schema. */
export function linkJson(view: LinkView, publicUrl: string): LinkJson {
  const { state, isFinal, payments, warnings, flawedCount } = view;
  const url = linkUrl(view.link.id, publicUrl);
  const paid = state === 'paid' ? payments.find(({ flaw }) => flaw === undefined) : undefined;
  // Once it is paid, its token is the one that it was paid in.
  const shown = (paid && viewIn(view, paid.mint)) ?? view;
  const { link } = shown;
  return {
    id: link.id,
    url,
    solana_pay_url: `solana:${url}`,
    action_url: `solana-action:${url}`,
    qr_svg_url: `${url}/qr.svg`,
    reference: link.reference,
    state,
    is_final: isFinal,
    to_address: link.recipient,
    ...tokenJson(shown),
    ...(link.otherTokens.length > 0 && {
      accepts: inEachToken(view.link).map(({ mint }) => tokenJson(viewIn(view, mint) ?? view)),
    }),
    memo: link.memo,
    label: link.label,
    message: link.message,
    icon: link.icon,
    redirect: link.redirect,
    metadata: link.metadata,
    single_use: link.isSingleUse,
    sponsored: link.maxSponsorFee !== null,
    ...(link.maxSponsorFee !== null && { max_sponsor_fee: link.maxSponsorFee.toString() }),
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
    cancelled_at: link.cancelledAt?.toISOString() ?? null,
    checked_at: link.checkedAt?.toISOString() ?? null,
    ...(paid && { signature: paid.signature, payer: paid.payer, received_amount: paid.received.toString() }),
    payments: payments.map(paymentJson),
    refunds: (view.refunds ?? []).flatMap(refundJson),
    ...(flawedCount !== undefined && { flawed_payment_count: flawedCount }),
    ...(warnings && { warnings: warnings.map(describeWarning) }),
  };
}

/** Returns a Solana Pay transfer request. Its payment counts by the reference, as that of every other form. */
function transferRequestUrl({ recipient, mint, minAmount, maxAmount, decimals, ...link }: PaymentLink): string {
  const { reference, label, message, memo } = link;
  const fields = {
    // Where the payer chooses, the wallet asks for it.
    ...(minAmount === maxAmount && { amount: formatAmount(minAmount, decimals) }),
    ...(mint !== sol && { 'spl-token': mint }),
    reference,
    label,
    ...(message !== null && { message }),
    ...(memo !== null && { memo }),
  };
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
  return `solana:${recipient}?${query.join('&')}`;
}

/** The members of a link that say how much of its token is to be paid. */
function tokenJson({ link, uiScale }: LinkView): NonNullable<LinkJson['accepts']>[number] {
  const [min, max] = [link.minAmount.toString(), link.maxAmount.toString()];
  return {
    token_mint_address: link.mint,
    ...(min === max ? { amount: min } : { amount_min: min, amount_max: max }),
    ...receivedMembers(link),
    ...uiMembers(link, uiScale),
    decimals: link.decimals,
    token_symbol: link.tokenSymbol,
    // Of its payment the payer would pay the network fee.
    ...(link.uiAmountConfig === null &&
      link.maxSponsorFee === null && { transfer_request_url: transferRequestUrl(link) }),
  };
}

function receivedMembers({ minAmount, maxAmount, transferFees }: PaymentLink) {
  if (transferFees.length === 0) return {};
  const [min, max] = [leastReceived(minAmount, transferFees), leastReceived(maxAmount, transferFees)];
  return minAmount === maxAmount
    ? { received_amount: min.toString() }
    : { received_amount_min: min.toString(), received_amount_max: max.toString() };
}

function uiMembers({ minAmount, maxAmount, decimals }: PaymentLink, uiScale: UiScale | undefined) {
  if (uiScale === undefined) return {};
  const shown = (amount: bigint) => formatAmount(shownAmount(amount, decimals, uiScale), decimals);
  return minAmount === maxAmount
    ? { ui_amount: shown(minAmount) }
    : { ui_amount_min: shown(minAmount), ui_amount_max: shown(maxAmount) };
}

function paymentJson(payment: LinkPayment): LinkJson['payments'][number] {
  const { signature, payer, mint, amount, received, slot, blockTime, commitment, flaw } = payment;
  return {
    signature,
    payer,
    token_mint_address: mint,
    amount: amount.toString(),
    received_amount: received.toString(),
    slot: slot.toString(),
    block_time: blockTime === null ? null : Number(blockTime),
    commitment,
    counts: flaw === undefined,
    ...(flaw !== undefined && { flaw }),
  };
}

function refundJson(refund: LinkRefund): LinkJson['refunds'] {
  const { reference, payment, to, mint, amount, state, signature, createdAt } = refund;
  if (state === 'expired') return [];
  const tokens = { to_address: to, token_mint_address: mint, amount: amount.toString() };
  return [{ reference, payment_signature: payment, ...tokens, state, signature, created_at: createdAt.toISOString() }];
}

export function linkText(name: (typeof linkReplyNames)[number], view: LinkView, publicUrl: string): string {
  return JSON.stringify({ data: linkJson(view, publicUrl), status: linkStatusTexts[name] });
}

/** The JSON text of a page of links; without a cursor it is the last one. */
export function linkListText(views: readonly LinkView[], publicUrl: string, nextCursor: string | undefined): string {
  const data = views.map((view) => linkJson(view, publicUrl));
  return JSON.stringify({ data, next_cursor: nextCursor, status: linkStatusTexts.listed });
}
