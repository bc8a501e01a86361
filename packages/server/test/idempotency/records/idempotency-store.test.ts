import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { BuiltRecord, Claim, RequestId } from '../../../src/idempotency/idempotent-request.ts';
import type { IdempotencyRecords } from '../../../src/idempotency/records/idempotency-records.ts';
import { changeByHand } from '../../store/change-by-hand.ts';
import { keyDatabases, openPatiently } from '../../store/databases.ts';
import {
  builtReply,
  claimBy,
  leaseMs,
  nothing,
  replyWith,
  requestOf,
  retentionMs,
  sentAs,
  start,
} from './idempotent-requests.ts';

const id = requestOf('order-1');

for (const { name, newUrl } of keyDatabases) {
  async function openStore(t: TestContext): Promise<IdempotencyRecords> {
    const store = await openPatiently(await newUrl(t), t);
    return store.idempotency;
  }
  /** A store in which attempt "1" has built the request. */
  async function storeWithReply(t: TestContext) {
    const store = await openStore(t);
    await store.claim(id, claimBy('1'));
    await store.complete(id, '1', replyWith(), start, retentionMs);
    return { store, record: recordOf(await store.claim(id, claimBy('2'))) };
  }

  describe(`requests with an Idempotency-Key in ${name}`, () => {
    it('are claimed by one attempt, and found under way by the next', async (t) => {
      const store = await openStore(t);
      assert.deepEqual(await store.claim(id, claimBy('1')), { kind: 'claimed' });
      assert.deepEqual(await store.claim(id, claimBy('2', { now: start + 1 })), { kind: 'building', startedAt: start });
    });

    it('give back what was built, byte for byte', async (t) => {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      assert.equal(await store.complete(id, '1', replyWith(), start + 5, retentionMs), true);
      const expected: BuiltRecord = {
        whole: { reply: builtReply.reply, headers: builtReply.headers },
        transactions: builtReply.transactions,
        attempt: '1',
        state: 'built',
        startedAt: start,
        expiresAt: start + 5 + retentionMs,
        landed: [],
      };
      const again = await store.claim(id, claimBy('2', { now: start + 10 }));
      assert.deepEqual(again, { kind: 'built', record: expected });
    });

    it('refuse another body, whether under way or built', async (t) => {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      assert.deepEqual(await store.claim(id, claimBy('2', { bodyHash: 'b' })), { kind: 'other_body' });
      await store.complete(id, '1', replyWith(), start, retentionMs);
      assert.deepEqual(await store.claim(id, claimBy('2', { bodyHash: 'b' })), { kind: 'other_body' });
      assert.equal((await store.claim(id, claimBy('2'))).kind, 'built');
    });

    it('are told apart by client, path and key', async (t) => {
      const { store } = await storeWithReply(t);
      const others: RequestId[] = [
        requestOf('order-1', { scope: 'key_2' }),
        requestOf('order-1', { path: '/v1/token-transfer-memo-hash' }),
        requestOf('order-2'),
        requestOf('Order-1'),
        requestOf('order-1 '),
      ];
      for (const other of others) assert.deepEqual(await store.claim(other, claimBy('2')), { kind: 'claimed' });
    });

    it('take any visible characters as the key, and 255 of them', async (t) => {
      const store = await openStore(t);
      const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
      for (const key of [all, 'x'.repeat(255), "' or 1=1 --", '%', '_']) {
        assert.deepEqual(await store.claim(requestOf(key), claimBy('1')), { kind: 'claimed' }, key);
        assert.equal((await store.claim(requestOf(key), claimBy('2'))).kind, 'building', key);
      }
    });

    it('are taken over from an attempt at the end of its lease, not before, whatever the body', async (t) => {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      const early = claimBy('2', { now: start + leaseMs - 1 });
      assert.equal((await store.claim(id, early)).kind, 'building');
      const late = claimBy('3', { now: start + leaseMs, bodyHash: 'b' });
      assert.deepEqual(await store.claim(id, late), { kind: 'claimed' });
      assert.equal(await store.complete(id, '1', replyWith(), start + leaseMs, retentionMs), false);
      assert.equal(await store.complete(id, '3', replyWith(), start + leaseMs, retentionMs), true);
    });

    it('are taken over when the clock was set back by more than the lease', async (t) => {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      const now = start - leaseMs;
      assert.equal((await store.claim(id, claimBy('2', { now }))).kind, 'building');
      assert.deepEqual(await store.claim(id, claimBy('3', { now: now - 1 })), { kind: 'claimed' });
    });

    it('are claimable at once when an attempt built nothing', async (t) => {
      const store = await openStore(t);
      await store.claim(id, claimBy('1'));
      await store.release(id, '2');
      assert.equal((await store.claim(id, claimBy('3'))).kind, 'building');
      await store.release(id, '1');
      assert.deepEqual(await store.claim(id, claimBy('3', { bodyHash: 'b' })), { kind: 'claimed' });
    });

    it('are claimed again from a reply whose transactions are dead, by one of many', async (t) => {
      const { store, record } = await storeWithReply(t);
      const attempts = Array.from({ length: 8 }, (_, index) => `again ${index}`);
      const won = await Promise.all(attempts.map((attempt) => store.reclaim(id, record, claimBy(attempt), nothing)));
      assert.equal(won.filter(Boolean).length, 1);
      const winner = attempts[won.findIndex(Boolean)] ?? '';
      assert.equal((await store.claim(id, claimBy('2'))).kind, 'building');
      const second = replyWith({ reply: 'second' });
      assert.equal(await store.complete(id, winner, second, start, retentionMs), true);
      assert.equal(recordOf(await store.claim(id, claimBy('2'))).whole?.reply, 'second');
      const late = await store.reclaim(id, record, claimBy('late'), nothing);
      assert.equal(late, undefined, 'from a reply that is no longer there');
    });

    it('count as absent once they have expired', async (t) => {
      const { store } = await storeWithReply(t);
      const last = claimBy('2', { now: start + retentionMs - 1 });
      assert.equal((await store.claim(id, last)).kind, 'built');
      const late = claimBy('3', { now: start + retentionMs, bodyHash: 'b' });
      assert.deepEqual(await store.claim(id, late), { kind: 'claimed' });
      assert.equal((await store.claim(id, { ...late, attempt: '4' })).kind, 'building');
    });

    it('are deleted when they have expired, some at a time, and no others', async (t) => {
      const store = await openStore(t);
      const keys = Array.from({ length: 450 }, (_, index) => `old ${index}`);
      for (const key of keys) await store.claim(requestOf(key), claimBy('1', { retentionMs: 10 }));
      await store.claim(id, claimBy('1', { retentionMs: 11 }));
      assert.equal(await store.prune(start + 9), 0);
      const deleted = [];
      for (let count = -1; count !== 0; deleted.push(count)) count = await store.prune(start + 10);
      assert.ok(Math.max(...deleted) <= 200, String(deleted));
      assert.equal(
        deleted.reduce((sum, count) => sum + count, 0),
        450,
      );
      assert.equal(await store.complete(id, '1', replyWith(), start, retentionMs), true);
      assert.equal(await store.prune(start + retentionMs), 1);
    });

    it('hold the largest reply of a batch', async (t) => {
      const store = await openStore(t);
      const transactions = Array.from({ length: 1000 }, () => ({
        bytes: new Uint8Array(1232).fill(255),
        lastValidBlockHeight: 1n,
      }));
      const large = { whole: { reply: 'x'.repeat(3_000_000), headers: builtReply.headers }, transactions };
      const messageHashes = transactions.map((_, index) => `m${index}`);
      await store.claim(id, claimBy('1'));
      assert.equal(await store.complete(id, '1', { ...large, sent: sentAs(messageHashes) }, start, retentionMs), true);
      assert.deepEqual(recordOf(await store.claim(id, claimBy('2'))), {
        ...large,
        attempt: '1',
        state: 'built',
        startedAt: start,
        expiresAt: start + retentionMs,
        landed: [],
      });
    });
  });
}

for (const { name, newUrl } of keyDatabases) {
  describe(`a record that another program has spoiled in ${name}`, () => {
    it('is an error and not absent, and its content is not repeated', async (t) => {
      const url = await newUrl(t);
      const keys = await openPatiently(url, t);
      const store = keys.idempotency;
      for (const [index, change] of [
        'reply = null',
        "reply_headers = 'SECRET'",
        "transactions = 'SECRET'",
        `transactions = '[{"transaction":"AA==","last_valid_block_height":"SECRET"}]'`,
        `transactions = '[{"transaction":"SECRET!","last_valid_block_height":"1"}]'`,
        "landed = 'SECRET'",
        "landed = '[]'",
        `landed = '[{"transfers":["SECRET"],"signature":"s","slot":"1","block_time":null,"message_hash":"m"}]'`,
      ].entries()) {
        const spoiled = requestOf(`spoiled ${index}`);
        await store.claim(spoiled, claimBy('1'));
        await store.complete(spoiled, '1', replyWith(), start, retentionMs);
        await changeByHand(url, `update idempotent_requests set ${change} where idempotency_key = '${spoiled.key}'`);
        await assert.rejects(store.claim(spoiled, claimBy('2')), (error) => {
          assert.ok(error instanceof Error);
          assert.match(error.message, /record of an idempotent request that cannot be read/);
          assert.doesNotMatch(error.message, /SECRET/);
          return true;
        });
      }
    });
  });
}

function recordOf(claim: Claim): BuiltRecord {
  assert.ok(claim.kind === 'built', claim.kind);
  return claim.record;
}
