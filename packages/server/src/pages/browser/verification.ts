import {
  type LinkTerms,
  type TransferPath,
  VerificationError,
  type VerifiedBatch,
  type VerifiedTransfer,
  verifyBatch,
  verifyLink,
  verifyTransfer,
} from 'splwright-client/verify';

// Pages load this module when a transaction has been asked for: most of those that are opened sign none.

/** The effects of transactions, or the first difference from what was asked for. With a difference nothing may be signed. */
type Verification<Verified> =
  | { verified: Verified; difference?: undefined }
  | { verified?: undefined; difference: VerificationError };

interface Reply {
  body: unknown;
  headers: Headers;
}

/** Verifies the reply to a request, as it was posted, for one transaction. */
export function verifyTransferReply(
  request: Readonly<Record<string, unknown>>,
  { body, headers }: Reply,
  path: string,
): Promise<Verification<VerifiedTransfer>> {
  return differenceOf(verifyTransfer(request, body, { operation: path as TransferPath, ...optionsOf(headers) }));
}

/** Verifies the reply to a request, as it was posted, for a batch. */
export function verifyBatchReply(
  request: Readonly<Record<string, unknown>>,
  { body, headers }: Reply,
): Promise<Verification<VerifiedBatch>> {
  return differenceOf(verifyBatch(request, body, optionsOf(headers)));
}

/** Verifies the reply with the transaction by which a payment link is paid. */
export function verifyPayment(
  terms: LinkTerms,
  reply: object,
  { decimals, headers }: { decimals: number; headers: Headers },
): Promise<Verification<VerifiedTransfer>> {
  return differenceOf(verifyLink(terms, reply, { decimals, ...optionsOf(headers) }));
}

function optionsOf(headers: Headers) {
  // Who pays in a token with a transfer hook has chosen that token, and a hook gets no signature.
  return { lifetimeToken: headers.get('solana-blockhash') ?? undefined, allowTransferHook: true };
}

async function differenceOf<Verified>(verification: Promise<Verified>): Promise<Verification<Verified>> {
  try {
    return { verified: await verification };
  } catch (error) {
    if (error instanceof VerificationError) return { difference: error };
    throw error;
  }
}
