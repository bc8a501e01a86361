// What describes a transaction in words: pages load these files alone, and not all of the core.
export { encodeBase58 } from './addresses/base58.ts';
export {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  memoProgramV1,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
  tokenProgramName,
} from './addresses/programs.ts';
export { readU64 } from './bytes/little-endian.ts';
export { quoteMemo } from './decide/memo-warnings.ts';
export { maxAmount } from './request/amount.ts';
export { formatAmount } from './request/format-amount.ts';
export { type BytePart, bytePartsOf } from './transaction/byte-parts.ts';
export {
  type InstructionSummary,
  summarizeTransaction,
  type TransactionSummary,
} from './transaction/summarize-transaction.ts';
