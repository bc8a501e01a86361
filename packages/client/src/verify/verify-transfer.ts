import { checkTransaction } from './check-transaction.ts';
import { formatAmount } from './describe.ts';
import {
  type Amount,
  expectTransfer,
  type Fields,
  isFields,
  type TransferPath,
  toBaseUnits,
  toFields,
  type VerifyOptions,
} from './expectation.ts';
import { expectClaims, lifetimeTokenOf, readBytes, readReply } from './reply.ts';
import { expectSame, VerificationError } from './verification-error.ts';
import type { VerifiedTransaction, VerifiedTransfer } from './verified-transaction.ts';

/** Options of `verifyTransfer`. */
export interface VerifyTransferOptions extends VerifyOptions {
  /** The path that the request was posted to. Without it the service chooses by the shape of its reply. */
  operation?: TransferPath | undefined;
}

/**
 * Verifies that the transaction of a reply does exactly what the request asks for, and nothing else.
 *
 * `request`: the JSON body as it was posted; `reply`: the JSON body as it was received, of `/v1/transfers`,
 * `/v1/token-transfer-memo-hash` or `/v1/create-token-account-transfer`. Rejects with a `VerificationError` that names the first
 * difference.
 */
export async function verifyTransfer(
  request: object,
  reply: unknown,
  options: VerifyTransferOptions = {},
): Promise<VerifiedTransfer> {
  const fields = toFields(request);
  const { bytes, path, claims } = readReply(reply, fields, options.operation);
  const summary = isFields(claims.summary) ? claims.summary : {};
  const expectation = expectTransfer(fields, path, options, baseUnitsOf(summary.amount));
  const lifetimeToken = lifetimeTokenOf(claims, options, expectation);
  const verified = await checkTransaction(bytes, expectation, { ...options, lifetimeToken }, summary.sponsor_fee);
  expectClaims(claims, verified);
  const { received } = expectation;
  if (received === undefined) return verified;
  return { ...verified, sentence: verified.sentence + expectReceived(received, verified, summary, options) };
}

// The reply says what is sent and what arrives of it; the transaction must send the one, and the request ask for the other.
function expectReceived(
  received: Amount,
  { payments, decimals }: VerifiedTransaction,
  { received_amount: claimed, warnings }: Fields,
  { maxTransferFeeBasisPoints: max = 1_000 }: VerifyOptions,
): string {
  const asked = toBaseUnits(received, decimals, 'amount_received');
  expectSame('wrong_amount', 'received_amount', `${asked}`, baseUnitsOf(claimed));
  const sent = payments.at(-1)?.amount ?? 0n;
  const fee = sent - asked;
  // The token program rounds it up.
  if (fee < 0n || (fee - 1n) * 10_000n >= sent * BigInt(max))
    throw new VerificationError('wrong_amount', 'transfer fee', `at most ${max} basis points`, fee);
  const scheduled = 'scheduled_transfer_fee';
  // Its own words have no place in a sentence of what was verified.
  const isChanging = Array.isArray(warnings) && warnings.some((each) => each?.code === scheduled);
  return (
    `; of it ${formatAmount(asked, decimals)} arrive, as the service says` +
    (isChanging ? `, until the mint's fee changes (${scheduled})` : '')
  );
}

function baseUnitsOf(amount: unknown): unknown {
  return isFields(amount) ? amount.base_units : undefined;
}

/** What a payer has agreed to when a payment link was opened. */
export interface LinkTerms {
  /** The payer's wallet. */
  account: string;
  to_address: string;
  token_mint_address: string;
  /** In base units; where the payer chooses, what was chosen. Instead of it `amount_decimal`, in whole tokens. */
  amount?: string | bigint;
  amount_decimal?: string;
  memo?: string | null;
  /** The address by which the seller finds the payment. */
  reference: string;
  /** Of a sponsored link `"sponsor"`; and the most base units of the token that the sponsor may take of the payment. */
  fee_payer?: string;
  max_sponsor_fee?: string | bigint;
  /** Of a link in wrapped SOL: whether SOL of the payer may be wrapped first. */
  wrap?: boolean;
}

/**
 * Verifies the transaction by which a payment link is paid. `reply`: the JSON body of `POST /pay/{id}`, as it was received.
 *
 * Rejects with a `VerificationError` that names the first difference from the terms.
 */
export async function verifyLink(
  terms: LinkTerms,
  reply: { transaction?: unknown; sponsor_fee?: unknown },
  options: VerifyOptions = {},
): Promise<VerifiedTransfer> {
  const { account, reference, ...payment } = terms;
  const request = toFields({ ...payment, from_address: account, references: [reference] });
  const expectation = expectTransfer(request, '/v1/transfers', options);
  return checkTransaction(readBytes(reply.transaction, 'base64'), expectation, options, reply.sponsor_fee);
}
