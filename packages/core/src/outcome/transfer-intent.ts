import { solMint } from '../accounts/sol-mint.ts';
import { type Address, sol } from '../addresses/address.ts';
import { encodeBase58 } from '../addresses/base58.ts';
import { memoPrograms, systemProgram } from '../addresses/programs.ts';
import { TransactionDecodeError } from '../bytes/byte-reader.ts';
import { readU32 } from '../bytes/little-endian.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';
import { type DecodedTransaction, decodeTransaction } from '../transaction/decode-transaction.ts';
import { discriminators } from '../transaction/discriminators.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import type { Instruction } from '../transaction/instruction.ts';
import { type CheckedTransfer, checkedTransfersOf, lamportTransferOf } from './token-transfer.ts';

/** What a transaction pays, whatever wallets change about it. */
export interface TransferIntent {
  /** The first signature in base58; undefined where the fee payer has not signed. */
  signature: string | undefined;
  /** Whether one of the signers has signed: then its message cannot change any more. */
  isSigned: boolean;
  /** The bytes after the signatures, in version 1 those before them: what the signers sign. */
  message: Uint8Array;
  lifetime: { blockhash: string } | { nonce: string; nonceAccount: Address };
  /** Every wallet that must sign, the fee payer first. */
  signers: readonly Address[];
  /** The sender's token account; of SOL, the sender itself. */
  source: Address;
  /** `sol` where SOL is paid. */
  mint: Address;
  tokenProgram: Address;
  authority: Address;
  decimals: number;
  /** In their order. */
  payments: readonly IntendedPayment[];
  /**
   * The texts of the memos, in order. One that is not UTF-8 has a lone surrogate for each byte, U+DC00 and the byte.
   */
  memos: readonly string[];
}

/** One payment of an intent. */
export interface IntendedPayment {
  /** The recipient's token account. */
  destination: Address;
  /** Base units. */
  amount: bigint;
  /** The further accounts of its `TransferChecked`, in order: references, and what a transfer hook gets. */
  references: readonly Address[];
}

/** Why bytes have no intent: not a transaction, no `TransferChecked` and no transfer of SOL by the last signer, or payments by several senders or in several mints. */
export type IntentFault =
  | { kind: 'not_a_transaction'; reason: string }
  | { kind: 'no_transfer' }
  | { kind: 'several_sources' }
  | { kind: 'several_mints' };

/** Reads what a transaction of any version, signed or not, is meant to pay, or why it cannot be said. Throws nothing. */
export function readTransferIntent(bytes: Uint8Array): { intent: TransferIntent } | { fault: IntentFault } {
  const decoded = decodeOrExplain(bytes);
  if ('reason' in decoded) return { fault: { kind: 'not_a_transaction', reason: decoded.reason } };
  const ofTokens = withoutSponsorFee(decoded, checkedTransfersOf(decoded.instructions));
  const transfers = ofTokens.length > 0 ? ofTokens : solTransfersOf(decoded);
  const [first] = transfers;
  if (!first) return { fault: { kind: 'no_transfer' } };
  if (!transfers.every((transfer) => haveSameSender(transfer, first))) return { fault: { kind: 'several_sources' } };
  if (!transfers.every((transfer) => haveSameMint(transfer, first))) return { fault: { kind: 'several_mints' } };
  const { source, mint, tokenProgram, authority, decimals } = first;
  return {
    intent: {
      signature: firstSignatureOf(decoded),
      isSigned: decoded.signatures.some(isPresent),
      message: Uint8Array.from(decoded.message),
      lifetime: lifetimeOf(decoded),
      signers: decoded.signers,
      source,
      mint,
      tokenProgram,
      authority,
      decimals,
      payments: transfers.map(({ destination, amount, references }) => ({ destination, amount, references })),
      memos: memosOf(decoded.instructions),
    },
  };
}

// The sender signs last, but for the authority of a nonce; what the fee payer pays before it is none of its payments.
function solTransfersOf(decoded: DecodedTransaction): readonly CheckedTransfer[] {
  const { instructions, signers } = decoded;
  const all = instructions.flatMap(lamportTransferOf);
  const authority = 'nonce' in lifetimeOf(decoded) ? instructions[0]?.accounts[2]?.address : undefined;
  const pays = (signer: Address): boolean => all.some(({ source }) => source === signer);
  const sender = signers.findLast((signer) => pays(signer) || signer !== authority);
  const transfers = all.filter(({ source }) => source === sender);
  return transfers.map((transfer) => ({ ...transfer, mint: sol, decimals: solMint.decimals }));
}

// A sponsor that has signed may be paid in a token of its own, before the payments. What it gets in theirs is one of them.
function withoutSponsorFee(
  decoded: DecodedTransaction,
  transfers: readonly CheckedTransfer[],
): readonly CheckedTransfer[] {
  const [fee, next] = transfers;
  const isSponsored = firstSignatureOf(decoded) !== undefined && decoded.signers[0] !== fee?.authority;
  return isSponsored && fee && next && !haveSameMint(fee, next) ? transfers.slice(1) : transfers;
}

const maxByteLength = transactionSizeLimit(1);

function decodeOrExplain(bytes: Uint8Array): DecodedTransaction | { reason: string } {
  // Bounds what hostile bytes cost: what is longer could not land.
  if (bytes.length > maxByteLength) {
    return { reason: `no transaction has more than ${maxByteLength} bytes: these are ${bytes.length}` };
  }
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionDecodeError) return { reason: error.message };
    throw error;
  }
}

function haveSameSender(one: CheckedTransfer, other: CheckedTransfer): boolean {
  return one.source === other.source && one.authority === other.authority;
}

function haveSameMint(one: CheckedTransfer, other: CheckedTransfer): boolean {
  return one.mint === other.mint && one.tokenProgram === other.tokenProgram && one.decimals === other.decimals;
}

function firstSignatureOf({ signatures: [first] }: DecodedTransaction): string | undefined {
  return first && isPresent(first) ? encodeBase58(first) : undefined;
}

function isPresent(signature: Uint8Array): boolean {
  return signature.some((byte) => byte !== 0);
}

/**
 * Returns the lifetime of a transaction: the nonce of an account, or a blockhash.
 *
 * As the runtime decides it: the first instruction advances a nonce account that the message lets it write.
 */
export function lifetimeOf({ instructions: [first], blockhash }: DecodedTransaction): TransferIntent['lifetime'] {
  if (first?.program !== systemProgram || first.data.length < 4) return { blockhash };
  const [nonceAccount] = first.accounts;
  if (readU32(first.data, 0) !== discriminators.advanceNonceAccount || !nonceAccount?.writable) return { blockhash };
  return { nonce: blockhash, nonceAccount: nonceAccount.address };
}

// The first of the low surrogates: alone, none is in any decoded text.
const firstByteUnit = 0xdc00;

/** The memos of some instructions, in order. Those that are not UTF-8 have a lone surrogate for each byte. */
export function memosOf(instructions: readonly Instruction[]): string[] {
  return instructions.filter(({ program }) => memoPrograms.includes(program)).map(({ data }) => memoOfBytes(data));
}

// Different bytes never give the same text.
function memoOfBytes(data: Uint8Array): string {
  return decodeUtf8(data) ?? Array.from(data, (byte) => String.fromCharCode(firstByteUnit + byte)).join('');
}

const encoder = new TextEncoder();

/**
 * What a node lists of one of the memos of a transaction: `[12] invoice 1001`.
 *
 * From `extract_memos` of Agave's `transaction-status`: the number counts bytes.
 */
export function memoRecordOf(memo: string): string {
  return memo.isWellFormed() ? `[${encoder.encode(memo).length}] ${memo}` : `[${memo.length}] (unparseable)`;
}
