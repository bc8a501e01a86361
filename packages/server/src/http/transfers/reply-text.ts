import { type BuiltTransfer, encodeBase58, type Lifetime, summarizeTransfer, type TransferPlan } from 'splwright-core';
import type { TransferOperation } from '../../operation.ts';
import type { FieldValues } from '../../wire/field-values.ts';
import type { LifetimeJson } from '../../wire/schemas/lifetime-schema.ts';
import { successText, type TransferData, transferText } from '../../wire/success-text.ts';
import { summaryJson } from '../../wire/summary-json.ts';

/** The JSON text of the reply to a request that was built, in the shape of its operation. */
export function replyText(operation: TransferOperation, values: FieldValues, built: BuiltTransfer): string {
  if (operation === 'transfer') return transferText(transferData(built));
  return successText({
    operation,
    transaction: encodeBytes(built.bytes, values.encoding),
    lifetimeToken: lifetimeToken(built.lifetime),
    summary: values.summary ? summaryJson(summarizeTransfer(built)) : undefined,
  });
}

/** The blockhash that a transaction lives by, or the nonce. */
export function lifetimeToken(lifetime: Lifetime): string {
  return 'blockhash' in lifetime ? lifetime.blockhash : lifetime.nonce;
}

function transferData(built: BuiltTransfer): TransferData {
  const summary = summaryJson(summarizeTransfer(built));
  return {
    transaction: toBase64(built.bytes),
    transaction_version: summary.transaction_version,
    lifetime: lifetimeJson(built.plan.nonce, built.lifetime),
    signers: summary.signers,
    summary,
  };
}

/** The `lifetime` of a reply; `nonce` is that of the plan. */
export function lifetimeJson(nonce: TransferPlan['nonce'], lifetime: Lifetime): LifetimeJson {
  if (nonce) return { nonce: nonce.nonce, nonce_account: nonce.account };
  if ('nonce' in lifetime) throw new Error('a transaction lives by a nonce that is not in its plan');
  const { blockhash, lastValidBlockHeight } = lifetime;
  return { blockhash, last_valid_block_height: lastValidBlockHeight.toString() };
}

function encodeBytes(bytes: Uint8Array, encoding: FieldValues['encoding']): Uint8Array | string {
  switch (encoding) {
    case 'base64':
      return toBase64(bytes);
    case 'base58':
      return encodeBase58(bytes);
    default:
      return bytes;
  }
}

/** Encodes bytes in base64 (RFC 4648, padded). */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
