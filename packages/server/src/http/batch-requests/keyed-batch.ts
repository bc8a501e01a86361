import { type BatchRequest, resolveAmount, type TransferIntent } from 'splwright-core';
import type { Deadline } from '../../chain/chain-reader.ts';
import { hashBodyInSteps } from '../../idempotency/body-hash.ts';
import type { KeyedReply, KeyedRequests } from '../../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { RequestId } from '../../keys/store/idempotency/idempotency-store.ts';
import { inTurns } from '../../service/next-turn.ts';
import { lifetimeHeaders } from '../transfer-requests/transfer-reply.ts';
import { assertKeyAllowsBatch } from './batch-permission.ts';
import { type BatchReplyOptions, buildBatchReply } from './batch-reply.ts';

/** A request for a batch with an `Idempotency-Key`, which its API key allows as far as can be said before the mint is read. */
export interface KeyedBatch {
  id: RequestId;
  /** As it was parsed. */
  body: unknown;
  batch: BatchRequest;
  apiKey: AuthenticatedKey;
  deadline: Deadline;
}

/**
 * Answers the first request under an `Idempotency-Key` with a new batch, and each retry by the rules of `idempotency/`.
 *
 * All transactions of a batch are one reply: it is given again while any of them can land. Then what has not landed is built again.
 */
export async function answerKeyedBatch(
  { id, body, batch, apiKey, deadline }: KeyedBatch,
  options: BatchReplyOptions & { keyedRequests: KeyedRequests },
): Promise<KeyedReply> {
  return options.keyedRequests.answer(
    {
      id,
      bodyHash: await inTurns(hashBodyInSteps(body)),
      build: async (landed) => {
        const { text, built, transfers } = await buildBatchReply(batch, apiKey, deadline, options, landed);
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
    deadline,
  );
}

function amountsOf({ transfers }: BatchRequest, [intent]: readonly TransferIntent[]): readonly (bigint | undefined)[] {
  return transfers.map(({ amount }) => {
    const resolved = intent ? resolveAmount(amount, intent.decimals) : undefined;
    return resolved && 'baseUnits' in resolved ? resolved.baseUnits : undefined;
  });
}
