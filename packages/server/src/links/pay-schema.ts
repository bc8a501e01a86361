import { type Static, Type } from 'typebox';
import { refusalsOf, replyOf } from '../app/route-schema.ts';
import { addressPattern, closed, enumeration, sponsorFeeSchema } from '../app/schema-parts.ts';
import type { ProblemCode } from '../problems.ts';
import { exampleLinkId } from './link-route-schemas.ts';

const parameter = Type.Object(
  {
    name: Type.String({ description: 'Its name in `href`.' }),
    type: enumeration(['number']),
    label: Type.String({ description: 'What wallets write next to the input.' }),
    min: Type.Number({ description: 'In whole tokens.' }),
    max: Type.Number({ description: 'In whole tokens.' }),
    required: Type.Boolean(),
  },
  { component: 'ActionParameter', ...closed },
);

const linkedAction = Type.Object(
  {
    type: enumeration(['transaction']),
    label: Type.String({ description: 'The text of the button.' }),
    href: Type.String({ description: 'Where to POST the account; `{amount}` is the input.' }),
    parameters: Type.Optional(Type.Array(parameter)),
  },
  { component: 'LinkedAction', ...closed },
);

/** A payment link as wallets read it: a Solana Pay transaction request and a Solana Action in one. */
export const actionSchema = Type.Object(
  {
    type: enumeration(['action']),
    icon: Type.String({ description: 'The URL of an image.' }),
    title: Type.String({ description: 'Who is paid.' }),
    description: Type.String({ description: 'What for, and how much.' }),
    label: Type.String({ description: 'Who is paid, as Solana Pay calls it.' }),
    disabled: Type.Optional(Type.Boolean({ description: 'Of a link that can no longer be paid.' })),
    error: Type.Optional(
      Type.Object(
        { message: Type.String({ description: 'Why, in words for the payer.' }) },
        { component: 'ActionError', ...closed },
      ),
    ),
    links: Type.Object({ actions: Type.Array(linkedAction) }, { component: 'ActionLinks', ...closed }),
  },
  { component: 'Action', ...closed },
);

export type ActionJson = Static<typeof actionSchema>;

/** A wallet's request: its address, and members of its own, which are not read. */
export const payRequestSchema = Type.Object(
  { account: Type.String({ description: "The payer's wallet.", pattern: addressPattern }) },
  {
    component: 'PaymentRequest',
    description: 'Other members are ignored.',
    'x-examples': { payer: { value: { account: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn' } } },
  },
);

const completed = Type.Object(
  {
    type: enumeration(['completed']),
    icon: Type.String(),
    title: Type.String(),
    description: Type.String(),
    label: Type.String(),
  },
  { component: 'CompletedAction', ...closed },
);

/** The reply to a wallet: the transaction to sign and submit. */
export const payReplySchema = Type.Object(
  {
    type: enumeration(['transaction']),
    transaction: Type.String({
      description: 'The transaction in base64: unsigned, or signed by the sponsor of the link alone.',
    }),
    message: Type.String({ description: 'What it pays, in words for the payer.' }),
    sponsor_fee: Type.Optional(sponsorFeeSchema),
    redirect: Type.Optional(Type.String({ description: 'Where to go after the payment.' })),
    links: Type.Object(
      {
        next: Type.Object(
          { type: enumeration(['inline']), action: completed },
          { component: 'NextAction', description: 'What to show once it has landed.', ...closed },
        ),
      },
      { component: 'PaymentLinks', ...closed },
    ),
  },
  { component: 'PaymentTransaction', ...closed },
);

export type PayReplyJson = Static<typeof payReplySchema>;

const exampleUrl = `https://pay.example/pay/${exampleLinkId}`;
const exampleIcon = 'https://pay.example/pay/icon/T.svg';
const exampleAction: ActionJson = {
  type: 'action',
  icon: exampleIcon,
  title: 'Tea house',
  description: '1.50 USDC to Tea house · token Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  label: 'Tea house',
  links: { actions: [{ type: 'transaction', label: 'Pay 1.50 USDC', href: exampleUrl }] },
};
const exampleCompleted = {
  type: 'completed',
  icon: exampleIcon,
  title: 'Tea house',
  description: 'Paid: 1.50 USDC to Tea house',
  label: 'Paid',
} as const;
const examplePayReply: PayReplyJson = {
  type: 'transaction',
  transaction: 'AQAA',
  message: '1.50 USDC to Tea house',
  links: { next: { type: 'inline', action: exampleCompleted } },
};

export const actionsPath = '/actions.json';
export const payPath = '/pay/:id';

const params = Type.Object({ id: Type.String({ description: 'The `id` of the link.', examples: [exampleLinkId] }) });
const amount = Type.Optional(
  Type.String({
    description: 'Where the payer chooses: how much, in whole tokens as exact decimal text.',
    examples: ['1.5'],
  }),
);

const mint = Type.Optional(
  Type.String({
    description: 'Where the payer chooses the token: its mint. Default: the first that the link accepts.',
    examples: ['Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1'],
  }),
);

/** The options of every route of wallets, which have headers of their own for pages of any origin. */
export const walletRoute = { config: { cors: false as const }, attachValidation: true };
const described = { tags: ['Payment links'], security: [] };

const upstreamFaults = ['upstream_error', 'upstream_unavailable', 'overloaded', 'upstream_timeout'] as const;
// Of a sponsored link.
const sponsorProblems = [
  ...(['sponsored_payment_open', 'sponsor_not_configured', 'sponsor_refused', 'sponsor_fee_too_high'] as const),
  ...(['sponsor_error', 'sponsor_unavailable', 'sponsor_timeout', 'daily_limit_reached', 'key_not_allowed'] as const),
] satisfies readonly ProblemCode[];
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
        'For a browser, and for robots that make previews of links, the page; otherwise what a wallet reads: a Solana Pay transaction request and a Solana Action in one. Pages of any ' +
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
      querystring: Type.Object({ amount, mint }),
      body: payRequestSchema,
      response: {
        200: replyOf('The unsigned transaction.', payReplySchema, {
          examples: { payment: { value: examplePayReply } },
        }),
        ...refusalsOf(
          ['payment'],
          [
            ...ofLink,
            'invalid_json',
            'missing_field',
            'wrong_type',
            'invalid_address',
            'invalid_amount',
            'invalid_value',
            'amount_out_of_bounds',
            'payment_link_changed',
            'payment_link_closed',
            'body_too_large',
            'unsupported_media_type',
            ...sponsorProblems,
            'internal_error',
          ],
        ),
      },
    },
  },
};
