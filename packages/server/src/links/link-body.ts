import { Type } from 'typebox';
import { metadataSchema } from '../app/metadata.ts';
import { amountPattern, closed, type SchemaNotes, u64Pattern } from '../app/schema-parts.ts';
import {
  allowOffCurveRecipient,
  amount,
  amountDecimal,
  memo,
  toAddress,
  tokenMintAddressOrSol,
} from '../transfers/transfer-fields.ts';
import { exampleTransfer } from '../transfers/transfer-schema.ts';

// The characters of URLs (RFC 3986), so that nothing in it can be shown as something else, or end an attribute; without a user name,
// which looks like a host.
const https = 'https://[A-Za-z0-9.:\\[\\]-]+';
const afterHost = "([/?#][A-Za-z0-9._~:/?#@!$&'()*+,;=%\\[\\]-]*)?$";
// A shop that is being built runs on the machine of its maker.
const loopback = 'http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?';
// At least one character that is seen: no white space, control, direction mark or filler. Written out for validators without Unicode.
const unseen =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0';
const visiblePattern = `^[^\\u0000]*[^${unseen}][^\\u0000]*$`;

const url = (notes: { description: string; examples: readonly string[] }, origin = https) =>
  Type.String({
    ...notes,
    pattern: `^(${origin})${afterHost}`,
    maxLength: 500,
    expected: 'an https:// URL without a user name: percent-encode characters that URLs do not have',
  } satisfies SchemaNotes & Record<string, unknown>);

const bound = (notes: { description: string; examples: readonly string[] }) =>
  Type.String({ ...notes, pattern: amountPattern });

export const linkBody = Type.Object(
  {
    to_address: toAddress,
    token_mint_address: Type.Optional(tokenMintAddressOrSol),
    amount_decimal: Type.Optional(amountDecimal),
    amount: Type.Optional(amount),
    label: Type.String({
      description: 'Who is paid, as wallets and the page show it: 1 to 80 characters.',
      minLength: 1,
      maxLength: 80,
      pattern: visiblePattern,
      expected: 'a text with a visible character, without U+0000',
      examples: ['Tea house'],
    }),
    message: Type.Optional(
      Type.String({
        description: 'What the payment is for, as wallets and the page show it: up to 200 characters.',
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000]*$',
        expected: 'a text without U+0000',
        examples: ['Table 7, two cups of tea'],
      }),
    ),
    memo: Type.Optional(memo),
    redirect: Type.Optional(
      url(
        {
          description:
            'The `https:` URL to which the page and wallets go after the payment. On the sandbox also `http://localhost`.',
          examples: ['https://shop.example/thanks'],
        },
        `${https}|${loopback}`,
      ),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        description: 'For how many seconds the link can be paid: 60 to 31536000, which is a year.',
        minimum: 60,
        maximum: 31_536_000,
        default: 604_800,
        examples: [3_600],
      }),
    ),
    single_use: Type.Optional(
      Type.Boolean({
        description:
          'Whether one payment closes the link. Otherwise it can be paid any number of times until it expires.',
        default: true,
        examples: [false],
      }),
    ),
    metadata: Type.Optional(metadataSchema),
    amount_min: Type.Optional(
      bound({
        description:
          'The least that the payer may choose to pay, in base units as `amount`. With `amount_max`, instead of `amount`.',
        examples: ['1000000'],
      }),
    ),
    amount_max: Type.Optional(
      bound({
        description:
          'The most that the payer may choose to pay, in base units as `amount`. With `amount_min`, instead of `amount`.',
        examples: ['100000000'],
      }),
    ),
    accepts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            token_mint_address: tokenMintAddressOrSol,
            amount_decimal: Type.Optional(amountDecimal),
            amount: Type.Optional(amount),
          },
          {
            component: 'TokenToAccept',
            description: 'A token, and `amount` or `amount_decimal` of it.',
            ...closed,
          },
        ),
        {
          description:
            'Up to 5 tokens with an amount each, of which the payer chooses one, instead of `token_mint_address` and an amount.',
          minItems: 1,
          maxItems: 5,
          examples: [[{ token_mint_address: exampleTransfer.token_mint_address, amount: exampleTransfer.amount }]],
        },
      ),
    ),
    icon: Type.Optional(
      url({
        description:
          "The `https:` URL of an image (SVG, PNG or WebP) that wallets show. The page shows it only if the service's operator " +
          'allows its origin.',
        examples: ['https://shop.example/icon.png'],
      }),
    ),
    sponsored: Type.Optional(
      Type.Boolean({
        description:
          'Whether the sponsor of this service pays the network fee of every payer, who then needs no SOL. Its transactions are signed by it, and ' +
          'a payer has one at a time.',
        default: false,
        examples: [true],
      }),
    ),
    max_sponsor_fee: Type.Optional(
      Type.String({
        description:
          'The most that the sponsor may take of one payment, in base units of the token that is paid. The payer pays it in addition. Counts only ' +
          'with `sponsored`.',
        pattern: u64Pattern,
        default: '0',
        examples: ['100000'],
      }),
    ),
    allow_off_curve_recipient: Type.Optional(allowOffCurveRecipient),
  },
  {
    component: 'CreatePaymentLinkRequest',
    description:
      'Takes `token_mint_address` with one of `amount` and `amount_decimal`, or with `amount_min` and `amount_max`; or `accepts`.',
    ...closed,
    'x-examples': {
      payment_link: {
        value: {
          to_address: exampleTransfer.to_address,
          token_mint_address: exampleTransfer.token_mint_address,
          amount: exampleTransfer.amount,
          label: 'Tea house',
        },
      },
    },
  },
);
