import type { ResourceRoute } from '../app/openapi/route.ts';
import { cancelledLink, exampleLinkId, openLink, paidLink } from './link-examples.ts';
import { linkListSchema, linkReplySchema, linkStatusTexts } from './link-schema.ts';

const tag = 'Payment links';
const id = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the link.',
  schema: { type: 'string' },
  example: exampleLinkId,
};

// Until a node has said once which ledger the service is on, none of its links is known.
const ledgerUnknown = ['upstream_error', 'upstream_unavailable', 'upstream_timeout'] as const;

/** The routes of payment links that need an API key, by their `operationId`. */
export const linkRoutes = {
  createPaymentLink: {
    method: 'POST',
    path: '/v1/payment-links',
    summary: 'Make a link',
    description:
      'Makes a link that every Solana wallet can pay: by its QR code, as a Solana Pay transaction request, as a Solana Action, or ' +
      'on its page. Links that cannot be paid are rejected. Whether it was paid is read from the chain, by the reference that the ' +
      'link puts into each of its transactions.',
    tag,
    needsKey: true,
    operations: ['payment_link'],
    requestRule: 'Takes one of `amount` and `amount_decimal`, or `amount_min` and `amount_max`.',
    takesIdempotencyKey: true,
    parameters: [],
    replies: {
      201: {
        description: 'The link, open.',
        schema: linkReplySchema('created'),
        examples: { created: { value: { data: openLink, status: linkStatusTexts.created } } },
        headers: {
          Location: {
            description: 'Where the link can be read, relative to the service.',
            schema: { type: 'string' },
            example: `/v1/payment-links/${exampleLinkId}`,
          },
        },
      },
    },
    refusals: [
      'key_not_allowed',
      'amount_and_amount_decimal',
      'amount_not_representable',
      'amount_and_amount_bounds',
      'amount_or_amount_bounds_required',
      'payment_links_off',
      'payment_links_unavailable',
    ],
  },
  listPaymentLinks: {
    method: 'GET',
    path: '/v1/payment-links',
    summary: 'List the links',
    description:
      'The links that this API key and those it replaced have made, the newest first. `checked_at` says as of when each is known: read a ' +
      'link by itself for what the chain shows now.',
    tag,
    needsKey: true,
    operations: [],
    takesIdempotencyKey: false,
    parameters: [
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'How many links to list, 1 to 100. Default: 20.',
        schema: { type: 'integer', minimum: 1, maximum: 100 },
        example: 20,
      },
      {
        name: 'cursor',
        in: 'query',
        required: false,
        description: 'The `next_cursor` of the page before; without it the list begins with the newest link.',
        schema: { type: 'string' },
        example: 'MTc5NTMyOTYwMDAwMC44c1hxMkx0WXZXbTREYlJr',
      },
    ],
    replies: {
      200: {
        description: 'The links.',
        schema: linkListSchema,
        examples: { page: { value: { data: [openLink, paidLink], status: linkStatusTexts.listed } } },
      },
    },
    refusals: [
      'key_not_allowed',
      'invalid_request',
      'invalid_value',
      'unknown_field',
      'payment_links_off',
      'payment_links_unavailable',
      ...ledgerUnknown,
    ],
  },
  readPaymentLink: {
    method: 'GET',
    path: '/v1/payment-links/{id}',
    summary: 'Read a link',
    description:
      'Asks the chain for the payments of the link, unless it was asked within the last seconds or the link is settled. While no node ' +
      'answers it gives what is known, and `checked_at` says as of when.',
    tag,
    needsKey: true,
    operations: [],
    takesIdempotencyKey: false,
    parameters: [id],
    replies: {
      200: {
        description: 'The link.',
        schema: linkReplySchema('found'),
        examples: { paid: { value: { data: paidLink, status: linkStatusTexts.found } } },
      },
    },
    refusals: [
      'key_not_allowed',
      'payment_link_not_found',
      'payment_links_off',
      'payment_links_unavailable',
      ...ledgerUnknown,
    ],
  },
  cancelPaymentLink: {
    method: 'POST',
    path: '/v1/payment-links/{id}/cancel',
    summary: 'Cancel a link',
    description:
      'No transaction is handed out for the link from then on. One that a payer has already can still land, and then the link is `paid`. ' +
      'A link that is closed already stays as it is. Needs no body. An empty one is accepted with any Content-Type.',
    tag,
    needsKey: true,
    operations: [],
    takesIdempotencyKey: false,
    parameters: [id],
    replies: {
      200: {
        description: 'The link, canceled.',
        schema: linkReplySchema('cancelled'),
        examples: { cancelled: { value: { data: cancelledLink, status: linkStatusTexts.cancelled } } },
      },
    },
    refusals: [
      'invalid_json',
      'invalid_request',
      'unknown_field',
      'wrong_type',
      'body_too_large',
      'unsupported_media_type',
      'payment_link_not_found',
      'payment_link_paid',
      'payment_links_off',
      'payment_links_unavailable',
      ...ledgerUnknown,
    ],
  },
} as const satisfies Readonly<Record<string, ResourceRoute>>;
