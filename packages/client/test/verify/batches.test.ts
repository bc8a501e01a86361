import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import type { BatchWorld } from '../../../../test/judge/batches/batch-world.ts';
import { drawBatch } from '../../../../test/judge/batches/draw-batch.ts';
import { allRules, openCourt } from '../../../../test/judge/court.ts';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { SplwrightClient, VerificationError } from '../../src/index.ts';
import { verifyBatch } from '../../src/verify/index.ts';
import { type AnsweredBatch, answerBatch, type BatchReply } from './batch-worlds.ts';
import { putTogether, takeApart } from './parts.ts';
import { steal, thefts } from './thefts.ts';

const count = Number(process.env.VERIFY_BATCHES ?? propertyRuns(40));
const seed = Number(process.env.VERIFY_SEED ?? randomInt(2 ** 32));
const [rules] = allRules;
if (!rules) throw new Error('there are no rules');
const court = openCourt(rules);

const answers: Promise<AnsweredBatch | undefined>[] = [];

/** The answer to a request, each of which is asked once; undefined where the service refuses. */
function answerOf(number: number): Promise<AnsweredBatch | undefined> {
  answers[number] ??= answerBatch(court, drawBatch(seed, number));
  return answers[number];
}

interface Claim {
  transfers: readonly number[];
  signature?: string;
}

describe('a verified batch', () => {
  it(`is each of ${count} replies of the service to random requests, of seed ${seed}`, async () => {
    let answered = 0;
    for (let number = 0; answered < count; number++) {
      const answer = await answerOf(number);
      if (!answer) continue;
      answered++;
      const { request, reply, stage } = answer;
      const ofOneToken = stage.batch.transfers.every(({ token }) => token === 0);
      const decimals = ofOneToken ? stage.situation.decimals : undefined;
      const options = { decimals, allowTransferHook: true, maxBatchPriorityFeeLamports: 10n ** 10n };
      const { transactions, landed } = await verifyBatch(request, reply, options);
      const paid = transactions.flatMap(({ payments, transfers }) =>
        transfers.map((index, at) => [index, payments[at]]),
      );
      assert.equal(paid.length, stage.batch.transfers.length);
      assert.deepEqual(landed, []);
    }
  });

  it('makes each transfer once, whatever else the service says', async () => {
    const { request, reply } = await batchOfSeveral();
    const refused = async (change: (data: BatchReply['data']) => void, code?: string): Promise<void> => {
      const changed = structuredClone(reply);
      change(changed.data);
      await assert.rejects(verifyBatch(request, changed), code === undefined ? VerificationError : { code });
    };
    await refused(({ transactions }) => void transactions.pop(), 'wrong_transfers');
    await refused(({ transactions }) => void transactions.push(...transactions.slice(0, 1)), 'wrong_transfers');
    await refused(
      ({ transactions }) => void transactions[0]?.transfers.push(...transactions[0].transfers.slice(0, 1)),
      'wrong_transfers',
    );
    await refused(({ transactions }) => transactions[0]?.transfers.splice(0), 'wrong_transfers');
    await refused(({ transactions }) => transactions[0]?.transfers.push(100_000), 'wrong_transfers');
    await refused(({ transactions }) => transactions[0]?.transfers.push(0.5), 'wrong_transfers');
    await refused(({ transactions: [first, second] }) => {
      if (first && second) [first.transaction, second.transaction] = [second.transaction, first.transaction];
    });
    await refused(({ transactions: [first, second] }) => {
      if (first && second) first.transaction = second.transaction;
    });
    await refused((data) => Object.assign(data, { transactions: {} }), 'invalid_reply');
    await refused((data) => Object.assign(data, { transaction_version: 7 }), 'wrong_version');
  });

  it('names what is said to have landed before, which it cannot verify', async () => {
    const paysTwice = ({ transactions }: BatchReply['data']): boolean =>
      transactions.length > 1 && (transactions[0]?.transfers.length ?? 0) > 1;
    const { request, reply } = await findBatch(paysTwice);
    const [first, ...others] = reply.data.transactions;
    if (!first) throw new Error('there is no transaction');
    const landed = [{ transfers: first.transfers, signature: 'one' }];
    const verified = await verifyBatch(request, {
      data: { ...reply.data, transactions: others, landed_transactions: landed },
    });
    assert.deepEqual(verified.landed, landed);
    const paid = first.transfers.length;
    const claims = reply.data.transactions.map(({ transfers, signature = 'one' }: Claim) => ({ transfers, signature }));
    const all = await verifyBatch(request, { data: { ...reply.data, transactions: [], landed_transactions: claims } });
    const { length } = claims.flatMap(({ transfers }) => transfers);
    const none = `no transaction is left to sign; ${length} more are said to have landed before`;
    assert.ok(all.sentence.startsWith(none), all.sentence);
    assert.ok(verified.sentence.includes(`; ${paid} more are said to have landed before;`), verified.sentence);
  });

  it('has those that may still land verified as those that are new, and no bytes for others or what is refused', async () => {
    const isLarge = ({ transactions }: BatchReply['data']): boolean => transactions.length > 3;
    const { request, reply } = await findBatch(isLarge);
    const { lifetime, ...data } = reply.data;
    const [first, second, third, ...rest] = data.transactions;
    if (!first || !second || !third) throw new Error('there are too few transactions');
    const pending = [
      { transaction: first.transaction, transfers: first.transfers, lifetime },
      { transfers: second.transfers, lifetime },
    ];
    const refused = third.transfers.map((index) => ({ index, errors: [] }));
    const wanted = { ...request, skip_refused: true };
    const changed = (more: object = {}) => ({
      data: { ...data, lifetime, transactions: rest, pending_transactions: pending, refused, ...more },
    });
    const verified = await verifyBatch(wanted, changed());
    assert.deepEqual(
      verified.pending.map(({ transfers }) => transfers),
      [first.transfers],
    );
    assert.deepEqual(verified.unpaid, [...second.transfers, ...third.transfers]);
    assert.ok(verified.sentence.includes(`; ${verified.unpaid.length} more are not in them;`), verified.sentence);
    await assert.rejects(verifyBatch(request, changed()), { code: 'wrong_transfers' }, 'nobody asked for that');
    await assert.rejects(verifyBatch(wanted, changed({ refused: [] })), { code: 'wrong_transfers' });
    const twice = [...pending, { transfers: first.transfers, lifetime }];
    await assert.rejects(verifyBatch(wanted, changed({ pending_transactions: twice })), { code: 'wrong_transfers' });
    const swapped = [{ ...pending[0], transaction: second.transaction }, pending[1]];
    await assert.rejects(verifyBatch(wanted, changed({ pending_transactions: swapped })), VerificationError);
    const other = { blockhash: data.transactions[0]?.signers[0], last_valid_block_height: '1000' };
    const wrong = [{ ...pending[0], lifetime: other }, pending[1]];
    await assert.rejects(verifyBatch(wanted, changed({ pending_transactions: wrong })), { code: 'wrong_lifetime' });
    const same = [{ ...pending[0], transaction: rest[0]?.transaction, transfers: rest[0]?.transfers }];
    await assert.rejects(verifyBatch(wanted, changed({ pending_transactions: same })), { code: 'wrong_transfers' });
  });

  it('pays at most 10,000,000 lamports for priority in all its transactions, or what the caller allows', async () => {
    const { request, reply } = await findBatch(({ transactions }) => transactions.length > 1, true);
    const { transactions } = await verifyBatch(request, reply, { maxBatchPriorityFeeLamports: 10n ** 10n });
    const fees = transactions.reduce((sum, { priorityFeeLamports }) => sum + priorityFeeLamports, 0n);
    const { sentence } = await verifyBatch(request, reply, { maxBatchPriorityFeeLamports: fees });
    assert.ok(sentence.endsWith(`; priority fees: ${fees} of at most ${fees} lamports`), sentence);
    const expected = { code: 'priority_fee_too_high', expected: `at most ${fees - 1n}`, actual: `${fees}` };
    await assert.rejects(verifyBatch(request, reply, { maxBatchPriorityFeeLamports: fees - 1n }), expected);
  });

  it('comes in at most a third more transactions than its payments need, unless the caller allows more', async () => {
    const answered = await answerBatch(court, plainBatch);
    assert.ok(answered);
    const { request, reply } = answered;
    const transactions = reply.data.transactions.flatMap((each) => {
      const { instructions, ...parts } = takeApart(Buffer.from(each.transaction, 'base64'));
      return each.transfers.map((transfer, index) => {
        const bytes = putTogether({ ...parts, instructions: instructions.slice(index, index + 1) });
        return { ...each, transfers: [transfer], transaction: Buffer.from(bytes).toString('base64') };
      });
    });
    const split: BatchReply = { data: { ...reply.data, transactions } };
    await verifyBatch(request, reply);
    await assert.rejects(verifyBatch(request, split), { code: 'wrong_transfers', part: 'transactions' });
    await verifyBatch(request, split, { allowMoreTransactions: true });
  });

  it('that lives by a nonce is one transaction, whatever the caller allows', async () => {
    const transfers = plainBatch.transfers.slice(0, 2);
    const answered = await answerBatch(court, { ...plainBatch, transfers, nonceState: 'of_sender' });
    const [whole] = answered?.reply.data.transactions ?? [];
    assert.ok(answered && whole);
    const { request, reply } = answered;
    const { instructions, ...parts } = takeApart(Buffer.from(whole.transaction, 'base64'));
    const [advance, ...payments] = instructions;
    assert.ok(advance);
    const transactions = payments.map((payment, index) => {
      const bytes = putTogether({ ...parts, instructions: [advance, payment] });
      return { ...whole, transfers: [index], transaction: Buffer.from(bytes).toString('base64') };
    });
    await verifyBatch(request, reply);
    const split = verifyBatch(request, { data: { ...reply.data, transactions } }, { allowMoreTransactions: true });
    await assert.rejects(split, { code: 'wrong_transfers', part: 'transactions that can all land' });
  });

  it('is what the client takes, and no theft in any of its transactions', async () => {
    const { request, reply } = await batchOfSeveral();
    const build = (data: BatchReply['data']): Promise<unknown> => {
      const fetch = async (): Promise<Response> => new Response(JSON.stringify({ data }));
      return new SplwrightClient({ url: 'https://service.example', apiKey: 'swk_test', fetch }).buildBatch(
        Object(request),
      );
    };
    await build(reply.data);
    for (const [name, theft] of Object.entries(thefts)) {
      const last = reply.data.transactions.at(-1);
      const bytes = last && steal(Uint8Array.from(Buffer.from(last.transaction, 'base64')), theft);
      if (!bytes || name === 'lives by another blockhash' || name === 'names other decimals') continue;
      const stolen = { ...last, transaction: Buffer.from(bytes).toString('base64') };
      const transactions = [...reply.data.transactions.slice(0, -1), stolen];
      await assert.rejects(build({ ...reply.data, transactions }), VerificationError, name);
    }
  });
});

// Of each transfer one instruction, and of no transaction another.
const plainBatch: BatchWorld = {
  seed,
  number: 0,
  mint: { kind: 'classic', decimals: 6 },
  otherTokens: [],
  transfers: Array.from({ length: 40 }, (_, recipient) => ({
    token: 0,
    recipient,
    wallet: 'funded',
    tokenAccount: 'open',
    amount: 1_000n,
    amountText: 'base_units',
    memo: undefined,
    references: [],
  })),
  creation: 'never',
  version: 0,
  isSponsored: false,
  priorityFee: undefined,
  nonceState: undefined,
  senderTokenAccount: 'open',
  balance: 'plenty',
  lamports: 'plenty',
  allowsOffCurveRecipient: false,
};

function batchOfSeveral(): Promise<{ request: object; reply: BatchReply }> {
  return findBatch(({ transactions }) => transactions.length > 1);
}

/** The first batch of recipients who differ, in one mint without a hook, with or without a priority fee, whose reply is one that is wanted. */
async function findBatch(
  isWanted: (data: BatchReply['data']) => boolean,
  hasPriorityFee = false,
): Promise<{ request: object; reply: BatchReply }> {
  for (let number = 0; ; number++) {
    const { mint, otherTokens, priorityFee, transfers } = drawBatch(seed, number);
    const isHooked = mint.kind === 'token_2022' && mint.extensions.some(({ kind }) => kind === 'transfer_hook');
    const recipients = new Set(transfers.map(({ recipient }) => recipient));
    const isMixed = recipients.size === transfers.length && otherTokens.length === 0 && !isHooked;
    if (!isMixed || hasPriorityFee !== (priorityFee !== undefined)) continue;
    const answered = await answerOf(number);
    if (answered && isWanted(answered.reply.data)) return answered;
  }
}
