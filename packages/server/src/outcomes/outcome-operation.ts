import { toAddress } from 'splwright-core';
import { keyedHeaders } from '../app/openapi/headers.ts';
import { outcomeProblemResponses } from '../app/openapi/problem-responses.ts';
import { exampleLastValidBlockHeight, exampleTransactions } from '../app/openapi/reply-examples.ts';
import type { OutcomeRoute } from '../app/openapi/route.ts';
import { outcomeReplySchema, outcomeRequestSchema } from './outcome-schema.ts';
import type { LandedVerdict, Verdict } from './verdict.ts';
import { outcomeText } from './verdict-json.ts';

/** Describes the route that finds outcomes. */
export function outcomePost(operationId: string, route: OutcomeRoute): object {
  const { summary, description, tag, requestRule } = route;
  const { requests, replies } = outcomeExamples;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: outcomeRequestSchema(requestRule), examples: requests } },
    },
    responses: {
      200: {
        description: 'What became of the transactions, also if that is not known.',
        headers: keyedHeaders,
        content: { 'application/json': { schema: outcomeReplySchema, examples: replies } },
      },
      ...outcomeProblemResponses(),
    },
  };
}

const blockHeight = BigInt(exampleLastValidBlockHeight);

const landed: LandedVerdict = {
  outcome: 'landed',
  signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
  slot: 440_208_190n,
  blockTime: 1_795_000_000n,
  commitment: 'finalized',
  fee: 5_000n,
  matchedBy: 'signature',
  message: new Uint8Array(),
  payments: [
    {
      tokenAccount: toAddress('ChtcJX16gfLZ2qELbysj5isAaEpBcFpf4bKTsnLmiK3H'),
      wallet: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
      amount: 1_500_000n,
      received: 1_500_000n,
    },
  ],
};
const pending: Verdict = {
  outcome: 'pending',
  reason: 'lifetime',
  blockHeight: blockHeight - 32n,
  lastValidBlockHeight: blockHeight + 151n,
};
const expired: Verdict = {
  outcome: 'expired',
  blockHeight: blockHeight + 152n,
  lastValidBlockHeight: blockHeight + 151n,
};

const replyOf = (verdicts: readonly Verdict[], isList: boolean): object => ({
  value: JSON.parse(outcomeText(verdicts, isList)),
});

/** The examples of requests and replies, by their names. */
const outcomeExamples = {
  requests: {
    one: {
      value: {
        transaction: exampleTransactions.memo_transfer,
        last_valid_block_height: exampleLastValidBlockHeight,
      },
    },
    several: {
      value: {
        transactions: [
          { transaction: exampleTransactions.transfer, last_valid_block_height: exampleLastValidBlockHeight },
          { transaction: exampleTransactions.create_transfer },
        ],
      },
    },
  },
  replies: {
    landed: replyOf([landed], false),
    pending: replyOf([pending], false),
    expired: replyOf([expired, landed], true),
  },
};
