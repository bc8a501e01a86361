/** Discriminators of the instructions that are built or looked for, from each program's instruction enum. */
export const discriminators = {
  /** System `AdvanceNonceAccount`, a u32. */
  advanceNonceAccount: 4,
  /** System `Transfer { lamports: u64 }`, a u32. */
  systemTransfer: 2,
  /** ComputeBudget `SetComputeUnitPrice(u64)`. */
  setComputeUnitPrice: 3,
  /** ComputeBudget `SetComputeUnitLimit(u32)`. */
  setComputeUnitLimit: 2,
  /** Associated token account `CreateIdempotent`. */
  createIdempotent: 1,
  /** Token ACL `ThawPermissionlessIdempotent`. */
  thawPermissionlessIdempotent: 9,
  /** Token `Transfer { amount: u64 }`. */
  transfer: 3,
  /** Token `TransferChecked { amount: u64, decimals: u8 }`. */
  transferChecked: 12,
  /** Token `SyncNative`. */
  syncNative: 17,
  /** Token `CloseAccount`. */
  closeAccount: 9,
  /** Token-2022 `TransferFeeExtension`, and of it `TransferCheckedWithFee { amount: u64, decimals: u8, fee: u64 }`. */
  transferFee: 26,
  transferCheckedWithFee: 1,
  /** Token `Batch`: several instructions in one. */
  batch: 255,
} as const;
