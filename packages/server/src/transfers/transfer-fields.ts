import { decimalPattern, type FieldRow, type FieldUse } from '../app/field-row.ts';

const operations = { transfer: 'option' } as const satisfies FieldUse;
const ofBatchesToo = { transfer: 'option', batch: 'option' } as const satisfies FieldUse;

/** The fields that the three older operations do not take: rows of the table of fields. */
export const transferFields = {
  amount_decimal: {
    property: 'amountDecimal',
    kind: 'text',
    operations: { ...operations, payment_link: 'option' },
    description:
      'How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point ' +
      'than the mint has decimals are refused.',
    pattern: '^([1-9][0-9]*(\\.[0-9]+)?|0\\.[0-9]*[1-9][0-9]*)$',
    maxLength: 276,
    example: '1.5',
    manual: {
      default: '`amount`',
      more: 'Only on `/v1/transfers`, and of payment links.',
      bytes: '0',
      roundTrips: '0',
    },
  },
  create_token_account: {
    property: 'createTokenAccount',
    kind: 'choice',
    operations: ofBatchesToo,
    description:
      "When to create a recipient's token account: where it is missing, always (without effect where it exists), or never.",
    choices: ['if_missing', 'always', 'never'],
    default: 'if_missing',
    example: 'always',
    manual: {
      more:
        'Only on `/v1/transfers` and `/v1/transfers/batch`. Unless "never", a frozen account of a [Token ACL](#token-acl) mint is also thawed, ' +
        'except in a batch.',
      bytes: '106 for the first account created',
      roundTrips: '0, or 3 for a mint of Token ACL',
    },
  },
  layout: {
    property: 'layout',
    kind: 'choice',
    operations,
    description:
      'The order of the instructions. "x402" is what facilitators of the x402 scheme "exact" accept: compute limit, price, ' +
      'transfer, memo. "mpp" is what servers of the Machine Payments Protocol accept for a charge.',
    choices: ['default', 'x402', 'mpp'],
    default: 'default',
    example: 'default',
    manual: {
      more:
        'Only on `/v1/transfers`. "x402" needs `fee_payer` (the facilitator), adds a memo of 16 random bytes in hex where none ' +
        'is given, and excludes a created token account, splits, a nonce, version 1 and a transfer hook. "mpp" creates token ' +
        'accounts of splits only, and excludes a nonce and version 1.',
      bytes: '100 with a random memo in "x402", 8 in "mpp"',
      roundTrips: '0',
    },
  },
  recent_blockhash: {
    property: 'recentBlockhash',
    kind: 'text',
    operations,
    description:
      'The blockhash that the transaction is to have, such as `extra.recentBlockhash` of an x402 answer. Refused unless the ' +
      'Solana node still accepts transactions with it.',
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    example: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W',
    manual: {
      default: 'the newest one',
      more: 'Only on `/v1/transfers`. Not together with `nonce_account`.',
      bytes: '0',
      roundTrips: '0: one call, at the same time as the others',
    },
  },
  last_valid_block_height: {
    property: 'lastValidBlockHeight',
    kind: 'text',
    operations,
    description:
      'The last block height at which `recent_blockhash` is valid, in decimal digits, such as `extra.lastValidBlockHeight` of ' +
      'an x402 answer. Refused if that cannot be.',
    pattern: `^(0|${decimalPattern(2n ** 64n - 1n)})$`,
    example: '291470237',
    manual: {
      default: 'the highest that it can be',
      more: 'Only on `/v1/transfers`, with `recent_blockhash`. It goes into `lifetime` of the reply, and not into the transaction.',
      bytes: '0',
      roundTrips: '0',
    },
  },
  splits: {
    property: 'splits',
    kind: 'objects',
    name: 'Split',
    operations,
    description:
      "Up to 5 more payments of the same mint in the same transaction, before the main one: a platform's fee, a partner's " +
      'share. `amount` is in base units. The sender pays all of them or none.',
    noun: 'a split',
    members: ['to_address', 'amount'],
    optionalMembers: [],
    minItems: 0,
    maxItems: 5,
    example: [{ to_address: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC', amount: '15000' }],
    manual: {
      default: 'none',
      more: 'Only on `/v1/transfers`. A recipient whose token account requires memos cannot get a split.',
      bytes: '47 each, 89 with its token account created',
      roundTrips: '0',
    },
  },
  transfers: {
    property: 'transfers',
    kind: 'objects',
    name: 'BatchTransfer',
    operations: { batch: 'needed' },
    description:
      'Up to 1,000 transfers, each with `to_address`, with `amount` in base units or `amount_decimal` in whole tokens, and with ' +
      'a memo and references of its own where these are wanted. A recipient listed twice is paid both amounts.',
    noun: 'a transfer',
    members: ['to_address'],
    optionalMembers: ['amount', 'amount_decimal', 'memo', 'references'],
    minItems: 1,
    maxItems: 1_000,
    example: [
      { to_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu', amount: '1500000', memo: 'salary 11/2026' },
      { to_address: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC', amount_decimal: '2.5' },
    ],
  },
} as const satisfies Record<string, FieldRow>;
