import { linkFields } from '../links/link-fields.ts';
import { transferFields } from '../transfers/transfer-fields.ts';
import { decimalPattern, type FieldRow, type FieldUse } from './field-row.ts';

/** The operations that pay one recipient. */
const neededBySingle = {
  memo_transfer: 'needed',
  yid_transfer: 'needed',
  create_transfer: 'needed',
  transfer: 'needed',
} as const satisfies FieldUse;
const optionOfSingle = {
  memo_transfer: 'option',
  yid_transfer: 'option',
  create_transfer: 'option',
  transfer: 'option',
} as const satisfies FieldUse;
const needed = { ...neededBySingle, batch: 'needed' } as const satisfies FieldUse;
const option = { ...optionOfSingle, batch: 'option' } as const satisfies FieldUse;

/** The operations whose caller chooses the shape of the reply. */
const optionOfOldShapes = {
  memo_transfer: 'option',
  yid_transfer: 'option',
  create_transfer: 'option',
} as const satisfies FieldUse;

const u64Pattern = decimalPattern(2n ** 64n - 1n);
const addressPattern = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

const onCreate = 'On `/v1/create-token-account-transfer` one of `memo` and `yid`, or neither.';

/**
 * Every field of a request body, by its name there: the one place that says which fields exist.
 *
 * The types of the values, their reader, the schemas of the OpenAPI document and the table of options in `docs/api.md` are made
 * from it. The examples of the needed fields together are requests that work in the sandbox when pasted.
 */
export const fields = {
  from_address: {
    property: 'from',
    kind: 'text',
    operations: needed,
    description:
      "The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it " +
      'also pays the network fee, and the rent of a created token account.',
    pattern: addressPattern,
    example: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  },
  to_address: {
    property: 'to',
    kind: 'text',
    operations: { ...neededBySingle, payment_link: 'needed' },
    description: "The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself.",
    pattern: addressPattern,
    example: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  },
  token_mint_address: {
    property: 'mint',
    kind: 'text',
    operations: { ...needed, payment_link: 'needed' },
    description: 'The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022.',
    pattern: addressPattern,
    example: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  },
  amount: {
    property: 'amount',
    kind: 'text',
    operations: { ...neededBySingle, transfer: 'option', payment_link: 'option' },
    description:
      'How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as ' +
      'a string of decimal digits from 1 to 18446744073709551615.',
    pattern: `^(${u64Pattern})$`,
    example: '1500000',
  },
  memo: {
    property: 'memo',
    kind: 'text',
    operations: { memo_transfer: 'needed', create_transfer: 'option', transfer: 'option', payment_link: 'option' },
    description:
      'Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction ' +
      '(916 bytes of UTF-8; 3,767 in version 1).',
    minLength: 1,
    example: 'invoice 1001',
    manual: { default: 'none', more: onCreate, bytes: '36 and the text', roundTrips: '0' },
  },
  yid: {
    property: 'yid',
    kind: 'text',
    operations: { yid_transfer: 'needed', create_transfer: 'option' },
    description:
      'An identifier, written on chain as the memo. On `/v1/token-transfer-memo-hash` it selects the reply with the ' +
      'transaction alone.',
    minLength: 1,
    example: 'yid-1001',
    manual: { default: 'none', more: onCreate, bytes: '36 and the text', roundTrips: '0' },
  },
  ...transferFields,
  ...linkFields,
  fee_payer: {
    property: 'feePayer',
    kind: 'text',
    operations: option,
    description:
      'A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first.',
    pattern: addressPattern,
    example: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
    manual: {
      default: 'the sender',
      more: 'The sender signs second, and needs no SOL.',
      bytes: '96',
      roundTrips: '0',
    },
  },
  priority_fee: {
    property: 'priorityFee',
    kind: 'text',
    operations: option,
    description:
      'The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent ' +
      'prices for the same accounts; or micro-lamports per compute unit in decimal digits.',
    pattern: `^(none|low|medium|high|0|${u64Pattern})$`,
    default: 'none',
    example: 'medium',
    manual: {
      more:
        "A level is capped at the operator's maximum. Adds a compute limit: the cost with the most expensive token program, " +
        'the memo, 120,000 units for each thaw, 16,980 units for three guard instructions that wallets insert, and 3,000 for newer ' +
        'programs (100,000 more if a transfer hook runs). Without the memo it is at most twice what is used plus 30,000 (with a hook or a ' +
        'thaw 120,000 more, and 8,000 for each of its accounts).',
      bytes: '52',
      roundTrips: '1 for a level, cached for 5 s; 0 for digits',
    },
  },
  nonce_account: {
    property: 'nonceAccount',
    kind: 'text',
    operations: option,
    description:
      'A durable nonce account, whose nonce replaces the blockhash; its authority must be the sender or the fee payer.',
    pattern: addressPattern,
    example: 'gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU',
    manual: {
      default: 'none',
      more: 'For approvals that take longer than a blockhash lives. `latestBlockhash` and `Solana-Blockhash` are the nonce.',
      bytes: '106 (74 on create)',
      roundTrips: '0',
    },
  },
  transaction_version: {
    property: 'transactionVersion',
    kind: 'choice',
    operations: option,
    description:
      'The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet.',
    choices: ['legacy', 0, 1],
    default: 'legacy',
    example: 0,
    manual: { bytes: '2 for 0; 14 for 1', roundTrips: '0' },
  },
  encoding: {
    property: 'encoding',
    kind: 'choice',
    operations: optionOfOldShapes,
    description: 'How the reply encodes the transaction: an array of integers, or one string.',
    choices: ['array', 'base64', 'base58'],
    default: 'array',
    example: 'base64',
    manual: { more: 'On `/v1/transfers` it is always base64.', bytes: '0', roundTrips: '0' },
  },
  references: {
    property: 'references',
    kind: 'list',
    operations: optionOfSingle,
    description:
      'Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay.',
    pattern: addressPattern,
    maxItems: 10,
    example: ['2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC'],
    manual: { default: 'none', more: 'Up to 10 addresses, each once.', bytes: '33 each', roundTrips: '0' },
  },
  allow_off_curve_recipient: {
    property: 'allowsOffCurveRecipient',
    kind: 'flag',
    operations: { ...option, payment_link: 'option' },
    description: 'Pay an address that no key can sign for, such as a vault, even if it has no token account yet.',
    default: false,
    example: true,
    manual: { bytes: '0', roundTrips: '0' },
  },
  checks: {
    property: 'checks',
    kind: 'choice',
    operations: option,
    description:
      '"none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they ' +
      'are funded.',
    choices: ['full', 'none'],
    default: 'full',
    example: 'none',
    manual: {
      more:
        'What decides who receives the money, and what could never land, is [still refused](errors.md#422). Fund the fee payer ' +
        'before you submit it: otherwise it can [fail in a block](exactly-once.md#a-fee-payer-without-sol), and must be built again.',
      bytes: '0',
      roundTrips: '0',
    },
  },
  simulate: {
    property: 'simulate',
    kind: 'flag',
    operations: optionOfSingle,
    description: 'Simulate the transaction on the Solana node first, and refuse it if that fails.',
    default: false,
    example: true,
    manual: {
      more: 'The refusal, `simulation_failed`, has the instruction, its program, the reason and the `logs`.',
      bytes: '0',
      roundTrips: '1',
    },
  },
  summary: {
    property: 'summary',
    kind: 'flag',
    operations: optionOfOldShapes,
    description: 'Add to the reply a `summary` of what the transaction will do.',
    default: false,
    example: true,
    manual: {
      more: '[Below](#the-summary). Always there on `/v1/transfers`.',
      bytes: '0',
      roundTrips: '0',
    },
  },
} as const satisfies Record<string, FieldRow>;
