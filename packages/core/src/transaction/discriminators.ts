/** Discriminators of the instructions that are built, from each program's instruction enum. */
export const discriminators = {
  /** System `AdvanceNonceAccount`, a u32. */
  advanceNonceAccount: 4,
  /** ComputeBudget `SetComputeUnitPrice(u64)`. */
  setComputeUnitPrice: 3,
  /** ComputeBudget `SetComputeUnitLimit(u32)`. */
  setComputeUnitLimit: 2,
  /** Associated token account `CreateIdempotent`. */
  createIdempotent: 1,
  /** Token `TransferChecked { amount: u64, decimals: u8 }`. */
  transferChecked: 12,
} as const;
