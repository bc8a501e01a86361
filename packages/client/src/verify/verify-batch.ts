import { bounded } from './check-budget.ts';
import { checkTransaction } from './check-transaction.ts';
import { formatAmount, thingOf, totalOf } from './describe.ts';
import { expectBatch, type Fields, isFields, readList, toFields, type VerifyOptions } from './expectation.ts';
import { maxLength } from './message.ts';
import { dataOf, expectClaims, lifetimeTokenOf, readBytes } from './reply.ts';
import { expectAtMost, expectSame, VerificationError } from './verification-error.ts';
import type { VerifiedTransaction, VerifiedTransfer } from './verified-transaction.ts';

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
  const fields = toFields(request);
  const expectation = expectBatch(fields, options);
  const data = dataOf(reply);
  if (!isFields(data)) throw new VerificationError('invalid_reply', 'data', 'an object', typeof data);
  const lifetimeToken = lifetimeTokenOf(data, options, expectation);
  const listOf = (name: string): readonly Fields[] => readList(data[name], name, 'invalid_reply');
  const left = new Set<unknown>(expectation.payments.keys());
  const take = (claims: Fields): readonly number[] => takeTransfers(claims, left);
  const landed = listOf('landed_transactions').map((claims) => {
    return { transfers: take(claims), signature: `${claims.signature}` };
  });
  const { sponsored } = expectation;
  let sponsorFees = 0n;
  const verify = async (claims: Fields, token: string | undefined): Promise<VerifiedPart> => {
    const transfers = take(claims);
    // In the order of the reply, which is that of the transaction.
    const payments = transfers.flatMap((index) => expectation.payments[index] ?? []);
    const mint = payments[0]?.mint ?? '';
    for (const payment of payments) expectSame('wrong_transfers', 'mint', mint, payment.mint);
    const bytes = readBytes(claims.transaction, 'base64');
    // The bound is of all transactions together.
    const terms = sponsored && { ...sponsored, maxFee: sponsored.maxFee - sponsorFees };
    const own = { ...expectation, mint, payments, sponsored: terms };
    const known = { ...options, lifetimeToken: token };
    // The caller knows the mint of the batch.
    if (mint !== expectation.mint) known.decimals = known.tokenProgram = undefined;
    const verified = await checkTransaction(bytes, own, known, claims.sponsor_fee);
    sponsorFees += verified.sponsorFee?.amount ?? 0n;
    expectClaims({ ...claims, transaction_version: data.transaction_version }, verified);
    return { ...verified, transfers };
  };
  const transactions: VerifiedPart[] = [];
  for (const claims of listOf('transactions')) transactions.push(await verify(claims, lifetimeToken));
  const pending: VerifiedPart[] = [];
  const unpaid: number[] = [];
  for (const claims of listOf('pending_transactions')) {
    // The headers of the reply are about what is new.
    const own = { ...options, lifetimeToken: undefined };
    if (claims.transaction === undefined) unpaid.push(...take(claims));
    else pending.push(await verify(claims, lifetimeTokenOf(claims, own, expectation)));
  }
  const refused = listOf('refused');
  // Who does not ask for it gets all that is not made yet.
  if (fields.skip_refused !== true) expectSame('wrong_transfers', 'refused transfers', 0, refused.length);
  for (const { index } of refused) unpaid.push(...take({ transfers: [index] }));
  expectSame('wrong_transfers', 'transfers not made', 'none', [...left].join() || 'none');
  const all = [...pending, ...transactions];
  expectDistinct(all, options);
  const fees = all.reduce((sum, each) => sum + each.priorityFeeLamports, 0n);
  const { maxBatchPriorityFeeLamports: maxFees = 10_000_000n } = options;
  const verified = { transactions, pending, landed, unpaid };
  const said = [
    ...describeBatch(verified),
    sponsored && `${sponsorFees} base units of the mint ${sponsored.mint} are the sponsor's fee`,
    `priority fees: ${bounded(fees, maxFees)} of at most ${maxFees} lamports`,
  ];
  return { ...verified, sentence: said.filter(Boolean).join('; ') };
}

/** Throws where two transactions are the same or live by one nonce, so that the network takes one, or where there are more than are needed. */
function expectDistinct(all: readonly VerifiedPart[], { allowMoreTransactions }: VerifyOptions): void {
  const landing = new Set(all.map(({ nonce, messageHash }) => nonce?.account ?? messageHash)).size;
  expectSame('wrong_transfers', 'transactions that can all land', all.length, landing);
  const need = all.reduce((sum, each) => sum + shareOf(each, each.transaction.length), 0);
  // Each time that a part was built, its last transaction of each mint may have been nearly empty.
  const builds = Math.max(1, new Set(all.map(({ lifetimeToken, mint }) => lifetimeToken + mint)).size);
  const max = Math.floor(builds + (need * 4) / 3);
  if (!allowMoreTransactions) expectAtMost('wrong_transfers', 'transactions', max, all.length);
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

function describeBatch({ transactions, pending, landed, unpaid }: Omit<VerifiedBatch, 'sentence'>) {
  const all = [...pending, ...transactions];
  const [first] = all;
  const payments = all.flatMap((each) => each.payments).length;
  const paid = landed.flatMap(({ transfers }) => transfers).length;
  const sums = [...new Set(all.map(({ mint }) => mint))].map((mint) => {
    const own = all.filter((each) => each.mint === mint);
    const sent = own.flatMap((each) => each.payments);
    return `${formatAmount(totalOf(sent), own[0]?.decimals ?? 0)} ${thingOf(mint)}`;
  });
  const payers = [...new Set(all.map(({ feePayer }) => feePayer))].join(' and ');
  return [
    first
      ? `${first.sender} sends ${sums.join(' and ')} in ${payments} payments by ${all.length} transaction${all.length > 1 ? 's' : ''}`
      : 'no transaction is left to sign',
    first && `${payers} pays the network fee`,
    paid > 0 && `${paid} more are said to have landed before`,
    unpaid.length > 0 && `${unpaid.length} more are not in them`,
  ];
}

// Each of the transfers that are left once.
function takeTransfers({ transfers }: Fields, left: Set<unknown>): readonly number[] {
  if (!Array.isArray(transfers) || transfers.length === 0) {
    throw new VerificationError('wrong_transfers', 'transfers', 'a list of indices', transfers);
  }
  return transfers.map((index: unknown) => {
    if (left.delete(index)) return Number(index);
    throw new VerificationError('wrong_transfers', 'transfers', 'each index once', index);
  });
}
