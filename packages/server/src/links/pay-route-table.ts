import type { PublicRoute } from '../app/openapi/route.ts';
import { exampleAction, exampleLinkId, examplePayReply } from './link-examples.ts';
import {
  actionRulesSchema,
  actionSchema,
  examplePayState,
  payReplySchema,
  payRequestSchema,
  payStateSchema,
} from './pay-schema.ts';

const tag = 'Payment links';
const id = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the link.',
  schema: { type: 'string' },
  example: exampleLinkId,
};
const notFound = { description: 'There is no such link.', code: 'payment_link_not_found' } as const;
const limited = {
  description: 'Too many requests from this address, or for this link.',
  code: 'rate_limited',
} as const;
const off = { description: 'The service has no payment links.', code: 'payment_links_off' } as const;

const upstreamFaults = {
  502: { description: 'The Solana node gave an answer that makes no sense.', code: 'upstream_error' },
  503: { description: 'The service or the Solana node cannot answer now.', code: 'overloaded' },
  504: { description: 'The Solana node did not answer in time.', code: 'upstream_timeout' },
} as const;

/** The routes that wallets and their users reach without an API key, by their `operationId`. */
export const payRoutes = {
  showPaymentLink: {
    method: 'GET',
    path: '/pay/{id}',
    summary: 'Show a payment',
    description:
      'For a browser the page, otherwise what a wallet reads: a Solana Pay transaction request and a Solana Action in one. Pages of any ' +
      'origin may read it. A link that can no longer be paid has `disabled` and the reason. A slash after the id is ignored.',
    tag,
    needsKey: false,
    isForWallets: true,
    parameters: [id],
    replies: {
      200: { description: 'The link, in any state.', schema: actionSchema, example: exampleAction },
    },
    refusals: { 404: notFound, 429: limited, 501: off, ...upstreamFaults },
  },
  payPaymentLink: {
    method: 'POST',
    path: '/pay/{id}',
    summary: 'Build a payment',
    description:
      "Builds the payment of the account that is sent, which creates the recipient's token account where it is missing. Refusals have a " +
      '`message` for the payer. Other members of the body are ignored, as wallets send some of their own.',
    tag,
    needsKey: false,
    isForWallets: true,
    parameters: [
      id,
      {
        name: 'amount',
        in: 'query',
        required: false,
        description: 'Where the payer chooses: how much, in whole tokens as exact decimal text.',
        schema: { type: 'string' },
        example: '1.5',
      },
    ],
    request: { schema: payRequestSchema, example: { account: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn' } },
    replies: {
      200: { description: 'The unsigned transaction.', schema: payReplySchema, example: examplePayReply('AQAA') },
    },
    refusals: {
      400: { description: 'The body or the amount is invalid.', code: 'invalid_request' },
      404: notFound,
      409: { description: 'The token is not what it was.', code: 'payment_link_changed' },
      410: { description: 'The link can no longer be paid.', code: 'payment_link_closed' },
      413: { description: 'The body is too large.', code: 'body_too_large' },
      415: { description: 'The body is not declared as JSON.', code: 'unsupported_media_type' },
      422: { description: 'The payment would not land.', code: 'insufficient_token_balance' },
      429: limited,
      500: { description: 'The service failed.', code: 'internal_error' },
      501: off,
      ...upstreamFaults,
    },
  },
  showPaymentState: {
    method: 'GET',
    path: '/pay/{id}/state',
    summary: 'Read a state',
    description:
      'What the page of a link asks for every two seconds. Programs of the recipient read `/v1/payment-links/{id}`.',
    tag,
    needsKey: false,
    isForWallets: true,
    isInternal: true,
    parameters: [
      id,
      {
        name: 'signature',
        in: 'query',
        required: false,
        description:
          'Of a transaction that the payer has sent: the words are about that payment, as soon as it is on chain.',
        schema: { type: 'string' },
        example: examplePayState.receipt?.signature,
      },
    ],
    replies: {
      200: { description: 'The state.', schema: payStateSchema, example: examplePayState },
    },
    refusals: { 404: notFound, 429: limited, 501: off, ...upstreamFaults },
  },
  drawPaymentCode: {
    method: 'GET',
    path: '/pay/{id}/qr.svg',
    summary: 'Show a code',
    description:
      'An SVG image that scales to its container, with the Solana Pay URL. Where the payer chooses the amount, the code has that of ' +
      '`amount`, or the least one.',
    tag,
    needsKey: false,
    isForWallets: true,
    isInternal: true,
    parameters: [
      id,
      {
        name: 'amount',
        in: 'query',
        required: false,
        description: 'Where the payer chooses: how much, in whole tokens as decimal text.',
        schema: { type: 'string' },
        example: '1.5',
      },
    ],
    replies: {
      200: { description: 'The image.', mediaType: 'image/svg+xml', schema: { type: 'string' } },
    },
    refusals: {
      400: { description: 'The amount is not within the bounds of the link.', code: 'amount_out_of_bounds' },
      404: notFound,
      429: limited,
      501: off,
      ...upstreamFaults,
    },
  },
  sendPageAsset: {
    method: 'GET',
    path: '/pay-assets/{name}',
    summary: 'Load a file',
    description: 'Its name has a hash of what it holds, so that it can be kept for a year.',
    tag,
    needsKey: false,
    isForWallets: true,
    isInternal: true,
    parameters: [
      {
        name: 'name',
        in: 'path',
        required: true,
        description: 'As the page has it.',
        schema: { type: 'string' },
        example: 'pay.bO2nWq0c1dXz.css',
      },
    ],
    replies: {
      200: { description: 'The file.', mediaType: 'text/css', schema: { type: 'string' } },
    },
    refusals: { 404: { description: 'There is no such file.', code: 'route_not_found' } },
  },
  sendPageIcon: {
    method: 'GET',
    path: '/pay/icon.svg',
    summary: 'Load the icon',
    description: 'What wallets show of such a link.',
    tag,
    needsKey: false,
    isForWallets: true,
    isInternal: true,
    replies: {
      200: { description: 'The icon.', mediaType: 'image/svg+xml', schema: { type: 'string' } },
    },
  },
  describeActions: {
    method: 'GET',
    path: '/actions.json',
    summary: 'List the actions',
    description: 'For wallets that show links in a page as Actions. Pages of any origin may read it.',
    tag,
    needsKey: false,
    isForWallets: true,
    isInternal: true,
    replies: {
      200: {
        description: 'The rules.',
        schema: actionRulesSchema,
        example: { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] },
      },
    },
    refusals: { 429: limited },
  },
} as const satisfies Readonly<Record<string, PublicRoute>>;
