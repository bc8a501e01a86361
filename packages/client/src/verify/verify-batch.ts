import { bounded } from './check-budget.ts';
import { checkTransaction, type VerifiedTransaction } from './check-transaction.ts';
import { describeTransaction, formatAmount, totalOf } from './describe.ts';
import { expectBatch, type Fields, isFields, toFields, type VerifyOptions } from './expectation.ts';
import { maxLength } from './message.ts';
import { dataOf, expectClaims, lifetimeTokenOf, readBytes } from './reply.ts';
import { expectSame, VerificationError } from './verification-error.ts';
import type { VerifiedTransfer } from './verify-transfer.ts';

/** The transactions of a batch, which together make each of its transfers once. */
export interface VerifiedBatch {
  transactions: readonly (VerifiedTransfer & { transfers: readonly number[] })[];
  /** What the reply says has landed before, under an `Idempotency-Key`, which is not verified: see what their signatures did. */
  landed: readonly { transfers: readonly number[]; signature: string }[];
  sentence: string;
}

/**
 * Verifies that the transactions of a reply to `/v1/transfers/batch` make each transfer of the request once, and nothing else.
 *
 * Rejects with a `VerificationError` that names the first difference.
 */
export async function verifyBatch(
  request: object,
  reply: unknown,
  options: VerifyOptions = {},
): Promise<VerifiedBatch> {
  const expectation = expectBatch(toFields(request), options);
  const data = dataOf(reply);
  if (!isFields(data)) throw new VerificationError('invalid_reply', 'data', 'an object', typeof data);
  const lifetimeToken = lifetimeTokenOf(data, options, expectation);
  const claimed = listOf(data, 'transactions');
  if (expectation.nonceAccount !== undefined) {
    expectSame('wrong_transfers', 'transactions that live by the nonce', 1, claimed.length);
  }
  const made = new Set<number>();
  const take = (claims: Fields): readonly number[] => takeTransfers(claims, expectation.payments.length, made);
  const landed = listOf(data, 'landed').map((claims) => {
    return { transfers: take(claims), signature: `${claims.signature}` };
  });
  const transactions: (VerifiedTransfer & { transfers: readonly number[] })[] = [];
  let need = 0;
  let fees = 0n;
  for (const claims of claimed) {
    const transfers = take(claims);
    // In the order of the reply, which is that of the transaction.
    const payments = transfers.flatMap((index) => expectation.payments[index] ?? []);
    const bytes = readBytes(claims.transaction, 'base64');
    const verified = await checkTransaction(bytes, { ...expectation, payments }, { ...options, lifetimeToken });
    expectClaims({ ...claims, transaction_version: data.transaction_version }, verified);
    need += shareOf(verified, bytes.length);
    fees += verified.priorityFeeLamports;
    transactions.push({ ...verified, transfers, transaction: bytes, sentence: describeTransaction(verified) });
  }
  expectSame('wrong_transfers', 'transfers that are made', expectation.payments.length, made.size);
  // The network takes two that are the same for one, and so would one payment not be made.
  const different = new Set(transactions.map(({ transaction }) => transaction.join())).size;
  expectSame('wrong_transfers', 'transactions that differ', transactions.length, different);
  const max = Math.floor(1 + (need * 4) / 3);
  if (transactions.length > max && !options.allowMoreTransactions) {
    throw new VerificationError('wrong_transfers', 'transactions', `at most ${max}`, transactions.length);
  }
  const { maxBatchPriorityFeeLamports: maxFees = 10_000_000n } = options;
  const sentence = `${describeBatch({ transactions, landed })}; priority fees: ${bounded(fees, BigInt(maxFees))} of at most ${maxFees} lamports`;
  return { transactions, landed, sentence };
}

/**
 * The share of a transaction that its payments need: of each, one by how many of its like would fit. What they take is rounded up, so that
 * no batch which is packed well has too many transactions.
 */
function shareOf({ version, payments }: VerifiedTransaction, length: number): number {
  const sizes = payments.map(({ memo = '', references, hookAccounts: { length: hooked }, createsTokenAccount }) => {
    const created = Number(createsTokenAccount);
    const named = 1 + references.length + hooked;
    const foreign = memo.replace(/[ -~]/g, '').length;
    // Of accounts and instructions, with those that programs call; of compute units, of which the Memo program takes most.
    const entries = (named + 8 * created + 2 * hooked + Math.sign(memo.length)) / 53;
    const units = 0.02 + hooked / 25 + memo.length / 3_700 + foreign / 66;
    return { bytes: 22 + 33 * named + 42 * created + memo.length, others: Math.max(entries, units) };
  });
  const room = sizes.reduce((sum, { bytes }) => sum + bytes, maxLength[version] - length);
  return sizes.reduce(
    (sum, { bytes, others }) => sum + 1 / Math.floor(Math.max(1, 1 / Math.max(bytes / room, others))),
    0,
  );
}

function describeBatch({ transactions, landed }: Omit<VerifiedBatch, 'sentence'>): string {
  const [first] = transactions;
  const payments = transactions.flatMap((each) => each.payments);
  const paid = landed.flatMap(({ transfers }) => transfers).length;
  const before = paid > 0 ? `; ${paid} more are said to have landed before` : '';
  if (!first) return `no transaction is left to sign${before}`;
  const amount = formatAmount(totalOf(payments), first.decimals);
  const count = `${transactions.length} transaction${transactions.length > 1 ? 's' : ''}`;
  return `${first.sender} sends ${amount} tokens of the mint ${first.mint} in ${payments.length} payments by ${count}${before}`;
}

function takeTransfers(claims: Fields, count: number, made: Set<number>): readonly number[] {
  const transfers: unknown = claims.transfers;
  if (!Array.isArray(transfers) || transfers.length === 0) {
    throw new VerificationError('wrong_transfers', 'transfers', 'a list of indices', transfers);
  }
  return transfers.map((index: unknown) => {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || made.has(index)) {
      throw new VerificationError('wrong_transfers', 'index of a transfer', `each below ${count} once`, index);
    }
    made.add(index);
    return index;
  });
}

function listOf(data: Fields, name: string): readonly Fields[] {
  const list = data[name] ?? [];
  if (Array.isArray(list) && list.every(isFields)) return list;
  throw new VerificationError('invalid_reply', name, 'a list', typeof list);
}
