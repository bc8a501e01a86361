import { formatAmount, type TransferSummary } from 'splwright-core';
import { visibleText } from '../app/visible-text.ts';
import type { Brand } from '../config/brand.ts';
import { tokenUrl } from './link-json.ts';
import type { LinkView } from './link-view.ts';
import { shopIconPath } from './page/shop-icon.ts';
import { networkNotes, type PayChain } from './pay-chain.ts';
import type { ActionJson, PayReplyJson } from './pay-schema.ts';
import {
  closedMessages,
  describeFee,
  describeOpenAmounts,
  describeReceived,
  describeShownAmount,
  describeSponsor,
  describeSponsoring,
  describeWrap,
  payerTokenName,
  payerTokens,
} from './payer-words.ts';
import { type LinkTransaction, lamportsWrapped } from './payment-request.ts';
import { inEachToken, inToken, type PaymentLink } from './records/payment-link.ts';

/** Where a link is served: by what origin, for which shop, on which network if that is known. */
export interface LinkPlace {
  publicUrl: string;
  brand: Pick<Brand, 'logo'>;
  chain: PayChain | undefined;
}

/** Returns what a wallet reads of a link: a Solana Pay transaction request and a Solana Action in one. */
export function actionJson(view: LinkView, place: LinkPlace): ActionJson {
  const { link, state } = view;
  const { publicUrl, chain } = place;
  const label = visibleText(link.label);
  const note = chain && networkNotes[chain];
  return {
    type: 'action',
    icon: iconOf(link, place),
    title: note === undefined ? label : `${label} (${note.split(':')[0]?.toLowerCase()})`,
    description: [note, describeLink(view)].filter((part) => part !== undefined).join(' · '),
    label,
    ...(state !== 'open' && { disabled: true, error: { message: closedMessages[state] } }),
    links: { actions: inEachToken(link).map((each) => linkedAction(each, tokenUrl(each, publicUrl))) },
  };
}

function linkedAction(link: PaymentLink, url: string): ActionJson['links']['actions'][number] {
  const { minAmount, maxAmount, decimals } = link;
  if (minAmount === maxAmount) {
    return { type: 'transaction', label: `Pay ${payerTokens(minAmount, link)}`, href: url };
  }
  const token = payerTokenName(link);
  const parameter = {
    name: 'amount',
    type: 'number' as const,
    label: `Amount in ${token}`,
    // Numbers, as the specification has them: what is sent is compared with the exact bounds.
    min: Number(formatAmount(minAmount, decimals)),
    max: Number(formatAmount(maxAmount, decimals)),
    required: true,
  };
  return { type: 'transaction', label: `Pay ${token}`, href: `${url}?amount={amount}`, parameters: [parameter] };
}

/** Returns who is paid how much of which token, and what for, in a line. */
function describeLink({ link, uiScale }: LinkView): string {
  const describe = (amount: bigint) => payerTokens(amount, link);
  const tokens = inEachToken(link);
  const amount = tokens.map(describeAmount).join(' or ');
  const what = sentences(
    `${amount} to ${visibleText(link.label)}`,
    describeShownAmount(link, uiScale, describe),
    describeFee(link, link.transferFees, describe),
    describeSponsoring(link),
  );
  // Any token can have any name: its address tells it from others.
  const terms = `${what} · token ${tokens.map(({ mint }) => mint).join(' or ')}`;
  return link.message === null ? terms : `${visibleText(link.message)} · ${terms}`;
}

function describeAmount(link: PaymentLink): string {
  const [min, max] = [payerTokens(link.minAmount, link), payerTokens(link.maxAmount, link)];
  return min === max ? min : `${min} to ${max}`;
}

/** The payment in a sentence; with notes it is the first of several. */
function sentences(what: string, ...notes: readonly (string | undefined)[]): string {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? what : [`${what}.`, ...said].join(' ');
}

/** Returns the URL of the picture of whoever is paid. */
export function iconOf({ icon, label }: PaymentLink, { publicUrl, brand }: Omit<LinkPlace, 'chain'>): string {
  return icon ?? publicUrl + shopIconPath(label, brand);
}

type PaidTransaction = Pick<LinkTransaction, 'transaction' | 'amount' | 'openAmounts' | 'sponsored'> & {
  summary: Pick<TransferSummary, 'transferFee' | 'receivedAmount' | 'uiScale'>;
};

/** Returns what a wallet gets: the transaction in base64, and what to show before and after it. */
export function payReplyJson(
  link: PaymentLink,
  { transaction, amount, summary, openAmounts, sponsored }: PaidTransaction,
  place: Omit<LinkPlace, 'chain'>,
): PayReplyJson {
  const label = visibleText(link.label);
  const { transferFee, receivedAmount, uiScale } = summary;
  const wrapped = lamportsWrapped(link, transaction);
  const describe = (each: bigint) => payerTokens(each, link);
  const amounts = { minAmount: amount, maxAmount: amount, decimals: link.decimals };
  const what = `${describe(amount)} to ${label}`;
  const notes = [
    describeShownAmount(amounts, uiScale, describe),
    transferFee > 0n ? describeReceived(describe(transferFee), describe(receivedAmount)) : undefined,
  ];
  const action = {
    type: 'completed' as const,
    icon: iconOf(link, place),
    title: label,
    description: `Paid: ${sentences(what, ...notes)}`,
    label: 'Paid',
  };
  return {
    type: 'transaction',
    transaction: Buffer.from(transaction).toString('base64'),
    message: sentences(
      what,
      describeOpenAmounts(openAmounts.map(({ mint, amount: open }) => payerTokens(open, inToken(link, mint) ?? link))),
      sponsored && describeSponsor(sponsored, link),
      wrapped > 0n ? describeWrap(wrapped) : undefined,
      ...notes,
    ),
    ...(sponsored?.fee && { sponsor_fee: sponsored.fee }),
    ...(link.redirect !== null && { redirect: link.redirect }),
    links: { next: { type: 'inline', action } },
  };
}
