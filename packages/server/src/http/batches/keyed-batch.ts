import { type BatchRequest, resolveAmount, type TransferIntent } from 'splwright-core';
import { hashBody } from '../../idempotency/idempotency-key.ts';
import type { RequestId } from '../../idempotency/idempotency-store.ts';
import type { KeyedReply, KeyedRequests } from '../../idempotency/keyed-requests.ts';
import { lifetimeHeaders } from '../transfers/transfer-reply.ts';
import { assertKeyAllowsBatch } from './batch-permission.ts';
import { type AllowedBatch, type BatchReplyOptions, buildBatchReply } from './batch-reply.ts';

/** An allowed batch with an `Idempotency-Key`. */
export interface KeyedBatch extends AllowedBatch {
  id: RequestId;
  /** As it was parsed. */
  body: unknown;
}

/**
 * Answers the first request under an `Idempotency-Key` with a new batch, and each retry by the rules of `idempotency/`.
 *
 * All transactions of a batch are one reply: it is given again while any of them can land. Then what has not landed is built again.
 */
export async function answerKeyedBatch(
  keyed: KeyedBatch,
  options: BatchReplyOptions & { keyedRequests: KeyedRequests },
): Promise<KeyedReply> {
  const { id, body, batch, apiKey, work } = keyed;
  await work.next();
  return options.keyedRequests.answer(
    {
      id,
      ...hashBody(body),
      work,
      build: async (landed) => {
        const { text, built, transfers } = await buildBatchReply(keyed, options, landed);
        const { lifetime } = built;
        const lastValidBlockHeight = 'blockhash' in lifetime ? lifetime.lastValidBlockHeight : undefined;
        const transactions = built.bytes.map((bytes, index) => ({
          bytes,
          lastValidBlockHeight,
          transfers: transfers[index] ?? [],
        }));
        return { reply: text, headers: lifetimeHeaders(lifetime), transactions };
      },
      // The limits of the API key may have changed since, and of decimal amounts only the transactions have the base units.
      assertAllowed: (intents) => assertKeyAllowsBatch(apiKey.restrictions, batch, amountsOf(batch, intents)),
    },
    work.deadline,
  );
}

function amountsOf({ transfers }: BatchRequest, [intent]: readonly TransferIntent[]): readonly (bigint | undefined)[] {
  return transfers.map(({ amount }) => {
    const resolved = intent ? resolveAmount(amount, intent.decimals) : undefined;
    return resolved && 'baseUnits' in resolved ? resolved.baseUnits : undefined;
  });
}
