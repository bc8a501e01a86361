import { VerificationError, verifyBatch, verifyLink, verifyTransfer } from 'splwright-client/verify';

/** @import { LinkTerms, TransferPath, VerifiedBatch, VerifiedTransfer } from 'splwright-client/verify' */
/** @import { ServiceReply } from './service.js' */

// Pages load this module when a transaction has been asked for: most of those that are opened sign none.

/**
 * What the transactions do, or the first difference from what was asked for. With a difference nothing may be signed.
 * @template Verified
 * @typedef {{ verified: Verified, difference?: undefined } | { verified?: undefined, difference: VerificationError }} Verification
 */

/**
 * Verifies the reply to a request for one transaction.
 * @param {Record<string, unknown>} request as it was posted
 * @param {ServiceReply} reply
 * @param {string} path
 * @returns {Promise<Verification<VerifiedTransfer>>}
 */
export function verifyTransferReply(request, { body, headers }, path) {
  const operation = /** @type {TransferPath} */ (path);
  return differenceOf(verifyTransfer(request, body, { operation, ...optionsOf(headers) }));
}

/**
 * Verifies the reply to a request for a batch.
 * @param {Record<string, unknown>} request as it was posted
 * @param {ServiceReply} reply
 * @returns {Promise<Verification<VerifiedBatch>>}
 */
export function verifyBatchReply(request, { body, headers }) {
  return differenceOf(verifyBatch(request, body, optionsOf(headers)));
}

/**
 * Verifies the transaction by which a payment link is paid.
 * @param {LinkTerms} terms
 * @param {string} transaction in base64
 * @param {{ decimals: number, headers: Headers }} known
 * @returns {Promise<Verification<VerifiedTransfer>>}
 */
export function verifyPayment(terms, transaction, { decimals, headers }) {
  return differenceOf(verifyLink(terms, transaction, { decimals, ...optionsOf(headers) }));
}

/** @param {Headers} headers */
function optionsOf(headers) {
  // Who pays in a token with a transfer hook has chosen that token, and a hook gets no signature.
  return { lifetimeToken: headers.get('solana-blockhash') ?? undefined, allowTransferHook: true };
}

/**
 * @template Verified
 * @param {Promise<Verified>} verification
 * @returns {Promise<Verification<Verified>>}
 */
async function differenceOf(verification) {
  try {
    return { verified: await verification };
  } catch (error) {
    if (error instanceof VerificationError) return { difference: error };
    throw error;
  }
}
