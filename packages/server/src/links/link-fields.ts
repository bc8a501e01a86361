import { decimalPattern, type FieldRow, type FieldUse } from '../app/field-row.ts';

const needed = { payment_link: 'needed' } as const satisfies FieldUse;
const option = { payment_link: 'option' } as const satisfies FieldUse;

const amountPattern = `^(${decimalPattern(2n ** 64n - 1n)})$`;
// The characters of URLs (RFC 3986), so that nothing in it can be shown as something else, or end an attribute; without a user name,
// which looks like a host.
const httpsPattern = "^https://[A-Za-z0-9.:\\[\\]-]+([/?#][A-Za-z0-9._~:/?#@!$&'()*+,;=%\\[\\]-]*)?$";
// At least one character that is seen: no white space, control, direction mark or filler. Written out for validators without Unicode.
const unseen =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0';
const visiblePattern = `^[^\\u0000]*[^${unseen}][^\\u0000]*$`;

/** The fields that `/v1/payment-links` alone takes: rows of the table of fields. */
export const linkFields = {
  amount_min: {
    property: 'amountMin',
    kind: 'text',
    operations: option,
    description:
      'The least that the payer may choose to pay, in base units as `amount`. With `amount_max`, instead of `amount`.',
    pattern: amountPattern,
    example: '1000000',
  },
  amount_max: {
    property: 'amountMax',
    kind: 'text',
    operations: option,
    description:
      'The most that the payer may choose to pay, in base units as `amount`. With `amount_min`, instead of `amount`.',
    pattern: amountPattern,
    example: '100000000',
  },
  label: {
    property: 'label',
    kind: 'text',
    operations: needed,
    description: 'Who is paid, as wallets and the page show it: 1 to 80 characters.',
    pattern: visiblePattern,
    minLength: 1,
    maxLength: 80,
    example: 'Tea house',
  },
  message: {
    property: 'message',
    kind: 'text',
    operations: option,
    description: 'What the payment is for, as wallets and the page show it: up to 200 characters.',
    pattern: '^[^\\u0000]*$',
    minLength: 1,
    maxLength: 200,
    example: 'Table 7, two cups of tea',
  },
  icon: {
    property: 'icon',
    kind: 'text',
    operations: option,
    description:
      "The `https:` URL of an image (SVG, PNG or WebP) that wallets show. The page shows it only if the service's operator " +
      'allows its origin.',
    pattern: httpsPattern,
    maxLength: 500,
    example: 'https://shop.example/icon.png',
  },
  redirect: {
    property: 'redirect',
    kind: 'text',
    operations: option,
    description: 'The `https:` URL that wallets open after the payment.',
    pattern: httpsPattern,
    maxLength: 500,
    example: 'https://shop.example/thanks',
  },
  expires_in: {
    property: 'expiresIn',
    kind: 'integer',
    operations: option,
    description: 'For how many seconds the link can be paid: 60 to 31536000, which is a year.',
    min: 60,
    max: 31_536_000,
    default: 604_800,
    example: 3_600,
  },
  single_use: {
    property: 'isSingleUse',
    kind: 'flag',
    operations: option,
    description: 'Whether one payment closes the link. Otherwise it can be paid any number of times until it expires.',
    default: true,
    example: false,
  },
} as const satisfies Record<string, FieldRow>;
