import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { IssuedTransaction } from '../../../src/links/records/payment-link.ts';
import { readByHand } from '../../store/change-by-hand.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import { anyAddress } from './links.ts';

const height = 1_000n;

/** A transaction of which the bytes are a number. */
function built(number: number, changes: Partial<IssuedTransaction> = {}): IssuedTransaction {
  return { ...sample, bytes: Uint8Array.of(number), ...changes };
}

const sample: IssuedTransaction = {
  linkId: 'link1',
  payer: anyAddress(),
  mint: anyAddress(),
  amount: 2n ** 64n - 1n,
  paymentsBefore: 0,
  bytes: new Uint8Array(),
  lastValidBlockHeight: height,
};

for (const { name, newUrl } of keyDatabases) {
  describe(`what payers of links were given, in ${name}`, () => {
    async function open(t: TestContext) {
      const url = await newUrl(t);
      const stores = [await openPatiently(url, t), await openPatiently(url, t)];
      const [store, other] = stores.map((each) => each.links);
      assert.ok(store && other);
      const given = async (number: number, changes: Partial<IssuedTransaction> = {}, by = store) => {
        const asked = built(number, changes);
        return (await by.issue(asked)).find(({ amount }) => amount === asked.amount)?.bytes[0];
      };
      return { url, store, other, given };
    }

    it('of a sponsor is one at a time, counted with what it costs or not at all, from two processes too', async (t) => {
      const { store, other } = await open(t);
      const counted = ['key', 'link1'].map((keyId) => ({
        added: { keyId, day: '2026-11-28', mint: 'sponsored_lamports', amount: 10n },
        limit: 25n,
      }));
      const fee = { token_mint_address: 'm', recipient: 'r', recipient_token_account: 'a' };
      const sponsorFee = { ...fee, amount: { base_units: '7', decimal: '0.7' } };
      const give = (number: number, changes: Partial<IssuedTransaction> = {}, landed: readonly Uint8Array[] = []) =>
        (number % 2 === 0 ? store : other).issueSponsored(built(number, { sponsorFee, ...changes }), landed, counted);
      const found = async (newestHeight = height) => {
        const issued = await store.findIssued(sample, newestHeight);
        return issued.map(({ bytes: [number], sponsorFee: paid }) => [number, paid?.amount.base_units]);
      };
      const ended = await Promise.all(
        Array.from({ length: 6 }, (_, number) => give(number, { amount: BigInt(number + 1) })),
      );
      assert.deepEqual(
        ended.filter((each) => each !== 'other_can_land'),
        ['issued'],
      );
      const first = ended.indexOf('issued');
      assert.deepEqual(await found(), [[first, '7']]);
      assert.equal(await give(8, { lastValidBlockHeight: height + 150n }), 'other_can_land');
      // One process has seen another payment, and does not know what the other has given since.
      const others = [built(7).bytes];
      assert.equal(await give(8, { paymentsBefore: 1 }, others), 'other_can_land');
      assert.equal(await give(8, {}, [...others, built(first).bytes]), 'issued');
      assert.equal(await give(9, { lastValidBlockHeight: height + 151n }), 'limit_reached');
      assert.deepEqual(await found(height + 151n), [], 'what is not counted is not stored');
      assert.equal(await give(9, { payer: anyAddress() }), 'limit_reached', 'for all payers together');
    });

    it('is the first of those that two processes have built at the same moment', async (t) => {
      const { given, store, other } = await open(t);
      const numbers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => given(index, {}, index % 2 === 0 ? store : other)),
      );
      assert.equal(new Set(numbers).size, 1, numbers.join(' '));
      assert.deepEqual(await store.issue(built(99)), [built(numbers[0] ?? 99)]);
    });

    it('is given again until its last block has passed, also by a node that is behind or was wrong', async (t) => {
      const { given } = await open(t);
      assert.equal(await given(1), 1);
      assert.equal(await given(2, { lastValidBlockHeight: height + 150n }), 1);
      assert.equal(await given(3, { lastValidBlockHeight: height - 150n }), 1);
      assert.equal(await given(4, { lastValidBlockHeight: height + 151n }), 4);
      // One so far ahead was never a height of this chain.
      assert.equal(await given(5, { lastValidBlockHeight: height }), 5);
    });

    it('is of this link, this payer and this amount alone, and spent by a payment that was seen since', async (t) => {
      const { given, store } = await open(t);
      const changes = [{}, { linkId: 'link2' }, { payer: anyAddress() }, { amount: 1n }];
      for (const [number, each] of changes.entries()) assert.equal(await given(number, each), number);
      for (const [number, each] of changes.entries()) assert.equal(await given(9, each), number);
      assert.equal(await given(10, { paymentsBefore: 1 }), 10);
      // A process that has not seen the payment yet.
      assert.equal(await given(11), 10);
      const all = await store.issue(built(12, { amount: 3n }));
      assert.deepEqual(
        all.map(({ amount, bytes: [number] }) => [amount, number]).sort((a, b) => Number(a[1]) - Number(b[1])),
        [
          [1n, 3],
          [sample.amount, 10],
          [3n, 12],
        ],
      );
    });

    it('is deleted once newer ones show that it cannot land', async (t) => {
      const { url, store } = await open(t);
      const heights = [height, height + 100n, height + 101n, height + 400n];
      for (const [number, lastValidBlockHeight] of heights.entries()) {
        await store.issue(built(number, { linkId: `link${number}`, lastValidBlockHeight }));
      }
      assert.deepEqual([await store.pruneIssued(), await store.pruneIssued()], [1, 0]);
      const left = await readByHand(url, 'select link_id from issued_transactions order by link_id');
      assert.deepEqual(
        left.map(({ link_id: id }) => id),
        ['link1', 'link2', 'link3'],
      );
    });
  });
}
