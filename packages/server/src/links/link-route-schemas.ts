import { Type } from 'typebox';
import { refusalsOfEmptyBodies } from '../app/json-body.ts';
import { idempotencyHeaders, keyedHeaders, refusalsOf, replayedHeader, replyOf } from '../app/route-schema.ts';
import { linkBody } from './link-body.ts';
import { type LinkJson, linkListQuery, linkListSchema, linkReplySchema, linkStatusTexts } from './link-schema.ts';

export const exampleLinkId = '8sXq2LtYvWm4DbRk';

const url = `https://pay.example/pay/${exampleLinkId}`;

const openLink: LinkJson = {
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
  transfer_request_url:
    'solana:7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu?amount=1.5&spl-token=Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1' +
    '&reference=ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg&label=Tea%20house&memo=invoice%201001',
  memo: 'invoice 1001',
  label: 'Tea house',
  message: null,
  icon: null,
  redirect: null,
  metadata: { order: '1001' },
  single_use: true,
  sponsored: false,
  created_at: '2026-11-22T09:00:00.000Z',
  expires_at: '2026-11-29T09:00:00.000Z',
  cancelled_at: null,
  checked_at: null,
  payments: [],
  refunds: [],
};

const payment: LinkJson['payments'][number] = {
  signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
  payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  token_mint_address: openLink.token_mint_address,
  amount: '1500000',
  received_amount: '1500000',
  slot: '440208190',
  block_time: 1_795_000_000,
  commitment: 'finalized',
  counts: true,
};

const paidLink: LinkJson = {
  ...openLink,
  state: 'paid',
  is_final: true,
  checked_at: '2026-11-22T09:04:11.000Z',
  signature: payment.signature,
  payer: payment.payer,
  received_amount: payment.received_amount,
  payments: [payment],
};

const cancelledLink: LinkJson = {
  ...openLink,
  state: 'cancelled',
  cancelled_at: '2026-11-22T09:04:11.000Z',
  checked_at: '2026-11-22T09:04:11.000Z',
};

export const linksPath = '/v1/payment-links';
export const linkPath = `${linksPath}/:id`;

// A text that is no id is answered as a link that does not exist.
export const linkId = Type.Object({
  id: Type.String({ description: 'The `id` of the link.', examples: [exampleLinkId] }),
});

const tags = ['Payment links'];
const config = { usage: 'answered' as const };

// Until a node has said once which ledger the service is on, none of its links is known.
const ledgerUnknown = ['upstream_error', 'upstream_unavailable', 'upstream_timeout'] as const;
export const unavailable = ['payment_links_off', 'payment_links_unavailable', ...ledgerUnknown] as const;

export const createLinkRoute = {
  attachValidation: true,
  config: { ...config, place: 'writing' as const },
  schema: {
    operationId: 'createPaymentLink',
    summary: 'Make a link',
    description:
      'Makes a link that every Solana wallet can pay: by its QR code, as a Solana Pay transaction request, as a Solana Action, or ' +
      'on its page. Links that cannot be paid are rejected. Whether it was paid is read from the chain, by the reference that the ' +
      'link puts into each of its transactions.',
    tags,
    headers: idempotencyHeaders,
    body: linkBody,
    response: {
      201: replyOf('The link, open.', linkReplySchema('created'), {
        headers: {
          Location: {
            type: 'string',
            description: 'Where the link can be read, relative to the service.',
            examples: [`${linksPath}/${exampleLinkId}`],
          },
          ...replayedHeader,
          ...keyedHeaders,
        },
        examples: { created: { value: { data: openLink, status: linkStatusTexts.created } } },
      }),
      ...refusalsOf(['keyed', 'link']),
    },
  },
};

export const listLinksRoute = {
  attachValidation: true,
  config: { ...config, place: 'large' as const },
  schema: {
    operationId: 'listPaymentLinks',
    summary: 'List the links',
    description:
      'The links that this API key and those it replaced have made, the newest first. `checked_at` says as of when each is known: read a ' +
      'link by itself for what the chain shows now.',
    tags,
    querystring: linkListQuery,
    response: {
      200: replyOf('The links.', linkListSchema, {
        headers: keyedHeaders,
        examples: { page: { value: { data: [openLink, paidLink], status: linkStatusTexts.listed } } },
      }),
      ...refusalsOf(
        ['keyed'],
        ['key_not_allowed', 'invalid_request', 'invalid_value', 'unknown_field', ...unavailable],
      ),
    },
  },
};

export const readLinkRoute = {
  config,
  schema: {
    operationId: 'readPaymentLink',
    summary: 'Read a link',
    description:
      'Asks the chain for the payments of the link, unless it was asked within the last seconds or the link is settled. While no node ' +
      'answers it gives what is known, and `checked_at` says as of when.',
    tags,
    params: linkId,
    response: {
      200: replyOf('The link.', linkReplySchema('found'), {
        headers: keyedHeaders,
        examples: { paid: { value: { data: paidLink, status: linkStatusTexts.found } } },
      }),
      ...refusalsOf(['keyed'], ['key_not_allowed', 'payment_link_not_found', ...unavailable]),
    },
  },
};

export const cancelLinkRoute = {
  config: { ...config, place: 'writing' as const },
  schema: {
    operationId: 'cancelPaymentLink',
    summary: 'Cancel a link',
    description:
      'No transaction is handed out for the link from then on. One that a payer has already can still land, and then the link is `paid`. ' +
      'A link that is closed already stays as it is. Needs no body. An empty one is accepted with any Content-Type.',
    tags,
    params: linkId,
    response: {
      200: replyOf('The link, canceled.', linkReplySchema('cancelled'), {
        headers: keyedHeaders,
        examples: { cancelled: { value: { data: cancelledLink, status: linkStatusTexts.cancelled } } },
      }),
      ...refusalsOf(
        ['keyed'],
        [...refusalsOfEmptyBodies, 'payment_link_not_found', 'payment_link_paid', ...unavailable],
      ),
    },
  },
};
