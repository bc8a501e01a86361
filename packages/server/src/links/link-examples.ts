import type { LinkJson } from './link-schema.ts';
import type { ActionJson, PayReplyJson } from './pay-schema.ts';

/** The id in the examples. */
export const exampleLinkId = '8sXq2LtYvWm4DbRk';

const host = 'https://pay.example';
const url = `${host}/pay/${exampleLinkId}`;

/** An open link. */
export const openLink: LinkJson = {
  id: exampleLinkId,
  url,
  solana_pay_url: `solana:${url}`,
  action_url: `solana-action:${url}`,
  qr_svg_url: `${url}/qr.svg`,
  reference: 'ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg',
  state: 'open',
  is_final: false,
  to_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  amount: '1500000',
  decimals: 6,
  token_symbol: 'USDC',
  memo: 'invoice 1001',
  label: 'Tea house',
  message: null,
  icon: null,
  redirect: null,
  single_use: true,
  created_at: '2026-11-22T09:00:00.000Z',
  expires_at: '2026-11-29T09:00:00.000Z',
  cancelled_at: null,
  checked_at: null,
  payments: [],
};

const payment: LinkJson['payments'][number] = {
  signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
  payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  amount: '1500000',
  received_amount: '1500000',
  slot: '440208190',
  block_time: 1_795_000_000,
  commitment: 'finalized',
  counts: true,
};

/** The same, paid. */
export const paidLink: LinkJson = {
  ...openLink,
  state: 'paid',
  is_final: true,
  checked_at: '2026-11-22T09:04:11.000Z',
  signature: payment.signature,
  payer: payment.payer,
  received_amount: payment.received_amount,
  payments: [payment],
};

/** The same, canceled. */
export const cancelledLink: LinkJson = {
  ...openLink,
  state: 'cancelled',
  cancelled_at: '2026-11-22T09:04:11.000Z',
  checked_at: '2026-11-22T09:04:11.000Z',
};

/** What a wallet reads of it. */
export const exampleAction: ActionJson = {
  type: 'action',
  icon: `${host}/pay/icon.svg`,
  title: 'Tea house',
  description: `1.50 USDC to Tea house · token ${openLink.token_mint_address}`,
  label: 'Tea house',
  links: { actions: [{ type: 'transaction', label: 'Pay 1.50 USDC', href: url }] },
};

/** What a wallet gets. */
export function examplePayReply(transaction: string): PayReplyJson {
  const message = '1.50 USDC to Tea house';
  const action = {
    type: 'completed' as const,
    icon: exampleAction.icon,
    title: 'Tea house',
    description: `Paid: ${message}`,
    label: 'Paid',
  };
  return { type: 'transaction', transaction, message, links: { next: { type: 'inline', action } } };
}
