import { Type } from 'typebox';
import { refusalsOf, replyOf } from '../app/route-schema.ts';
import type { ProblemCode } from '../problems.ts';
import { exampleAction, exampleLinkId, examplePayReply } from './link-examples.ts';
import { actionSchema, payReplySchema, payRequestSchema } from './pay-schema.ts';

/** Which URLs are Actions. */
export const actionsPath = '/actions.json';
/** The path of a link for wallets and payers. */
export const payPath = '/pay/:id';

const params = Type.Object({ id: Type.String({ description: 'The `id` of the link.', examples: [exampleLinkId] }) });
const amount = Type.Optional(
  Type.String({
    description: 'Where the payer chooses: how much, in whole tokens as exact decimal text.',
    examples: ['1.5'],
  }),
);

/** The options of every route of wallets, which have headers of their own for pages of any origin. */
export const walletRoute = { config: { cors: false as const }, attachValidation: true };
const described = { tags: ['Payment links'], security: [] };

const upstreamFaults = ['upstream_error', 'upstream_unavailable', 'overloaded', 'upstream_timeout'] as const;
const ofLink: readonly ProblemCode[] = [
  'payment_link_not_found',
  'rate_limited',
  'payment_links_off',
  ...upstreamFaults,
];

/** The options of the routes that wallets call. What else the page of a link loads is not part of the API: no document has it. */
export const payRoutes = {
  show: {
    ...walletRoute,
    schema: {
      operationId: 'showPaymentLink',
      summary: 'Show a payment',
      description:
        'For a browser the page, otherwise what a wallet reads: a Solana Pay transaction request and a Solana Action in one. Pages of any ' +
        'origin may read it. A link that can no longer be paid has `disabled` and the reason. A slash after the id is ignored.',
      ...described,
      params,
      response: {
        200: replyOf('The link, in any state.', actionSchema, { examples: { link: { value: exampleAction } } }),
        ...refusalsOf([], ofLink),
      },
    },
  },
  pay: {
    ...walletRoute,
    schema: {
      operationId: 'payPaymentLink',
      summary: 'Build a payment',
      description:
        "Builds the payment of the account that is sent, which creates the recipient's token account where it is missing. Refusals have a " +
        '`message` for the payer. Other members of the body are ignored, as wallets send some of their own.',
      ...described,
      params,
      querystring: Type.Object({ amount }),
      body: payRequestSchema,
      response: {
        200: replyOf('The unsigned transaction.', payReplySchema, {
          examples: { payment: { value: examplePayReply('AQAA') } },
        }),
        ...refusalsOf(
          [],
          [
            ...ofLink,
            'invalid_json',
            'missing_field',
            'wrong_type',
            'invalid_address',
            'invalid_amount',
            'amount_out_of_bounds',
            'payment_link_changed',
            'payment_link_closed',
            'body_too_large',
            'unsupported_media_type',
            'insufficient_token_balance',
            'internal_error',
          ],
        ),
      },
    },
  },
};
