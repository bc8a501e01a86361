import type { TransferIntent } from 'splwright-core';
import { hashBody } from '../../idempotency/idempotency-key.ts';
import type { RequestId } from '../../idempotency/idempotency-store.ts';
import type { KeyedReply, KeyedRequests } from '../../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { Work } from '../../work/work.ts';
import { assertKeyAllows } from './key-permission.ts';
import type { ReadTransferRequest } from './read-transfer-request.ts';
import { buildTransferReply, lifetimeHeaders, type TransferReplyOptions } from './transfer-reply.ts';

/** A request for a transfer with an `Idempotency-Key`, which its API key allows as far as can be said before the mint is read. */
export interface KeyedTransfer {
  id: RequestId;
  /** As it was parsed. */
  body: unknown;
  asked: ReadTransferRequest;
  apiKey: AuthenticatedKey;
  work: Work;
}

/** Answers the first request under an `Idempotency-Key` with a new transfer, and each retry by the rules of `idempotency/`. */
export function answerKeyed(
  { id, body, asked, apiKey, work }: KeyedTransfer,
  options: TransferReplyOptions & { keyedRequests: KeyedRequests },
): Promise<KeyedReply> {
  const { operation, transfer } = asked;
  return options.keyedRequests.answer(
    {
      id,
      ...hashBody(body),
      work,
      build: async () => {
        const { text, built } = await buildTransferReply(asked, apiKey, work.deadline, options);
        const { bytes, lifetime } = built;
        const lastValidBlockHeight = 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined;
        return { reply: text, headers: lifetimeHeaders(lifetime), transactions: [{ bytes, lastValidBlockHeight }] };
      },
      // The limits of the API key may have changed since, and of a decimal amount only the transaction has the base units.
      assertAllowed: (intents) => assertKeyAllows(apiKey.restrictions, operation, transfer, amountOf(intents)),
    },
    work.deadline,
  );
}

function amountOf(intents: readonly TransferIntent[]): bigint {
  return intents.flatMap(({ payments }) => payments).reduce((sum, { amount }) => sum + amount, 0n);
}
