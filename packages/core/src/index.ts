/**
 * The core as a library: everything pure that builds, reads and checks a transfer. No I/O, no clock, no environment.
 */

export type { Account } from './accounts/account.ts';
export { readNonce } from './accounts/nonce-account.ts';
export {
  clockSysvar,
  decodeRent,
  isPossibleRent,
  rentSysvar,
  sysvarLengths,
} from './accounts/sysvars.ts';
export { metaplexMetadataAddress, readTokenMetadata, type TokenMetadata } from './accounts/token-metadata.ts';
export {
  classifyTokenProgramAccount,
  decodeMint,
  extensionType,
  findMissizedExtension,
  type Mint,
  readExtensions,
} from './accounts/token-state.ts';
export {
  decodeTransferFeeConfig,
  isPossibleTransferFee,
  leastReceived,
  type TransferFeeTerms,
} from './accounts/transfer-fee.ts';
export { shownAmount, type UiAmountConfig, type UiScale, uiScaleAt } from './accounts/ui-amount.ts';
export {
  type Address,
  type AddressFault,
  addressFromBytes,
  addressToBytes,
  parseAddress,
  sol,
  toAddress,
} from './addresses/address.ts';
export { decodeBase58, encodeBase58 } from './addresses/base58.ts';
export { isOnCurve } from './addresses/curve.ts';
export { findAssociatedTokenAddress } from './addresses/derived-addresses.ts';
export { isAddressOnCurve } from './addresses/known-addresses.ts';
export {
  associatedTokenProgram,
  isTokenProgram,
  isWrappedSol,
  memoProgram,
  memoPrograms,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
  tokenProgramName,
  tokenPrograms,
} from './addresses/programs.ts';
export { findingInWhole, indexInWhole, type KnownTransfers, partsByMint } from './batch/batch-parts.ts';
export { type BatchSummary, type BuiltBatch, summarizeBatch } from './batch/batch-summary.ts';
export {
  checkTransfersOfBatch,
  type DecidedBatch,
  decideBatch,
} from './batch/decide-batch.ts';
export { type BatchInputs, validateBatchRequest } from './batch/validate-batch-request.ts';
export { TransactionDecodeError } from './bytes/byte-reader.ts';
export { readU64 } from './bytes/little-endian.ts';
export { decideLinkPayment } from './decide/decide-link-payment.ts';
export { type DecidedTransfer, decideTransfer, type TransferFacts } from './decide/decide-transfer.ts';
export { warnOfMemo } from './decide/memo-warnings.ts';
export { findTokensElsewhere, isEmptySender, withTokensElsewhere } from './decide/tokens-elsewhere.ts';
export {
  type BuiltTransfer,
  type SponsorFeeSummary,
  summarizeSponsorFee,
  summarizeTransfer,
  type TransferSummary,
} from './decide/transfer-summary.ts';
export { warnOfNonce } from './decide/transfer-warnings.ts';
export { validateTransferRequest } from './decide/validate-transfer-request.ts';
export type { Finding, FindingContexts, FindingField, FindingOf, TokensElsewhere } from './findings/finding.ts';
export { type FindingCode, findingCodes } from './findings/finding-codes.ts';
export type {
  AmountFault,
  BaseUnitFault,
  BlockhashFault,
  DecimalAmountFault,
  HookFault,
  LayoutConflict,
  LayoutObstacle,
  OwnershipFault,
  SizeExcess,
  TipFault,
  ValueFault,
  WalletFault,
} from './findings/finding-faults.ts';
export {
  levelOf,
  type Warning,
  type WarningCode,
  type WarningContexts,
  type WarningLevel,
  type WarningOf,
} from './findings/warning.ts';
export { type IntentMatch, matchIntent } from './outcome/compare-intents.ts';
export {
  contentOfSol,
  type LandedContent,
  type LandedTransfer,
  landedContent,
  type ProgramCalls,
} from './outcome/landed-content.ts';
export { type BalanceChange, changeOf, type TokenBalances } from './outcome/token-balances.ts';
export {
  type IntentFault,
  memoRecordOf,
  readTransferIntent,
  type TransferIntent,
} from './outcome/transfer-intent.ts';
export { buildTransaction } from './plan/build-transaction.ts';
export { finish, type Steps } from './plan/steps.ts';
export {
  accountsToRead,
  deriveTokenAccounts,
  type MintHint,
} from './plan/transfer-facts.ts';
export { hasThirdSigner, sentAmount, type TransferPlan, thawsOf } from './plan/transfer-plan.ts';
export {
  amountFieldOf,
  isNamedAmount,
  maxAmount,
  type NamedAmount,
  parseAmount,
  resolveAmount,
} from './request/amount.ts';
export { formatAmount } from './request/format-amount.ts';
export { type Memo, parseMemo } from './request/memo.ts';
export type { TransferInputs } from './request/parse-transfer-request.ts';
export {
  type BatchRequest,
  creationFor,
  type RecentBlockhash,
  requestedAmount,
  type SponsorFee,
  type TokenAccountCreation,
  type TransferRequest,
  totalOf,
} from './request/transfer-request.ts';
export { type DecodedTransaction, decodeTransaction, type LoadedAddresses } from './transaction/decode-transaction.ts';
export { transactionSizeLimit } from './transaction/encode-transaction.ts';
export type { Instruction } from './transaction/instruction.ts';
export type { BlockhashLifetime, Lifetime } from './transaction/lifetime.ts';
export {
  type InstructionSummary,
  summarizeTransaction,
  type TransactionSummary,
} from './transaction/summarize-transaction.ts';
