export type { TransferPath, VerifyOptions } from './expectation.ts';
export type { VerifiedThaw } from './take-thaw.ts';
export { type VerificationCode, VerificationError } from './verification-error.ts';
export type { HookAccount, VerifiedPayment, VerifiedTransaction, VerifiedTransfer } from './verified-transaction.ts';
export { type VerifiedBatch, verifyBatch } from './verify-batch.ts';
export {
  type LinkTerms,
  type VerifyTransferOptions,
  verifyLink,
  verifyTransfer,
} from './verify-transfer.ts';
