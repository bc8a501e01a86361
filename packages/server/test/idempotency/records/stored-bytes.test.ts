import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RequestId } from '../../../src/idempotency/idempotent-request.ts';
import type { IdempotencyRecords } from '../../../src/idempotency/records/idempotency-records.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { readByHand } from '../../store/change-by-hand.ts';
import { keyDatabases } from '../../store/databases.ts';
import { claimBy, nothing, replyWith, requestOf, retentionMs, start } from './idempotent-requests.ts';

const hourMs = 3_600_000;
const { scope } = requestOf('any');
let made = 0;

/** Stores a reply of about this many bytes. */
async function storeReply(
  store: IdempotencyRecords,
  bytes: number,
  id = requestOf(`order ${++made}`),
): Promise<RequestId> {
  const { attempt, ...claim } = claimBy(`attempt ${++made}`);
  await store.claim(id, { attempt, ...claim });
  const reply = 'x'.repeat(bytes);
  assert.ok(await store.complete(id, attempt, replyWith({ reply }), start, retentionMs));
  return id;
}

for (const { name, newUrl } of keyDatabases) {
  async function openStores(t: TestContext, count: number) {
    const url = await newUrl(t);
    const stores: IdempotencyRecords[] = [];
    for (let index = 0; index < count; index += 1) {
      const store = await openKeyStore(url);
      t.after(() => store.close());
      stores.push(store.idempotency);
    }
    const [first, second] = stores;
    assert.ok(first);
    return { url, first, second: second ?? first };
  }

  describe(`the bytes of stored replies in ${name}`, () => {
    it('are those that the replies take, of each client apart', async (t) => {
      const { first } = await openStores(t, 1);
      assert.equal(await first.storedBytesOf(scope, start), 0);
      await storeReply(first, 20_000);
      const bytes = await first.storedBytesOf(scope, start);
      assert.ok(bytes > 20_000 && bytes < 23_000, String(bytes));
      await storeReply(first, 40_000);
      const more = (await first.storedBytesOf(scope, start)) - bytes;
      assert.ok(more > 40_000 && more < 43_000, String(more));
      assert.equal(await first.storedBytesOf('key_2', start), 0);
    });

    it('are known to another process after five seconds', async (t) => {
      const { first, second } = await openStores(t, 2);
      for (const store of [first, second]) assert.equal(await store.storedBytesOf(scope, start), 0);
      await storeReply(first, 300_000);
      const bytes = await first.storedBytesOf(scope, start);
      assert.ok(bytes > 300_000);
      assert.equal(await second.storedBytesOf(scope, start + 5_000), 0, 'not told yet');
      assert.equal(await first.storedBytesOf(scope, start + 5_000), bytes);
      assert.equal(await second.storedBytesOf(scope, start + 9_999), 0, 'read within the last five seconds');
      assert.equal(await second.storedBytesOf(scope, start + 10_000), bytes);
    });

    it('are less by the reply that is built again', async (t) => {
      const { first } = await openStores(t, 1);
      const id = await storeReply(first, 100_000);
      const before = await first.storedBytesOf(scope, start);
      const found = await first.claim(id, claimBy('again'));
      assert.ok(found.kind === 'built');
      assert.ok(await first.reclaim(id, found.record, claimBy('again'), nothing));
      const after = await first.storedBytesOf(scope, start);
      assert.ok(before > 100_000 && after >= 0 && after < 2_000, `${before} ${after}`);
      assert.equal(await first.reclaim(id, found.record, claimBy('late'), nothing), undefined);
      assert.equal(await first.storedBytesOf(scope, start), after);
    });

    it('are given back when the replies are pruned, by whole hours', async (t) => {
      const { first, second, url } = await openStores(t, 2);
      await storeReply(first, 600_000);
      const bytes = await first.storedBytesOf(scope, start);
      assert.equal(await first.storedBytesOf(scope, start + 5_000), bytes);
      const expiresAt = start + retentionMs;
      const endOfHour = Math.ceil(expiresAt / hourMs) * hourMs;
      for (const now of [expiresAt - 1, endOfHour - 1]) {
        while ((await second.prune(now)) > 0);
        assert.equal(await second.storedBytesOf(scope, now), bytes);
      }
      while ((await second.prune(endOfHour)) > 0);
      assert.equal(await second.storedBytesOf(scope, endOfHour + 10_000), 0);
      assert.equal(await first.storedBytesOf(scope, endOfHour + 10_000), 0);
      assert.deepEqual(await readByHand(url, 'select * from idempotent_bytes'), []);
    });
  });
}
