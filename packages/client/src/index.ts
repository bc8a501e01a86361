export type {
  BatchData,
  BatchSummary,
  BatchTokens,
  BatchTransaction,
  Event as WebhookEvent,
  LandedBatchTransaction,
  LandedTransfer,
  Lifetime,
  PaymentLink,
  PendingBatchTransaction,
  Problem,
  ProblemCode,
  ProblemError,
  RefusedTransfer,
  Summary,
  TransferData,
  TransferOutcome,
  WebhookEndpoint,
} from './api-types.ts';
export { fromBase64, toBase58, toBase64 } from './bytes.ts';
export type { CallOptions, ClientOptions, Verification } from './call.ts';
export {
  type BuiltBatch,
  type BuiltTokenTransfer,
  type BuiltTransfer,
  type Question,
  SplwrightClient,
} from './client.ts';
export { type NoAnswer, type Refusal, SplwrightError } from './problem.ts';
export type {
  BatchRequest,
  BatchTransfer,
  CreatePaymentLinkRequest,
  CreateTokenAccountTransferRequest,
  PaymentLinkFilter,
  RefundRequest,
  TokenTransferRequest,
  TransferRequest,
} from './requests.ts';
export {
  type VerificationCode,
  VerificationError,
  type VerifiedBatch,
  type VerifiedTransfer,
  type VerifyOptions,
} from './verify/index.ts';
export { type Signable, sendOptions, signAndSend, toKit, toWeb3 } from './wallets.ts';
