import { exampleBlockhash, exampleLastValidBlockHeight } from './reply-examples.ts';

// draft-ietf-httpapi-ratelimit-headers-11: lists of structured field items, here always of one.
/** The headers that tell a key the state of its limit. */
export const rateLimitHeaders = {
  RateLimit: {
    description:
      'The requests left (`r`) in the current window of the API key, and the seconds until the window ends (`t`). Absent ' +
      'for a key without a limit, and on a refusal from before the key was checked, such as `overloaded`.',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=599;t=42',
  },
  'RateLimit-Policy': {
    description: 'The requests (`q`) that the API key may make in a window, and the seconds in a window (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=60$' },
    example: '"default";q=600;w=60',
  },
};

const requestIdHeader = {
  'X-Request-Id': {
    description: 'The id of this request: the one that it was sent with, otherwise one that the service made.',
    schema: { type: 'string' },
    example: '0b0bc6a4-3d5c-4d4e-9f0b-2f5a1c1d7e11',
  },
};

/** The headers of every reply to a request with a key. */
export const keyedHeaders = { ...rateLimitHeaders, ...requestIdHeader };
/** The header by which a request can be repeated without paying twice, as a parameter. */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Your own ID for this payment; reuse it on every retry. A retry with the same body gets the same reply while the ' +
    'transaction can land; then the payment is refused if it landed, and built again if it never can.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** The header of a reply that was built before. */
export const replayedHeader = {
  'Idempotency-Replayed': {
    description:
      'On a retry with the same `Idempotency-Key`: this is the reply that was built before. Otherwise absent.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};

/** The headers of a reply with a transaction. */
export const transferHeaders = {
  'Solana-Blockhash': {
    description: 'The blockhash in the transaction, or the nonce.',
    schema: { type: 'string' },
    example: exampleBlockhash,
  },
  'Solana-Last-Valid-Block-Height': {
    description: 'The last block height at which the transaction can land; absent with a nonce, which does not expire.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: exampleLastValidBlockHeight,
  },
  ...replayedHeader,
  ...keyedHeaders,
};

/** The header that says when to come back. */
export const retryAfterHeader = {
  'Retry-After': { description: 'Seconds after which a retry makes sense.', schema: { type: 'integer', minimum: 0 } },
};
