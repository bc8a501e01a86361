import { bounded } from './check-budget.ts';
import { checkTransaction, type VerifiedTransaction } from './check-transaction.ts';
import { describeTransaction, formatAmount, thingOf, totalOf } from './describe.ts';
import { expectBatch, type Fields, isFields, toFields, type VerifyOptions } from './expectation.ts';
import { maxLength } from './message.ts';
import { dataOf, expectClaims, lifetimeTokenOf, readBytes } from './reply.ts';
import { expectSame, VerificationError } from './verification-error.ts';
import type { VerifiedTransfer } from './verify-transfer.ts';

/** A transaction of a batch, and the transfers that it makes. */
type VerifiedPart = VerifiedTransfer & { transfers: readonly number[] };

/** The transactions of a batch, which together make each of its transfers once. */
export interface VerifiedBatch {
  transactions: readonly VerifiedPart[];
  /** Those that were built before under the same `Idempotency-Key` and can still be sent. */
  pending: readonly VerifiedPart[];
  /** What the reply says has landed before, which is not verified: see what their signatures did. */
  landed: readonly { transfers: readonly number[]; signature: string }[];
  /** The transfers that the reply says may still land, or cannot be paid now: it has no bytes for them to sign. */
  unpaid: readonly number[];
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
  const before = listOf(data, 'pending_transactions');
  const made = new Set<number>();
  const take = (claims: Fields): readonly number[] => takeTransfers(claims, expectation.payments.length, made);
  const landed = listOf(data, 'landed_transactions').map((claims) => {
    return { transfers: take(claims), signature: `${claims.signature}` };
  });
  let sponsorFees = 0n;
  const verify = async (claims: Fields, token: string | undefined): Promise<VerifiedPart> => {
    const transfers = take(claims);
    // In the order of the reply, which is that of the transaction.
    const payments = transfers.flatMap((index) => expectation.payments[index] ?? []);
    const mint = payments[0]?.mint ?? '';
    expectSame(
      'wrong_transfers',
      'mint',
      true,
      payments.every((payment) => payment.mint === mint),
    );
    const bytes = readBytes(claims.transaction, 'base64');
    const { sponsored } = expectation;
    // The bound is of all transactions together.
    const left = sponsored && { ...sponsored, maxFee: sponsored.maxFee - sponsorFees };
    const own = { ...expectation, mint, payments, sponsored: left };
    const known = { ...options, lifetimeToken: token };
    // The caller knows the mint of the batch.
    if (mint !== expectation.mint) known.decimals = known.tokenProgram = undefined;
    const verified = await checkTransaction(bytes, own, known, claims.sponsor_fee);
    sponsorFees += verified.sponsorFee?.amount ?? 0n;
    expectClaims({ ...claims, transaction_version: data.transaction_version }, verified);
    return { ...verified, transfers, transaction: bytes, sentence: describeTransaction(verified) };
  };
  const transactions: VerifiedPart[] = [];
  for (const claims of claimed) transactions.push(await verify(claims, lifetimeToken));
  const pending: VerifiedPart[] = [];
  for (const claims of before.filter(({ transaction }) => transaction !== undefined)) {
    // The headers of the reply are about what is new.
    const own = lifetimeTokenOf(claims, { ...options, lifetimeToken: undefined }, expectation);
    pending.push(await verify(claims, own));
  }
  const unpaid = [
    ...before.filter(({ transaction }) => transaction === undefined).flatMap(take),
    ...refusedOf(data, request).flatMap(({ index }) => take({ transfers: [index] })),
  ];
  expectSame('wrong_transfers', 'transfers that are made', expectation.payments.length, made.size);
  const all = [...pending, ...transactions];
  if (expectation.nonceAccount !== undefined) {
    expectSame('wrong_transfers', 'transactions that live by the nonce, at most 1', true, all.length <= 1);
  }
  expectDistinct(all, options);
  const fees = all.reduce((sum, each) => sum + each.priorityFeeLamports, 0n);
  const { maxBatchPriorityFeeLamports: maxFees = 10_000_000n } = options;
  const verified = { transactions, pending, landed, unpaid };
  const sentence = `${describeBatch(verified)}; priority fees: ${bounded(fees, BigInt(maxFees))} of at most ${maxFees} lamports`;
  return { ...verified, sentence };
}

/** Throws where two transactions are the same, of which the network takes one, or where there are more than are needed. */
function expectDistinct(all: readonly VerifiedPart[], { allowMoreTransactions }: VerifyOptions): void {
  const different = new Set(all.map(({ transaction }) => transaction.join())).size;
  expectSame('wrong_transfers', 'transactions that differ', all.length, different);
  const need = all.reduce((sum, each) => sum + shareOf(each, each.transaction.length), 0);
  // Each time that a part was built, its last transaction of each mint may have been nearly empty.
  const builds = Math.max(1, new Set(all.map(({ lifetimeToken, mint }) => lifetimeToken + mint)).size);
  const max = Math.floor(builds + (need * 4) / 3);
  if (all.length > max && !allowMoreTransactions) {
    throw new VerificationError('wrong_transfers', 'transactions', `at most ${max}`, all.length);
  }
}

// Who does not ask for it gets all that is not made yet.
function refusedOf(data: Fields, request: object): readonly Fields[] {
  const refused = listOf(data, 'refused');
  const isWanted = toFields(request).skip_refused === true;
  if (!isWanted) expectSame('wrong_transfers', 'refused transfers', 0, refused.length);
  return refused;
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

function describeBatch({ transactions, pending, landed, unpaid }: Omit<VerifiedBatch, 'sentence'>): string {
  const all = [...pending, ...transactions];
  const [first] = all;
  const payments = all.flatMap((each) => each.payments);
  const paid = landed.flatMap(({ transfers }) => transfers).length;
  const before =
    (paid > 0 ? `; ${paid} more are said to have landed before` : '') +
    (unpaid.length > 0 ? `; ${unpaid.length} more are not in them` : '');
  if (!first) return `no transaction is left to sign${before}`;
  const sums = [...new Set(all.map(({ mint }) => mint))].map((mint) => {
    const own = all.filter((each) => each.mint === mint);
    const sent = own.flatMap((each) => each.payments);
    return `${formatAmount(totalOf(sent), own[0]?.decimals ?? 0)} ${thingOf(mint)}`;
  });
  const count = `${all.length} transaction${all.length > 1 ? 's' : ''}`;
  return `${first.sender} sends ${sums.join(' and ')} in ${payments.length} payments by ${count}${before}`;
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
