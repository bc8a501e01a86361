import { type Static, Type } from 'typebox';
import { metadataSchema } from '../app/metadata.ts';
import { addressPattern, amountPattern, closed, type SchemaNotes, u64Pattern } from '../app/schema-parts.ts';
import type { TransferOperation } from '../operation.ts';
import { sponsorName } from '../sponsor/sponsor-fields.ts';
import {
  addressField,
  allowOffCurveRecipient,
  amount,
  amountDecimal,
  amountOrMax,
  amountReceived,
  amountReceivedDecimal,
  choice,
  exampleMint,
  exampleRecipient,
  exampleSender,
  flag,
  fromAddress,
  memo,
  otherWallet,
  priorityFee,
  references,
  simulate,
  text,
  toAddress,
  tokenMintAddress,
  tokenMintAddressOrSol,
  yid,
} from './transfer-fields.ts';

/** The paths that build transfers. */
export const paths = {
  memoTransfer: '/v1/token-transfer-memo-hash',
  createTransfer: '/v1/create-token-account-transfer',
  transfers: '/v1/transfers',
  batch: '/v1/transfers/batch',
} as const;

/** A path that builds transfers. */
export type TransferPath = (typeof paths)[keyof typeof paths];

// The fees of the operations that no sponsor pays for.
const legacyFees = {
  fee_payer: Type.Optional(
    addressField({
      description:
        'A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the ' +
        'sender signs second, and needs no SOL.',
      examples: [exampleRecipient],
      synonyms: ['payer', 'feepayeraddress'],
    }),
  ),
  priority_fee: priorityFee,
};

// The options of every operation, but for fees.
const commonOptions = {
  nonce_account: Type.Optional(
    addressField({
      description:
        'A durable nonce account, whose nonce replaces the blockhash. Its authority signs, too: the sender, the fee payer, or any ' +
        'other wallet. For approvals that take longer than a blockhash lives.',
      examples: ['gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU'],
    }),
  ),
  transaction_version: Type.Optional(
    choice(['legacy', 0, 1], {
      description:
        'The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet.',
      default: 'legacy',
      examples: [0],
    }),
  ),
  allow_off_curve_recipient: Type.Optional(allowOffCurveRecipient),
  checks: Type.Optional(
    choice(['full', 'none'], {
      description:
        '"none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they ' +
        'are funded. What decides who receives the money, and what could never land, is still refused. Fund the fee payer before ' +
        'you submit the transaction.',
      default: 'full',
      examples: ['none'],
    }),
  ),
};

// The fees of the operations that a sponsor can pay for.
const fees = {
  fee_payer: Type.Optional(
    text({
      description:
        'A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the ' +
        'sender signs second, and needs no SOL. "sponsor": the sponsor of this service, which has signed the transaction in the reply.',
      pattern: `^(${sponsorName}|[1-9A-HJ-NP-Za-km-z]{32,44})$`,
      expected: 'a wallet or "sponsor", as a JSON string',
      examples: [exampleRecipient],
      synonyms: ['payer', 'feepayeraddress'],
    }),
  ),
  priority_fee: priorityFee,
  sponsor_fee_token_mint_address: Type.Optional(
    addressField({
      description:
        'The token that a sponsor is paid in, by one more payment of the sender; by default the token that is sent. Counts only with ' +
        '`fee_payer` "sponsor".',
      examples: [exampleMint],
    }),
  ),
  max_sponsor_fee: Type.Optional(
    text({
      description:
        'The most that a sponsor may take of the sender for this request, in base units of the token that it is paid in. A sponsor that asks ' +
        'for more is not used. Counts only with `fee_payer` "sponsor".',
      pattern: u64Pattern,
      default: '0',
      examples: ['100000'],
    }),
  ),
};

// The options of the operations whose caller chooses the shape of the reply.
const replyOptions = {
  encoding: Type.Optional(
    choice(['array', 'base64', 'base58'], {
      description: 'How the reply encodes the transaction: an array of integers, or one string.',
      default: 'array',
      examples: ['base64'],
    }),
  ),
  summary: Type.Optional(
    flag({
      description: 'Add to the reply a `summary` of what the transaction will do.',
      default: false,
      examples: [true],
    }),
  ),
};

const createTokenAccount = Type.Optional(
  choice(['if_missing', 'always', 'never'], {
    description:
      "When to create a recipient's token account: where it is missing, always (without effect where it exists), or never. " +
      'Unless "never", a frozen account of a Token ACL mint is also thawed, except in a batch.',
    default: 'if_missing',
    examples: ['always'],
  }),
);

// The options of `/v1/transfers` alone.
const transferOptions = {
  splits: Type.Optional(
    Type.Array(
      Type.Object({ to_address: toAddress, amount }, {
        component: 'Split',
        reportsUnknownFieldsOnce: true,
        ...closed,
      } satisfies SchemaNotes & typeof closed),
      {
        description:
          "Up to 5 more payments of the same mint in the same transaction, before the main one: a platform's fee, a partner's " +
          'share. `amount` is in base units. The sender pays all of them or none. A recipient whose token account requires ' +
          'memos cannot get a split.',
        maxItems: 5,
        examples: [[{ to_address: otherWallet, amount: '15000' }]],
      } satisfies SchemaNotes & Record<string, unknown>,
    ),
  ),
  tip: Type.Optional(
    Type.Object(
      {
        account: addressField({
          description: 'One of the tip accounts that the sender publishes.',
          examples: [otherWallet],
        }),
        lamports: text({ description: 'How much, in lamports.', pattern: amountPattern, examples: ['200000'] }),
      },
      {
        component: 'Tip',
        description:
          'SOL that the fee payer pays in the last instruction, for services that send transactions and demand a tip. See `docs/sol.md`.',
        examples: [{ account: otherWallet, lamports: '200000' }],
        ...closed,
      } satisfies SchemaNotes & Record<string, unknown>,
    ),
  ),
  wrap: Type.Optional(
    flag({
      description:
        'Of wrapped SOL: first wrap as much SOL of the sender as its token account lacks, and create that where it is missing. Not with `amount` ' +
        '"max", nor with `fee_payer` "sponsor".',
      default: false,
      examples: [true],
    }),
  ),
  unwrap: Type.Optional(
    flag({
      description:
        "Of wrapped SOL: close the sender's token account after the payments, so that all that is left in it comes back as SOL.",
      default: false,
      examples: [true],
    }),
  ),
  layout: Type.Optional(
    choice(['default', 'x402', 'mpp'], {
      description:
        'The order of the instructions. "x402" is what facilitators of the x402 scheme "exact" accept: compute limit, price, ' +
        'transfer, memo. "mpp" is what servers of the Machine Payments Protocol accept for a charge. "x402" needs `fee_payer` ' +
        '(the facilitator), adds a memo of 16 random bytes in hex if there is none, and excludes a created token account, ' +
        '`splits`, `nonce_account`, version 1 and a transfer hook. "mpp" creates token accounts of splits only, and excludes ' +
        '`nonce_account` and version 1.',
      default: 'default',
      examples: ['default'],
    }),
  ),
  recent_blockhash: Type.Optional(
    text({
      description:
        'The blockhash that the transaction is to have, such as `extra.recentBlockhash` of an x402 answer. Refused unless the ' +
        'Solana node still accepts transactions with it. Not together with `nonce_account`.',
      pattern: addressPattern,
      expected: 'a blockhash, as a JSON string',
      examples: ['GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W'],
    }),
  ),
  last_valid_block_height: Type.Optional(
    text({
      description:
        'The last block height at which `recent_blockhash` is valid, in decimal digits, such as `extra.lastValidBlockHeight` of ' +
        'an x402 answer. Refused if that cannot be. It is returned in `lifetime`, and is not part of the transaction.',
      pattern: u64Pattern,
      examples: ['291470237'],
    }),
  ),
  allow_off_curve_sender: Type.Optional(
    flag({
      description:
        "The sender may be a multisig's vault, for which no key signs. The transaction is then for import into a proposal of the multisig: " +
        'see `docs/vaults.md`. Of the other options it takes `splits`, `memo`, `references`, `checks`, and when to create token accounts.',
      default: false,
      examples: [true],
    }),
  ),
};

const exampleTransfers = [
  { to_address: exampleRecipient, amount: '1500000', memo: 'salary 11/2026' },
  { to_address: otherWallet, amount_decimal: '2.5' },
];
const transfers = Type.Array(
  Type.Object(
    {
      to_address: toAddress,
      token_mint_address: Type.Optional(tokenMintAddressOrSol),
      amount_decimal: Type.Optional(amountDecimal),
      amount: Type.Optional(amount),
      memo: Type.Optional(memo),
      references,
    },
    { component: 'BatchTransfer', reportsUnknownFieldsOnce: true, ...closed } satisfies SchemaNotes & typeof closed,
  ),
  {
    description:
      'Up to 1,000 transfers, each with `to_address`, with `amount` in base units or `amount_decimal` in whole tokens, and with ' +
      'a memo, references, and a `token_mint_address` other than that of the batch, where these are wanted. A recipient listed twice is paid both amounts.',
    minItems: 1,
    maxItems: 1_000,
    examples: [exampleTransfers],
    synonyms: ['payments', 'recipients'],
  } satisfies SchemaNotes & Record<string, unknown>,
);

const parties = { from_address: fromAddress, to_address: toAddress, token_mint_address: tokenMintAddress };
const legacyFields = {
  ...parties,
  amount,
  memo: Type.Optional(memo),
  yid: Type.Optional(yid),
  ...legacyFees,
  ...commonOptions,
  references,
  simulate,
  ...replyOptions,
};

/** The examples of a request, by the names of the operations: requests that work in the sandbox. */
const examplesOf = (bodies: Readonly<Partial<Record<TransferOperation, object>>>) => ({
  'x-examples': Object.fromEntries(Object.entries(bodies).map(([name, value]) => [name, { value }])),
});

const exampleParties = {
  from_address: exampleSender,
  to_address: exampleRecipient,
  token_mint_address: exampleMint,
};

/** A request that shows an operation, and works in the sandbox. */
export const exampleTransfer = { ...exampleParties, amount: '1500000' };

/** The same payment in whole tokens. */
export const exampleOfTokens = { ...exampleParties, amount_decimal: '1.5' };

// One object for both operations, with their difference in words: generated clients cannot use alternatives of whole bodies.
/** The body of the operations with `memo` and with `yid`. */
export const tokenTransferBody = Type.Object(legacyFields, {
  component: 'TokenTransferRequest',
  description: 'Takes exactly one of `memo` and `yid`.',
  ...closed,
  ...examplesOf({
    memo_transfer: { ...exampleTransfer, memo: 'invoice 1001' },
    yid_transfer: { ...exampleTransfer, yid: 'yid-1001' },
  }),
});

/** The body of the operation that creates the recipient's token account. */
export const createTransferBody = Type.Object(legacyFields, {
  component: 'CreateTokenAccountTransferRequest',
  description: 'Takes one of `memo` and `yid`, or neither.',
  ...closed,
  ...examplesOf({ create_transfer: exampleTransfer }),
});

/** The body of `/v1/transfers`: its fields in the order in which people need them. */
export const transferBody = Type.Object(
  {
    ...parties,
    token_mint_address: tokenMintAddressOrSol,
    amount_decimal: Type.Optional(amountDecimal),
    amount: Type.Optional(amountOrMax),
    memo: Type.Optional(memo),
    references,
    ...fees,
    create_token_account: createTokenAccount,
    metadata: Type.Optional(metadataSchema),
    amount_received_decimal: Type.Optional(amountReceivedDecimal),
    amount_received: Type.Optional(amountReceived),
    ...transferOptions,
    simulate,
    ...commonOptions,
  },
  {
    component: 'TransferRequest',
    description: 'Takes exactly one of `amount_decimal`, `amount`, `amount_received_decimal` and `amount_received`.',
    ...closed,
    ...examplesOf({ transfer: exampleOfTokens }),
  },
);

/** A batch that works in the sandbox. */
export const exampleBatch = {
  from_address: exampleSender,
  token_mint_address: exampleMint,
  transfers: exampleTransfers,
};

/** The body of a batch. */
export const batchBody = Type.Object(
  {
    from_address: fromAddress,
    token_mint_address: tokenMintAddressOrSol,
    transfers,
    ...fees,
    create_token_account: createTokenAccount,
    metadata: Type.Optional(metadataSchema),
    skip_refused: Type.Optional(
      flag({
        description:
          'Build what can be paid, and list the transfers that are refused, instead of refusing the batch. What is wrong with all of ' +
          'it, such as too few tokens, still refuses it. It may be added or left out under the same `Idempotency-Key`.',
        default: false,
        examples: [true],
      }),
    ),
    ...commonOptions,
  },
  {
    component: 'BatchRequest',
    description: 'Each transfer takes exactly one of `amount` and `amount_decimal`.',
    ...closed,
    ...examplesOf({ batch: exampleBatch }),
  },
);

/** Every field of a transfer. */
export type TransferFields = Static<typeof transferBody> & Static<typeof tokenTransferBody> & Static<typeof batchBody>;
