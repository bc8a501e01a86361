import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type BatchSummary,
  formatAmount,
  type Lifetime,
  type SponsorFeeSummary,
  shownAmount,
  systemProgram,
  type TokenMetadata,
  type TransferPlan,
  type TransferSummary,
} from 'splwright-core';
import type { Static } from 'typebox';
import { hashMessage, messageHashText } from '../app/message-hash.ts';
import { exampleBlockhash, exampleLastValidBlockHeight } from '../app/schema-parts.ts';
import type { KeyedReply } from '../idempotency/keyed-requests.ts';
import type { TransferOperation } from '../operation.ts';
import {
  type BatchData,
  type LifetimeJson,
  type replySchemas,
  statusTexts,
  type summarySchema,
} from './reply-schema.ts';
import { describeWarning } from './words/warning-words.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the reply is one that was built for an earlier request with the same `Idempotency-Key`. */
    isReplay: boolean;
  }
}

/** Sends the reply to a request with an `Idempotency-Key`, and says whether it was built for an earlier one. */
export function sendKeyed(request: FastifyRequest, reply: FastifyReply, answered: KeyedReply): FastifyReply {
  if (answered.isReplay) {
    request.isReplay = true;
    reply.header('idempotency-replayed', 'true');
  }
  return reply.headers(answered.headers).type('application/json').send(answered.reply);
}

/** The headers of a reply with a transaction. */
export const lifetimeHeaderSchemas = {
  'Solana-Blockhash': {
    type: 'string',
    description: 'The blockhash in the transaction, or the nonce.',
    examples: [exampleBlockhash],
  },
  'Solana-Last-Valid-Block-Height': {
    type: 'string',
    description: 'The last block height at which the transaction can land; absent with a nonce, which does not expire.',
    pattern: '^[0-9]+$',
    examples: [exampleLastValidBlockHeight],
  },
};

/** The headers that say how long a transaction can land. */
export function lifetimeHeaders(lifetime: Lifetime): Readonly<Record<string, string>> {
  // A nonce has no last block height: it is valid until it is advanced.
  return 'blockhash' in lifetime
    ? {
        'solana-blockhash': lifetimeToken(lifetime),
        'solana-last-valid-block-height': lifetime.lastValidBlockHeight.toString(),
      }
    : { 'solana-blockhash': lifetimeToken(lifetime) };
}

/** The blockhash that a transaction lives by, or the nonce. */
export function lifetimeToken(lifetime: Lifetime): string {
  return 'blockhash' in lifetime ? lifetime.blockhash : lifetime.nonce;
}

/** The `lifetime` of a reply; `nonce` is that of the plan. */
export function lifetimeJson(nonce: TransferPlan['nonce'], lifetime: Lifetime): LifetimeJson {
  if (nonce) return { nonce: nonce.nonce, nonce_account: nonce.account };
  if ('nonce' in lifetime) throw new Error('a transaction lives by a nonce that is not in its plan');
  const { blockhash, lastValidBlockHeight } = lifetime;
  return { blockhash, last_valid_block_height: lastValidBlockHeight.toString() };
}

/** Encodes bytes in base64 (RFC 4648, padded). */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The `data` of the reply of `/v1/transfers`. */
export type TransferData = Static<typeof replySchemas.transfer>['data'];

/** The JSON text of the reply of `/v1/transfers`. */
export function transferText(data: TransferData): string {
  return JSON.stringify({ data, status: statusTexts.transfer });
}

/** The JSON text of the reply to a batch. */
export function batchText(data: BatchData): string {
  return JSON.stringify({ data, status: statusTexts.batch });
}

/** The content of a success reply of the other operations, its transaction as bytes or as a text already encoded. */
export interface Success {
  operation: Exclude<TransferOperation, 'transfer'>;
  transaction: Uint8Array | string;
  /** The blockhash in the bytes, or the nonce. */
  lifetimeToken: string;
  summary: object | undefined;
}

/** The JSON text of a success reply: exactly the members that `replySchemas` names, in their order. */
export function successText({ operation, transaction, lifetimeToken, summary }: Success): string {
  const isMemo = operation === 'memo_transfer';
  const start = isMemo ? '{"data":{"transaction":' : '{"data":';
  const token = isMemo ? `,"latestBlockhash":${JSON.stringify(lifetimeToken)}}` : '';
  const end = `${token},"status":"${statusTexts[operation]}"`;
  const close = summary ? '' : '}';
  const text =
    typeof transaction === 'string'
      ? `${start}${JSON.stringify(transaction)}${end}${close}`
      : byteArrayText(start, transaction, `${end}${close}`);
  return summary ? `${text},"summary":${JSON.stringify(summary)}}` : text;
}

// Of each byte: its decimal digits and a comma, as four characters in one little-endian word, and how many of them count.
const charactersPerByte = 4;
const byteTexts = new Uint32Array(256);
const byteTextLengths = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const text = Buffer.alloc(charactersPerByte);
  byteTextLengths[byte] = text.write(`${byte},`, 'latin1');
  byteTexts[byte] = text.readUInt32LE();
}

// The largest transaction of any version has 4,096 bytes. The texts around its array are ASCII, since the token is base58.
const largestTransaction = 4096;
const maxTextAround = 1024;
const scratch = Buffer.alloc(largestTransaction * charactersPerByte + maxTextAround);
const scratchView = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);

// Some twenty times as fast as `join`: each byte's text is written as one word, and the next one begins where it ends. The indices
// matter: an iterator over the bytes takes more than twice as long.
function byteArrayText(start: string, bytes: Uint8Array, end: string): string {
  const fits = bytes.length <= largestTransaction && start.length + end.length < maxTextAround;
  if (bytes.length === 0 || !fits) return `${start}[${bytes.join()}]${end}`;
  let at = scratch.write(start, 'latin1');
  scratch[at++] = openingBracket;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    scratchView.setUint32(at, byteTexts[byte] ?? 0, true);
    at += byteTextLengths[byte] ?? 0;
  }
  // Over the last comma.
  scratch[at - 1] = closingBracket;
  at += scratch.write(end, at, 'latin1');
  return scratch.toString('latin1', 0, at);
}

const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** The `summary` member of a reply. */
export type SummaryJson = Static<typeof summarySchema>;

/** Returns the SHA-256 of the message of a built transaction, in base58. */
export function messageHashOf(
  bytes: Uint8Array,
  { transactionVersion, signers }: Pick<TransferSummary, 'transactionVersion' | 'signers'>,
): string {
  const signatureBytes = signers.length * 64;
  // A byte counts the signatures before the message; in version 1 they follow it.
  const [start, end] = transactionVersion === 1 ? [0, -signatureBytes] : [1 + signatureBytes, bytes.length];
  return messageHashText(hashMessage(bytes.subarray(start, end)));
}

/**
 * Returns the summary of a transaction as the JSON of a reply: 64-bit numbers as strings, what is absent as `null`, warnings in words.
 */
export function summaryJson(
  summary: TransferSummary,
  { bytes, token }: { bytes: Uint8Array; token: TokenMetadata },
): SummaryJson {
  const { decimals, nonce, transferHook, senderTokenAccountControl: sender } = summary;
  const recipient = summary.recipientTokenAccountControl;
  const tokens = (amount: bigint): SummaryJson['amount'] => tokenAmountJson(amount, summary);
  const ofTokens = ofTokensOf(summary);
  const delegateOf = (control: typeof sender): SummaryJson['sender_token_account_delegate'] =>
    control?.delegate ? { address: control.delegate.address, amount: tokens(control.delegate.amount) } : null;
  return {
    transaction_version: summary.transactionVersion,
    message_hash: messageHashOf(bytes, summary),
    size: summary.size,
    size_limit: summary.sizeLimit,
    signers: [...summary.signers],
    fee_payer: summary.feePayer,
    token_program: ofTokens(summary.tokenProgram),
    token_symbol: token.symbol ?? null,
    token_name: token.name ?? null,
    decimals,
    sender: summary.sender,
    sender_token_account: ofTokens(summary.senderTokenAccount),
    recipient: summary.recipient,
    recipient_token_account: ofTokens(summary.recipientTokenAccount),
    amount: tokens(summary.amount),
    transfer_fee: tokens(summary.transferFee),
    received_amount: tokens(summary.receivedAmount),
    network_fee: summary.networkFee.toString(),
    priority_fee: summary.priorityFee.toString(),
    rent: summary.rent.toString(),
    tip: summary.tip ? { account: summary.tip.account, lamports: summary.tip.lamports.toString() } : null,
    ...wrappingJson(summary),
    creates_token_account: summary.createsTokenAccount,
    thaws_token_account: summary.thawsTokenAccount,
    splits: summary.splits.map((split) => ({
      recipient: split.recipient,
      recipient_token_account: ofTokens(split.recipientTokenAccount),
      amount: tokens(split.amount),
      transfer_fee: tokens(split.transferFee),
      received_amount: tokens(split.receivedAmount),
      creates_token_account: split.createsTokenAccount,
      thaws_token_account: split.thawsTokenAccount,
      recipient_token_account_delegate: delegateOf(split.recipientTokenAccountControl),
      recipient_token_account_close_authority: split.recipientTokenAccountControl?.closeAuthority ?? null,
    })),
    compute_unit_limit: summary.computeUnitLimit ?? null,
    compute_units_consumed: summary.computeUnitsConsumed ?? null,
    blockhash: summary.blockhash ?? null,
    last_valid_block_height: summary.lastValidBlockHeight?.toString() ?? null,
    nonce: nonce ? { account: nonce.account, authority: nonce.authority, value: nonce.nonce } : null,
    recipient_requires_memo: summary.recipientRequiresMemo,
    memo: summary.memo ?? null,
    references: [...summary.references],
    transfer_hook: transferHook
      ? { program: transferHook.program, writable_accounts: [...transferHook.writableAccounts] }
      : null,
    sender_token_account_delegate: delegateOf(sender),
    sender_token_account_close_authority: sender?.closeAuthority ?? null,
    recipient_token_account_delegate: delegateOf(recipient),
    recipient_token_account_close_authority: recipient?.closeAuthority ?? null,
    ...sponsorFeeJson(summary.sponsorFee),
    warnings: summary.warnings.map(describeWarning),
  };
}

function wrappingJson({ wrap, unwrap }: TransferSummary): Pick<SummaryJson, 'wrap' | 'unwrap'> {
  return {
    ...(wrap && { wrap: { lamports: wrap.lamports.toString(), rent: wrap.rent.toString() } }),
    ...(unwrap && { unwrap: { lamports: unwrap.lamports.toString() } }),
  };
}

/** Returns what a sponsor is paid as the member `sponsor_fee`; none where it gets nothing. */
export function sponsorFeeJson(fee: SponsorFeeSummary | undefined): Pick<SummaryJson, 'sponsor_fee'> {
  if (!fee) return {};
  const { mint, recipient, recipientTokenAccount, amount, decimals } = fee;
  return {
    sponsor_fee: {
      token_mint_address: mint,
      recipient,
      recipient_token_account: recipientTokenAccount,
      amount: tokenAmountJson(amount, { decimals, uiScale: undefined }),
    },
  };
}

/** Returns the totals of a batch as the JSON of a reply: 64-bit numbers as strings, warnings in words. */
export function batchSummaryJson(summary: BatchSummary): NonNullable<BatchData['summary']> {
  return {
    transaction_count: summary.transactionCount,
    fewest_transactions: summary.fewestTransactions,
    transfer_count: summary.transferCount,
    fee_payer: summary.feePayer,
    sender: summary.sender,
    tokens: summary.tokens.map((each) => ({
      token_mint_address: each.mint,
      token_program: ofTokensOf(each)(each.tokenProgram),
      decimals: each.decimals,
      sender_token_account: ofTokensOf(each)(each.senderTokenAccount),
      amount: tokenAmountJson(each.amount, each),
      transfer_fee: tokenAmountJson(each.transferFee, each),
      received_amount: tokenAmountJson(each.receivedAmount, each),
    })),
    network_fee: summary.networkFee.toString(),
    priority_fee: summary.priorityFee.toString(),
    rent: summary.rent.toString(),
    created_token_accounts: summary.createdTokenAccounts,
    ...sponsorFeeJson(summary.sponsorFee),
    warnings: summary.warnings.map(describeWarning),
  };
}

// SOL has no token program, and wallets hold it themselves.
function ofTokensOf({ tokenProgram }: Pick<TransferSummary, 'tokenProgram'>): (address: string) => string | null {
  return (address) => (tokenProgram === systemProgram ? null : address);
}

// The base units, the tokens, and what wallets show if that is another number.
function tokenAmountJson(
  amount: bigint,
  { decimals, uiScale }: Pick<TransferSummary, 'decimals' | 'uiScale'>,
): SummaryJson['amount'] {
  return {
    base_units: amount.toString(),
    decimal: formatAmount(amount, decimals),
    ...(uiScale && { ui_amount: formatAmount(shownAmount(amount, decimals, uiScale), decimals) }),
  };
}
