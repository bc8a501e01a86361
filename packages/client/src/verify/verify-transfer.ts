import { checkTransaction, type VerifiedTransaction } from './check-transaction.ts';
import { describeTransaction } from './describe.ts';
import { expectTransfer, isFields, type TransferPath, toFields, type VerifyOptions } from './expectation.ts';
import { expectClaims, lifetimeTokenOf, readBytes, readReply } from './reply.ts';

/** Options of `verifyTransfer`. */
export interface VerifyTransferOptions extends VerifyOptions {
  /** The path that the request was posted to. Without it the service chooses by the shape of its reply. */
  operation?: TransferPath | undefined;
}

/** A transaction that does exactly what was asked for. */
export interface VerifiedTransfer extends VerifiedTransaction {
  /** What was verified: sign these bytes and no others. */
  transaction: Uint8Array;
  /** What it does, in one sentence. */
  sentence: string;
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
  const expectation = expectTransfer(fields, path, options);
  const lifetimeToken = lifetimeTokenOf(claims, options, expectation);
  const { sponsor_fee: fee } = isFields(claims.summary) ? claims.summary : {};
  const verified = await checkTransaction(bytes, expectation, { ...options, lifetimeToken }, fee);
  expectClaims(claims, verified);
  return { ...verified, transaction: bytes, sentence: describeTransaction(verified) };
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
}

/**
 * Verifies the transaction by which a payment link is paid: `transaction` is in base64, as `POST /pay/{id}` answers it.
 *
 * Rejects with a `VerificationError` that names the first difference from the terms.
 */
export async function verifyLink(
  terms: LinkTerms,
  transaction: string,
  options: VerifyOptions = {},
): Promise<VerifiedTransfer> {
  const { account, reference, ...payment } = terms;
  const request = toFields({ ...payment, from_address: account, references: [reference] });
  const bytes = readBytes(transaction, 'base64');
  const verified = await checkTransaction(bytes, expectTransfer(request, '/v1/transfers', options), options);
  return { ...verified, transaction: bytes, sentence: describeTransaction(verified) };
}
