import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RequestId } from '../../../src/idempotency/idempotent-request.ts';
import type { IdempotencyRecords } from '../../../src/idempotency/records/idempotency-records.ts';
import { isAppError } from '../../../src/problems.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import {
  claimBy,
  landedWith,
  leaseMs,
  nothing,
  replyWith,
  requestOf,
  retentionMs,
  sentAs,
  start,
} from './idempotent-requests.ts';

const id = requestOf('order-1');
const other = requestOf('order-2');

const isTaken = (error: unknown): boolean => isAppError(error, 'identical_transaction');

/** Stores a reply with these messages by the attempt "1". */
function completeWith(
  store: IdempotencyRecords,
  request: RequestId,
  messageHashes: readonly string[],
  keptMs = retentionMs,
): Promise<boolean> {
  return store.complete(request, '1', replyWith({ sent: sentAs(messageHashes) }), start, keptMs);
}

/** Claims a request for the attempt "1", and stores its messages. */
async function storeMessages(...[store, request, ...more]: Parameters<typeof completeWith>): Promise<boolean> {
  await store.claim(request, claimBy('1'));
  return completeWith(store, request, ...more);
}

for (const { name, newUrl } of keyDatabases) {
  async function openStore(t: TestContext): Promise<IdempotencyRecords> {
    const store = await openPatiently(await newUrl(t), t);
    return store.idempotency;
  }

  describe(`the messages of requests in ${name}`, () => {
    it('belong to the one that stored them first, each of them', async (t) => {
      const store = await openStore(t);
      assert.equal(await storeMessages(store, id, ['m1', 'm2', 'm3']), true);
      await store.claim(other, claimBy('1'));
      await assert.rejects(completeWith(store, other, ['m0', 'm3']), isTaken);
      assert.equal(
        await completeWith(store, other, ['m4', 'm5']),
        true,
        'it has kept its claim, and nothing was stored',
      );
      for (const [message, ofOther, ofId] of [
        ['m0', false, false],
        ['m1', true, false],
        ['m3', true, false],
        ['m4', false, true],
        ['m6', false, false],
      ] as const) {
        assert.equal(await store.isBuiltByAnother(message, other), ofOther, message);
        assert.equal(await store.isBuiltByAnother(message, id), ofId, message);
      }
      for (const changes of [{ scope: 'key_2' }, { path: '/' }, { key: 'order-3' }]) {
        assert.equal(await store.isBuiltByAnother('m1', { ...id, ...changes }), true);
      }
    });

    it('are counted towards the limits of a day in the write that stores them, or not at all', async (t) => {
      const store = await openPatiently(await newUrl(t), t);
      const day = '2026-11-22';
      const storeCounted = async (request: RequestId, message: string): Promise<boolean> => {
        await store.idempotency.claim(request, claimBy('1'));
        const counted = [{ added: { keyId: 'key_1', day, mint: 'm', amount: 4n }, limit: 10n, pointer: '/amount' }];
        const reply = { ...replyWith({ sent: sentAs([message]) }), counted };
        return store.idempotency.complete(request, '1', reply, start, retentionMs);
      };
      const sum = async () => (await store.findDailyAmounts('key_1', day)).get('m');
      assert.equal(await storeCounted(id, 'm1'), true);
      await assert.rejects(storeCounted(other, 'm1'), isTaken);
      assert.equal(await sum(), 4n);
      assert.equal(await storeCounted(other, 'm2'), true);
      const third = requestOf('order-3');
      await assert.rejects(storeCounted(third, 'm3'), { code: 'daily_limit_reached', message: /8 today: 2 are left/ });
      assert.deepEqual([await sum(), await store.idempotency.isBuiltByAnother('m3', id)], [8n, false]);
    });

    for (const [what, changes] of [
      ['customer', { scope: 'key_2' }],
      ['path', { path: '/v1/transfers/batch' }],
    ] as const) {
      const twin = { ...id, ...changes };

      it(`belong to one of two requests under the same key, of which each has another ${what}`, async (t) => {
        const store = await openStore(t);
        assert.equal(await storeMessages(store, id, ['m1']), true);
        await assert.rejects(storeMessages(store, twin, ['m1']), isTaken);
        assert.equal(await completeWith(store, twin, ['m2']), true);
        for (const [message, owner, stranger] of [
          ['m1', id, twin],
          ['m2', twin, id],
        ] as const) {
          assert.equal(await store.isBuiltByAnother(message, owner), false);
          assert.equal(await store.isBuiltByAnother(message, stranger), true);
        }
      });

      it(`stay when a request under the same key with another ${what} has expired`, async (t) => {
        const store = await openStore(t);
        await storeMessages(store, twin, ['m1'], 10);
        await storeMessages(store, id, ['m2']);
        for (let count = -1; count !== 0; ) count = await store.prune(start + 10);
        assert.equal(await store.isBuiltByAnother('m1', other), false);
        assert.equal(await store.isBuiltByAnother('m2', other), true);
      });
    }

    it('are stored by an attempt that has the request, and by no other', async (t) => {
      const store = await openStore(t);
      assert.equal(await completeWith(store, id, ['m1']), false, 'nobody has it');
      await store.claim(id, claimBy('2'));
      assert.equal(await completeWith(store, id, ['m1']), false);
      await store.claim(id, claimBy('1', { now: start + leaseMs }));
      assert.equal(await completeWith(store, id, ['m2']), true);
      assert.equal(await completeWith(store, id, ['m1']), false, 'it has built');
      assert.equal(await store.isBuiltByAnother('m1', other), false);
    });

    it('are free again when their request is deleted, and not when it is built again', async (t) => {
      const store = await openStore(t);
      await storeMessages(store, id, ['m1'], 10);
      const again = await store.claim(id, claimBy('2'));
      assert.ok(again.kind === 'built');
      await store.reclaim(id, again.record, claimBy('1', { retentionMs: 10 }), { ...nothing, landed: [landedWith()] });
      await assert.rejects(storeMessages(store, other, ['m1']), isTaken, 'it is known as one of the first');
      assert.equal(await completeWith(store, id, ['m2', 'm1'], 10), true, 'they are its own');
      while ((await store.prune(start + 10)) > 0);
      assert.equal(await completeWith(store, other, ['m1']), true);
    });

    it('are deleted a thousand at a time once their requests have expired, before these, and no others', async (t) => {
      const store = await openStore(t);
      const messagesOf = (key: string) => Array.from({ length: 700 }, (_, index) => `${key} ${index}`);
      const keys = ['old 1', 'old 2', 'old 3'];
      for (const key of keys) await storeMessages(store, requestOf(key), messagesOf(key), 10);
      await storeMessages(store, id, ['m1']);
      assert.equal(await store.prune(start + 9), 0);
      const deleted = [];
      for (let count = -1; count !== 0; deleted.push(count)) count = await store.prune(start + 10);
      assert.deepEqual(deleted, [1_000, 1_000, 3, 0]);
      for (const message of keys.flatMap((key) => messagesOf(key).slice(-2))) {
        assert.equal(await store.isBuiltByAnother(message, other), false, message);
      }
      assert.equal(await store.isBuiltByAnother('m1', other), true);
    });
  });

  describe(`what is known of a request that is built again in ${name}`, () => {
    /** A store in which a request is built again of which something has landed, and something may. */
    async function storeWithKnowledge(t: TestContext) {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      await store.complete(id, '1', replyWith(), start, retentionMs);
      const claim = await store.claim(id, claimBy('2'));
      assert.ok(claim.kind === 'built');
      assert.deepEqual(claim.record.landed, []);
      const landed = [landedWith(), landedWith({ transfers: [7], slot: 2n ** 64n - 1n, blockTime: null })];
      const known = { transactions: claim.record.transactions.slice(1), landed };
      const reclaimed = await store.reclaim(id, claim.record, claimBy('2', { now: start + 5 }), known);
      const startedAt = start + 5;
      const expiresAt = startedAt + retentionMs;
      const record = { ...known, whole: undefined, attempt: '2', state: 'building', startedAt, expiresAt } as const;
      assert.deepEqual(reclaimed, record);
      return { store, known, record };
    }

    it('is given back with what is built then', async (t) => {
      const { store, known } = await storeWithKnowledge(t);
      await store.complete(id, '2', replyWith({ whole: undefined }), start, retentionMs);
      const again = await store.claim(id, claimBy('3'));
      assert.ok(again.kind === 'built');
      const { landed, whole, transactions } = again.record;
      assert.deepEqual([landed, whole, transactions], [known.landed, undefined, replyWith().transactions]);
    });

    it('is found at the end of the lease, and at once after the attempt gave up', async (t) => {
      const { store, record } = await storeWithKnowledge(t);
      const now = start + 5 + leaseMs;
      assert.equal((await store.claim(id, claimBy('3', { now: now - 1 }))).kind, 'building');
      assert.deepEqual(await store.claim(id, claimBy('3', { now })), { kind: 'built', record });
      await store.release(id, '1');
      assert.equal((await store.claim(id, claimBy('4', { now: now - 1 }))).kind, 'building', 'it was not its own');
      await store.release(id, '2');
      assert.deepEqual(await store.claim(id, claimBy('5', { now: now - 1 })), {
        kind: 'built',
        record: { ...record, state: 'built' },
      });
    });

    it('is kept as long as the earlier record was, where that was longer', async (t) => {
      const { store, known, record } = await storeWithKnowledge(t);
      const reclaimed = await store.reclaim(id, record, claimBy('3', { retentionMs: 1 }), known);
      assert.equal(reclaimed?.expiresAt, record.expiresAt);
    });

    it('is not replaced by who read it before an attempt that outlasted its lease has stored more', async (t) => {
      const { store, known, record } = await storeWithKnowledge(t);
      const now = start + 5 + leaseMs;
      assert.deepEqual(await store.claim(id, claimBy('3', { now })), { kind: 'built', record });
      assert.equal(await store.complete(id, '2', replyWith({ whole: undefined }), now, retentionMs), true);
      assert.equal(await store.reclaim(id, record, claimBy('3', { now }), known), undefined);
    });

    it('keeps another body away, until it has expired', async (t) => {
      const { store } = await storeWithKnowledge(t);
      await store.release(id, '2');
      const late = { now: start + 5 + leaseMs, bodyHash: 'b' };
      assert.deepEqual(await store.claim(id, claimBy('3', late)), { kind: 'other_body' });
      const expired = claimBy('4', { now: start + 5 + retentionMs, bodyHash: 'b' });
      assert.deepEqual(await store.claim(id, expired), { kind: 'claimed' });
      await store.complete(id, '4', replyWith(), start + 5 + retentionMs, retentionMs);
      const again = await store.claim(id, claimBy('5', { now: start + 5 + retentionMs, bodyHash: 'b' }));
      assert.deepEqual(again.kind === 'built' && again.record.landed, [], 'it is of the other one');
    });
  });
}
