import { type Static, type TSchema, Type } from 'typebox';
import { listQuery, nextCursor } from '../app/list-cursor.ts';
import { metadataQuery, metadataSchema } from '../app/metadata.ts';
import { addressPattern, closed, describeCodes, digits, enumeration, type SchemaNotes } from '../app/schema-parts.ts';
import { warnings } from '../transfers/reply-schema.ts';
import { paymentFlaws } from './records/payment-link.ts';

const address = (description: string): TSchema => Type.String({ description });
const amount = (description: string) => Type.String({ description: `${description}, in base units.`, ...digits });
const time = { format: 'date-time' } as const;

/** The amount as wallets show it. */
function uiAmount(of: string) {
  const description = `What wallets show for \`${of}\` now, in tokens; absent where they show it as it is. For display only.`;
  return Type.Optional(Type.String({ description }));
}

function nullable(description: string, more: { format?: 'date-time' } = {}) {
  return Type.Union([Type.String(more), Type.Null()], { description });
}

const flawMeanings: Readonly<Record<(typeof paymentFlaws)[number], string>> = {
  too_little: 'Less was sent, or arrived, than the link requires.',
  elsewhere: 'It pays another token account.',
  other_mint: 'It pays in another token.',
  other_link: 'The transfer does not carry the reference, or carries those of other links first.',
  nothing_stayed: 'What it paid was taken back, or withheld.',
  no_transfer: 'It transfers nothing.',
  not_shown: 'No node says what the account held before and after it. The service asks again until one does.',
};

/** A transfer that gives some of a payment back. */
const linkRefund = Type.Object(
  {
    reference: address('The address by which it is found on chain.'),
    payment_signature: Type.String({ description: 'The payment, in base58.' }),
    to_address: address('Who gets it back.'),
    token_mint_address: address('The mint of the token, or "SOL".'),
    amount: amount('How much'),
    state: enumeration(['issued', 'confirmed', 'finalized'], {
      description:
        '`issued`: its transaction was built, and may still land. One that never lands is left out. The others: how certain its block is.',
    }),
    signature: nullable('The transaction on chain, in base58; null while it is `issued`.'),
    created_at: Type.String({ description: 'When it was built.', format: 'date-time' }),
  },
  { component: 'PaymentLinkRefund', ...closed },
);

// Its enumerations have no names: in Go the values of a named one are names of their own, and `confirmed` would be there twice.
/** A successful transaction that names the reference of a link. */
const linkPayment = Type.Object(
  {
    signature: Type.String({ description: 'The transaction, in base58.' }),
    payer: Type.String({ description: 'The wallet that authorized the transfer; without one, the fee payer.' }),
    token_mint_address: address('The token that it pays in; where it does not count, the one that it is closest to.'),
    amount: amount('What was sent'),
    received_amount: amount('By how much more the recipient holds'),
    slot: Type.String({ description: 'Its slot.', ...digits }),
    block_time: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Seconds since 1970 at its block; null where the node does not say.',
    }),
    commitment: enumeration(['confirmed', 'finalized'], { description: 'How certain its block is.' }),
    counts: Type.Boolean({ description: 'Whether it pays the link.' }),
    flaw: Type.Optional(
      enumeration(paymentFlaws, {
        description: describeCodes('Why it does not count.', flawMeanings),
      }),
    ),
  },
  { component: 'PaymentLinkPayment', ...closed },
);

/** The token and the amounts of it. */
const tokenMembers = {
  token_mint_address: address('The mint of the token, or "SOL".'),
  amount: Type.Optional(amount('What is to be paid; absent where the payer chooses')),
  amount_min: Type.Optional(amount('The least that the payer may choose; absent where the amount is fixed')),
  amount_max: Type.Optional(amount('The most that the payer may choose; absent where the amount is fixed')),
  received_amount: Type.Optional(
    amount(
      'Of `paid`: what arrived. Before: what arrives at least, if the mint withholds a fee and the amount is fixed',
    ),
  ),
  received_amount_min: Type.Optional(
    amount('What arrives at least of `amount_min`; absent where the mint withholds nothing'),
  ),
  received_amount_max: Type.Optional(
    amount('What arrives at least of `amount_max`; absent where the mint withholds nothing'),
  ),
  ui_amount: uiAmount('amount'),
  ui_amount_min: uiAmount('amount_min'),
  ui_amount_max: uiAmount('amount_max'),
  decimals: Type.Integer({ description: 'The decimals of the mint.' }),
  token_symbol: nullable(
    'What the issuer calls the token, in the mint or at Metaplex; null where it has no name. Any token can have any name.',
  ),
  transfer_request_url: Type.Optional(
    Type.String({
      description:
        'The payment as a Solana Pay transfer request, for wallets that know no transaction requests. They do not learn when the ' +
        'link has ended. Absent where wallets show amounts of the token as other numbers, and of a sponsored link.',
    }),
  ),
};

const linkStates = ['open', 'paid', 'expired', 'cancelled'] as const;

export const linkSchema = Type.Object(
  {
    id: Type.String({ description: 'Its id: 16 characters of base58.' }),
    url: Type.String({ description: 'The page for people, and what wallets are sent to.' }),
    solana_pay_url: Type.String({
      description: 'The same as a Solana Pay transaction request, as the QR code has it.',
    }),
    action_url: Type.String({ description: 'The same as a Solana Action.' }),
    qr_svg_url: Type.String({ description: 'The QR code as an SVG image.' }),
    reference: address('The address by which its payments are found on chain.'),
    state: enumeration(linkStates, {
      description:
        '`paid` as soon as the chain shows a payment that counts, also after the link has expired. A link for any number of payments is never `paid`.',
    }),
    is_final: Type.Boolean({
      description: 'Whether the state can no longer change, for example because the payment is finalized.',
    }),
    to_address: address("The recipient's wallet."),
    ...tokenMembers,
    accepts: Type.Optional(
      Type.Array(Type.Object(tokenMembers, { component: 'AcceptedToken', ...closed }), {
        description:
          'Where the payer chooses the token: each of them. The members of the link itself are then those of the first, and of ' +
          '`paid` those of the one that was paid.',
      }),
    ),
    memo: nullable('What is written on chain with the payment.'),
    label: Type.String({ description: 'Who is paid.' }),
    message: nullable('What the payment is for.'),
    icon: nullable('The URL of an image.'),
    redirect: nullable('Where wallets go after the payment.'),
    metadata: metadataSchema,
    single_use: Type.Boolean({ description: 'Whether one payment closes it.' }),
    sponsored: Type.Boolean({ description: 'Whether the sponsor of this service pays the network fee of its payers.' }),
    max_sponsor_fee: Type.Optional(
      Type.String({
        description:
          'The most that the sponsor may take of one payment, in base units of the token that is paid; absent unless `sponsored`.',
        ...digits,
      }),
    ),
    created_at: Type.String({ description: 'When it was made.', ...time }),
    expires_at: Type.String({ description: 'When it can no longer be paid.', ...time }),
    cancelled_at: nullable('When it was canceled.', time),
    checked_at: nullable('When the chain was last asked for its payments.', time),
    signature: Type.Optional(Type.String({ description: 'The payment that counts, in base58. Of `paid`.' })),
    payer: Type.Optional(Type.String({ description: 'Who has paid. Of `paid`.' })),
    payments: Type.Array(linkPayment, {
      description:
        'Every transaction that names the reference, the oldest first, also those that do not count. In a list: those that count.',
    }),
    refunds: Type.Array(linkRefund, { description: 'What was refunded or may still be, the oldest first.' }),
    flawed_payment_count: Type.Optional(
      Type.Integer({ description: 'In a list: how many transactions name the reference and do not count.' }),
    ),
    warnings: Type.Optional(warnings),
  },
  { component: 'PaymentLink', ...closed },
);

export type LinkJson = Static<typeof linkSchema>;

export const linkStatusTexts = {
  created: 'payment link created successfully',
  found: 'payment link found successfully',
  listed: 'payment links listed successfully',
  cancelled: 'payment link cancelled successfully',
} as const;

export const linkReplyNames = ['created', 'found', 'cancelled'] as const;

const ids = { created: 'CreatedPaymentLinkReply', found: 'PaymentLinkReply', cancelled: 'CancelledPaymentLinkReply' };

export function linkReplySchema(name: (typeof linkReplyNames)[number]) {
  return Type.Object(
    { data: linkSchema, status: enumeration([linkStatusTexts[name]]) },
    { component: ids[name], ...closed },
  );
}

// RFC 3339.
const timePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$';
const moment = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      pattern: timePattern,
      expected: 'a time, such as 2026-11-28T00:00:00Z',
      examples: ['2026-11-28T00:00:00Z'],
    } satisfies SchemaNotes & Record<string, unknown>),
  );

/** Which links to list. */
export const linkListQuery = Type.Object(
  {
    state: Type.Optional(
      enumeration(linkStates, {
        description:
          'Only those in this state, as of the last check of each: a link that nobody has looked at since it was paid is among the `open` ones.',
        examples: ['paid'],
      }),
    ),
    created_from: moment('Only those made at this time or later.'),
    created_to: moment('Only those made before this time.'),
    metadata: metadataQuery,
    reference: Type.Optional(
      Type.String({
        description: 'Only that with this reference.',
        pattern: addressPattern,
        examples: ['ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg'],
      }),
    ),
    ...listQuery,
  },
  closed,
);

export const linkListSchema = Type.Object(
  {
    data: Type.Array(linkSchema, { description: 'The newest first.' }),
    next_cursor: nextCursor,
    status: enumeration([linkStatusTexts.listed]),
  },
  { component: 'PaymentLinkListReply', ...closed },
);
