import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lifetime, TransferPlan } from 'splwright-core';
import { exampleBlockhash, exampleLastValidBlockHeight } from '../app/example-transactions.ts';
import type { KeyedReply } from '../idempotency/keyed-requests.ts';
import type { LifetimeJson } from './summary-schema.ts';

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
