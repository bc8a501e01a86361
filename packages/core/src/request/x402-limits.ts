/** What facilitators of the x402 scheme "exact" accept on Solana: the limits of `@x402/svm`, as its specification has them. */
export const x402Limits = {
  /** Bytes of UTF-8 (`MAX_MEMO_BYTES`). */
  maxMemoBytes: 256,
  /** Micro-lamports per compute unit (`MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS`). */
  maxComputeUnitPrice: 5_000_000n,
  /** A compute limit that hosted facilitators were reported to refuse, and any above it: a limit of their own, not of the specification. */
  refusedComputeUnits: 100_000,
} as const;
