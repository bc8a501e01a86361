/** What facilitators of the x402 scheme "exact" accept on Solana: the limits of `@x402/svm`, as its specification has them. */
export const x402Limits = {
  /** Bytes of UTF-8 (`MAX_MEMO_BYTES`). */
  maxMemoBytes: 256,
  /** Micro-lamports per compute unit (`MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS`). */
  maxComputeUnitPrice: 5_000_000n,
} as const;
