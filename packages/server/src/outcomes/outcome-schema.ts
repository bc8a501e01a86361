import { type Static, type TSchema, Type } from 'typebox';
import {
  address,
  closed,
  describeCodes,
  digits,
  enumeration,
  exampleLastValidBlockHeight,
  exampleTransactions,
  type SchemaNotes,
  transactionSchema,
  u64Pattern,
} from '../app/schema-parts.ts';
import { outcomeReasons } from './outcome-words.ts';

const signatures = (description: string): TSchema => Type.Array(Type.String(), { description });

/** How many transactions a body may ask about. */
export const maxTransactions = 100;

const lastValidBlockHeight = Type.Optional(
  Type.String({
    description:
      'The last block height at which the transaction can land, as it came with it: `lifetime.last_valid_block_height`, or the header ' +
      '`Solana-Last-Valid-Block-Height`. Without it no outcome can be `expired`. Not used for a transaction with a nonce.',
    pattern: u64Pattern,
    expected: 'a JSON string of decimal digits',
    examples: [exampleLastValidBlockHeight],
  } satisfies SchemaNotes & Record<string, unknown>),
);

const ofTransaction = Type.Optional(
  Type.String({ description: 'As in `lifetime` of the reply: it must be that of the transaction.' }),
);
const lifetime = {
  last_valid_block_height: lastValidBlockHeight,
  blockhash: ofTransaction,
  nonce: ofTransaction,
  nonce_account: ofTransaction,
};

/** One of several transactions to find. */
export const transactionToFind = Type.Object(
  { transaction: transactionSchema, ...lifetime },
  { component: 'TransactionToFind', ...closed },
);

/** The body of a request. */
export const outcomeBody = Type.Object(
  {
    transaction: Type.Optional(transactionSchema),
    ...lifetime,
    transactions: Type.Optional(
      Type.Array(transactionToFind, {
        description: 'Several transactions. The reply has their outcomes in the same order.',
        minItems: 1,
        maxItems: maxTransactions,
      }),
    ),
  },
  {
    component: 'OutcomeRequest',
    description:
      'Takes `transaction`, with `last_valid_block_height`, or `transactions`, each with its own `last_valid_block_height`.',
    ...closed,
    'x-examples': {
      one: {
        value: {
          transaction: exampleTransactions.memo_transfer,
          last_valid_block_height: exampleLastValidBlockHeight,
        },
      },
      several: {
        value: {
          transactions: [
            { transaction: exampleTransactions.transfer, last_valid_block_height: exampleLastValidBlockHeight },
            { transaction: exampleTransactions.create_transfer },
          ],
        },
      },
    },
  },
);

const payment = Type.Object(
  {
    recipient: Type.Union([address, Type.Null()], {
      description: 'The wallet that owned the token account; null where the node does not say.',
    }),
    recipient_token_account: Type.Union([address, Type.Null()], { description: 'null where SOL was paid.' }),
    amount: Type.String({ description: 'What the transfer was for, in base units.', ...digits }),
    received_amount: Type.Union([Type.String({ ...digits }), Type.Null()], {
      description:
        'What arrived, in base units: less than the amount where the mint withholds a fee; null where the node does not say.',
    }),
  },
  { component: 'OutcomePayment', ...closed },
);

// One object for all outcomes, of which generators make usable clients. Its enumerations have no names: in Go the values of a named one
// are names of their own, and `failed` would be there twice.
/** The outcome of one transaction. */
const verdict = Type.Object(
  {
    outcome: enumeration(['landed', 'failed', 'pending', 'expired', 'unknown'], {
      description:
        '`landed`: it paid. `failed`: it is on chain and moved nothing. `pending`: it can still land. `expired`: it never landed and ' +
        'never can. `unknown`: not known now.',
    }),
    is_final: Type.Boolean({
      description: 'Whether the outcome can no longer change: `expired` always, `landed` and `failed` once finalized.',
    }),
    reason: Type.String({ description: 'Why, with the numbers and what to do, in sentences.' }),
    reason_code: Type.Optional(
      enumeration<string>(Object.keys(outcomeReasons), {
        description: describeCodes(
          'The stable code of the reason of `pending` and `unknown`; more may be added.',
          outcomeReasons,
        ),
      }),
    ),
    signature: Type.Optional(
      Type.String({ description: 'The transaction on chain, in base58. Of `landed` and `failed`.' }),
    ),
    matched_by: Type.Optional(
      enumeration(['signature', 'message', 'content'], {
        description:
          'How it was found: by its signature, by the same message, or by what it pays, where a wallet has changed it. Of `landed` and `failed`.',
      }),
    ),
    slot: Type.Optional(Type.String({ description: 'Its slot. Of `landed` and `failed`.', ...digits })),
    block_time: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'Seconds since 1970 at its block; null where the node does not say. Of `landed` and `failed`.',
      }),
    ),
    commitment: Type.Optional(
      enumeration(['confirmed', 'finalized'], { description: 'How certain its block is. Of `landed` and `failed`.' }),
    ),
    network_fee: Type.Optional(
      Type.String({
        description: 'What its fee payer paid, priority included, in lamports. Of `landed` and `failed`.',
        ...digits,
      }),
    ),
    payments: Type.Optional(
      Type.Array(payment, { description: 'What it paid, in the order of its transfers. Of `landed`.' }),
    ),
    ambiguous: Type.Optional(
      signatures(
        'All transactions that make exactly this payment, oldest first, if it is not known which of them it is.',
      ),
    ),
    similar: Type.Optional(signatures('Equal payments on chain that may be this one. Of `pending` and `unknown`.')),
    block_height: Type.Optional(
      Type.String({
        description: 'The finalized block height at the time. Of `pending`, `expired` and mostly `unknown`.',
        ...digits,
      }),
    ),
    last_valid_block_height: Type.Optional(
      Type.String({
        description:
          'The height of the last block in which it can be: one more than was sent, and 151 more for a transaction without ' +
          'signatures, because wallets replace its blockhash. Of `pending` and `expired`.',
        ...digits,
      }),
    ),
    nonce_used_by: Type.Optional(
      Type.String({ description: 'The transaction that used its nonce, in base58. Of `expired`, with a nonce.' }),
    ),
  },
  { component: 'TransferOutcome', ...closed },
);

/** The outcome of one transaction, as JSON. */
export type VerdictJson = Static<typeof verdict>;

/** The status text of a reply. */
export const outcomeStatusText = 'transfer outcome found successfully';

/** The success reply. */
export const outcomeReplySchema = Type.Object(
  {
    data: Type.Union([verdict, Type.Array(verdict)], {
      component: 'OutcomeData',
      description: 'One outcome, or a list of them if the request has `transactions`.',
    }),
    status: enumeration([outcomeStatusText]),
  },
  { component: 'OutcomeReply', ...closed },
);
