/**
 * The core as a library: everything pure that builds, reads and judges a transfer. No I/O, no clock, no environment.
 */

export type { Account } from './account.ts';
export { type Address, addressFromBytes, addressToBytes, parseAddress, toAddress } from './address.ts';
export { maximumAmount, parseAmount } from './amount.ts';
export { findAssociatedTokenAddress } from './associated-token-address.ts';
export { decodeBase58, encodeBase58 } from './base58.ts';
export { buildTransaction } from './build-transaction.ts';
export { TransactionDecodeError } from './byte-reader.ts';
export { isOnCurve } from './curve.ts';
export { type Decision, decideTransfer } from './decide-transfer.ts';
export { type DecodedTransaction, decodeTransaction } from './decode-transaction.ts';
export { transactionSizeLimit } from './encode-transaction.ts';
export { formatAmount } from './format-amount.ts';
export { type Memo, parseMemo } from './memo.ts';
export { ReadBackError } from './message-reading.ts';
export { parseTransferRequest, type TransferRequestTexts } from './parse-transfer-request.ts';
export { type InstructionSummary, summarizeTransaction, type TransactionSummary } from './summarize-transaction.ts';
export { decodeMint, decodeTokenAccount, type Mint, type TokenAccount } from './token-state.ts';
export { accountsToRead, deriveTokenAccounts, type MintHint, type TokenAccountPair } from './transfer-accounts.ts';
export type { BlockhashLifetime, Operation, TransferPlan, TransferRequest } from './transfer-plan.ts';
