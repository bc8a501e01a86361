import { type TSchema, Type } from 'typebox';
import { closed, transactionSchema } from '../app/schema-parts.ts';
import { incomingQuery } from '../incoming/incoming-schema.ts';
import { linkBody } from '../links/link-body.ts';
import { outcomeBody } from '../outcomes/outcome-schema.ts';
import { amountDecimal, fromAddress, memo, toAddress, tokenMintAddressOrSol } from '../transfers/transfer-fields.ts';

export const instructions =
  'splwright builds unsigned payments on Solana. It holds no key: nothing is paid until the owner of the sending wallet signs and ' +
  'sends the transaction. Every payment has an `order`, the name that the person gives it, such as an invoice number. Use that name ' +
  'unchanged in every call about the payment, and never invent a second name for it: the same call under the same order pays once, ' +
  'however often it is repeated, for 24 hours. Amounts are strings in whole tokens. Never guess an address. If a call gets no ' +
  'answer, repeat it unchanged. If a refusal says that an order has other terms, has landed or may still land, tell the person, and ' +
  'do not build it under another order.';

const order = Type.String({
  description:
    'The name of this payment, as the person gives it: an invoice number, for example. The same in every call about it. Spelling ' +
    'counts, case and spaces do not.',
  minLength: 1,
  maxLength: 200,
});
const transfer = { to_address: toAddress, amount_decimal: amountDecimal, memo: Type.Optional(memo) };
const parties = { order, from_address: fromAddress, token_mint_address: tokenMintAddressOrSol };
const once =
  'Safe to repeat: the same call under the same order returns the same transaction while it can land, then what became of it. ' +
  'The same order with any other terms is refused.';
const answer =
  'Returns `request` and `reply`. Have the owner of from_address check, sign and send each transaction of `reply.data.transactions` ' +
  'before its last_valid_block_height, then call transfer_outcome.';
const { to_address, memo: linkMemo, label, message, expires_in } = linkBody.properties;

interface ToolDescription {
  description: string;
  input: TSchema;
  /** Whether it changes nothing. */
  isReadOnly: boolean;
}

/** The descriptions of the tools, by their names. */
export const toolDescriptions: Readonly<Record<string, ToolDescription>> = {
  build_transfer: {
    description: `Build one unsigned token payment. ${once} ${answer}`,
    input: Type.Object({ ...parties, ...transfer }, closed),
    isReadOnly: false,
  },
  build_batch: {
    description: `Build unsigned payments of one token to up to 1,000 recipients, under one order. ${once} ${answer}`,
    input: Type.Object(
      { ...parties, transfers: Type.Array(Type.Object(transfer, closed), { minItems: 1, maxItems: 1_000 }) },
      closed,
    ),
    isReadOnly: false,
  },
  transfer_outcome: {
    description:
      'Find out what became of a transaction: landed, failed, pending, expired or unknown. Safe to repeat. Only `expired`, or ' +
      '`failed` with is_final, means that it never pays: then repeat the build call under the same order.',
    input: Type.Object(
      {
        transaction: transactionSchema,
        last_valid_block_height: outcomeBody.properties.last_valid_block_height,
      },
      closed,
    ),
    isReadOnly: true,
  },
  create_payment_link: {
    description:
      'Create a link by which anyone can pay to_address once. Safe to repeat: the same call under the same order returns the same ' +
      'link, and other terms are refused. Returns the `url` to give to the payer, and the `id` for payment_link.',
    input: Type.Object(
      {
        order,
        to_address,
        token_mint_address: tokenMintAddressOrSol,
        amount_decimal: amountDecimal,
        label,
        message,
        memo: linkMemo,
        expires_in,
      },
      closed,
    ),
    isReadOnly: false,
  },
  payment_link: {
    description:
      'Read a payment link: its state and payments. Safe to repeat. It is paid for good when is_final is true.',
    input: Type.Object({ id: Type.String({ description: 'The `id` of the link.' }) }, closed),
    isReadOnly: true,
  },
  incoming: {
    description:
      'List what the watched wallets of this API key were paid, a page at a time; `next_cursor` reads the next. Safe to repeat.',
    input: Type.Object(incomingQuery.properties, closed),
    isReadOnly: true,
  },
  inspect_transaction: {
    description: 'Say in words what the bytes of a transaction do. Reads the bytes alone, not the chain.',
    input: Type.Object({ transaction: Type.String({ description: 'In base64, base58 or hex.' }) }, closed),
    isReadOnly: true,
  },
  verify_transaction: {
    description:
      'Check that the transactions of a `reply` do exactly what its `request` asks for, both as a build tool returned them. The ' +
      'owner of the key should check again where it signs: this service could be wrong about itself.',
    input: Type.Object(
      {
        request: Type.Unsafe<object>({ type: 'object', description: 'As a build tool returned it.' }),
        reply: Type.Unsafe<object>({ type: 'object', description: 'As a build tool returned it.' }),
      },
      closed,
    ),
    isReadOnly: true,
  },
};
