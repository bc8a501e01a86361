import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { SentTransaction } from '../../../src/idempotency/idempotent-request.ts';
import type { TakenSender, WatchedChange } from '../../../src/idempotency/records/watched-transactions.ts';
import { type KeyDatabase, keyDatabases, newKeyStore } from '../../store/databases.ts';
import { claimBy, requestOf, retentionMs, start } from './idempotent-requests.ts';

const leaseMs = 15_000;
const hour = 3_600_000;

for (const database of keyDatabases) {
  describe(`watched transactions in ${database.name}`, () => {
    it('are those of clients with an enabled endpoint that takes what becomes of them', async (t) => {
      const { store, ownerId, endpoint, reply, take } = await open(t, database);
      await reply('before', sentBy('a', 1));
      const linksOnly = await endpoint(['payment_link.paid']);
      await reply('other types', sentBy('a', 2));
      const disabled = await endpoint();
      await store.database.db
        .updateTable('webhook_endpoints')
        .set({ disabled_at: start })
        .where('id', '=', disabled.id)
        .execute();
      await reply('disabled', sentBy('a', 3));
      assert.deepEqual(await take(start + hour), []);
      const enabled = await endpoint(['transfer.final']);
      await reply('told', sentBy('a', 4));
      const [sender] = await take(start + 2_000);
      assert.deepEqual(
        sender?.transactions.map(({ key }) => key),
        ['told'],
      );
      await store.webhooks.endpoints.delete(ownerId, enabled.id);
      assert.deepEqual(
        (await take(start + hour)).map(({ transactions }) => transactions),
        [[]],
        'they cost no call',
      );
      assert.ok(linksOnly);
    });

    it('are stored as they were built, with the reply or not at all', async (t) => {
      const { store, ownerId, endpoint, reply, take } = await open(t, database);
      await endpoint();
      const [one, two] = [...sentBy('a', 1), ...sentBy('a', 2)];
      assert.ok(one && two);
      const nonced = { ...two, index: 1, lastValidBlockHeight: undefined, transfers: [2, 0] };
      await reply('batch', [one, nonced]);
      const id = requestOf('lost', { scope: ownerId });
      await store.idempotency.claim(id, claimBy('1'));
      assert.equal(
        await store.idempotency.complete(id, '2', { ...built, sent: sentBy('b', 3) }, start, retentionMs),
        false,
      );
      const taken = await take(start + 2_000);
      assert.deepEqual(taken, [
        {
          scope: ownerId,
          source: 'a',
          takenUntil: start + 2_000 + leaseMs,
          transactions: [one, nonced].map(({ source: _, ...sent }) => {
            return { ...sent, path: '/v1/transfers', key: 'batch', told: null };
          }),
        },
      ]);
    });

    it('are taken by one process at a time, all of a sender together, and again when it ended without a word', async (t) => {
      const { endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      await reply('one', sentBy('a', 1, 2));
      await reply('two', sentBy('b', 3));
      const at = start + 2_000;
      const takers = (await Promise.all([take(at), take(at), take(at)])).flat();
      assert.deepEqual(takers.map(({ source }) => source).sort(), ['a', 'b']);
      await reply('late', sentBy('a', 4), at);
      assert.deepEqual(await take(at + 2_000), [], 'the sender is taken');
      const ofA = takers.find(({ source }) => source === 'a');
      assert.ok(ofA);
      await save(ofA, [], at + 2_000);
      const [again] = await take(at + 4_000);
      assert.equal(again?.transactions.length, 3);
      assert.deepEqual(
        (await take(at + leaseMs)).map(({ source }) => source),
        ['b'],
      );
    });

    it('are due every 2 s at first, later every minute, and every 2 s when something changed', async (t) => {
      const { endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      await reply('one', sentBy('a', 1, 2));
      const intervals: number[] = [];
      const look = async (at: number, changes: readonly WatchedChange[] = []): Promise<void> => {
        const [sender] = await take(at);
        assert.ok(sender);
        await save(sender, changes, at);
        for (const interval of [2_000, 10_000, 60_000]) {
          const [taken] = await take(at + interval);
          if (!taken) continue;
          intervals.push(interval);
          await save(taken, [], at + interval);
          return;
        }
      };
      await look(start + 2_000);
      await look(start + 600_000);
      await look(start + 24 * hour - 300_000);
      await look(start + 24 * hour - 100_000, [changeOf('1', { told: 'landed' })]);
      assert.deepEqual(intervals, [2_000, 10_000, 60_000, 2_000]);
    });

    it('change together with what is told of them, and not once another process has taken them', async (t) => {
      const { store, ownerId, endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      await reply('one', sentBy('a', 1, 2));
      const tell = (data: object) => ({ ownerId, type: 'transfer.landed', objectId: 'o', data, at: start }) as const;
      const told = async () =>
        (await store.webhooks.events.list(ownerId, { limit: 9 })).map(({ body }) => JSON.parse(body).data);
      const [slow] = await take(start + 2_000);
      assert.ok(slow);
      await assert.rejects(
        save(slow, [changeOf('1', { events: [tell({}), tell({ no: 1n })], told: 'landed' })], start),
      );
      assert.deepEqual(await told(), []);
      const [sender] = await take(start + hour);
      assert.deepEqual(
        sender?.transactions.map((each) => each.told),
        [null, null],
      );
      assert.ok(sender);
      await save(slow, [changeOf('1', { events: [tell({ by: 'slow' })], isOver: true })], start + hour);
      assert.deepEqual(await told(), []);
      const changes = [
        changeOf('1', { events: [tell({ by: 'it' })], isOver: true }),
        changeOf('2', { told: 'landed' }),
      ];
      await save(sender, changes, start + hour);
      assert.deepEqual(await told(), [{ by: 'it' }]);
      const [left] = await take(start + hour + 2_000);
      assert.deepEqual(
        left?.transactions.map(({ messageHash, told: last }) => [messageHash, last]),
        [['2', 'landed']],
      );
      assert.ok(left);
      await save(left, [changeOf('2', { isOver: true })], start + hour + 2_000);
      assert.deepEqual(await take(start + 2 * hour), [], 'nothing is left of the sender');
    });

    it('are stored of batches at the same moment that pay from the same accounts, in whatever order', async (t) => {
      const { endpoint, reply, take } = await open(t, database);
      await endpoint();
      const sourcesOf = (batch: number) => (batch % 2 === 0 ? ['a', 'b', 'c', 'd'] : ['d', 'c', 'b', 'a']);
      const batches = Array.from({ length: 10 }, (_, batch) => {
        const sent = sourcesOf(batch).flatMap((source, index) => sentBy(source, 10 * batch + index));
        return reply(`batch-${batch}`, sent);
      });
      await Promise.all(batches);
      assert.equal((await take(start + 2_000)).flatMap(({ transactions }) => transactions).length, 40);
    });

    it('are asked for again soon after a clock that was far ahead was set back', async (t) => {
      const { endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      const ahead = start + 24 * hour;
      for (const source of ['saved', 'left']) await reply(source, sentBy(source, source.length), ahead);
      const taken = await take(ahead + 2_000);
      for (const sender of taken.filter(({ source }) => source === 'saved')) await save(sender, [], ahead + 2_000);
      assert.deepEqual((await take(start)).map(({ source }) => source).sort(), ['left', 'saved']);
      assert.deepEqual(await take(start + 2_000), []);
    });

    it('come first when they can land for the shortest time, those with a nonce after them, and last what stays unknown for an hour', async (t) => {
      const { endpoint, reply, take } = await open(t, database);
      await endpoint();
      await reply('stuck', sentBy('a', 1));
      const at = start + hour + 1;
      await reply(
        'nonce',
        sentBy('a', 2).map((sent) => ({ ...sent, lastValidBlockHeight: undefined })),
        at,
      );
      await reply('later', sentBy('a', 4), at);
      await reply('sooner', sentBy('a', 3), at);
      const [sender] = await take(at + 2_000);
      assert.deepEqual(
        sender?.transactions.map(({ key }) => key),
        ['sooner', 'later', 'nonce', 'stuck'],
      );
    });

    it('give a message that landed in place of theirs to their request, which counts for no other client', async (t) => {
      const { store, ownerId, endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      await reply('one', sentBy('a', 1));
      const [sender] = await take(start + 2_000);
      assert.ok(sender);
      const areBuilt = (scope: string) =>
        Promise.all(['1', 'changed'].map((messageHash) => store.watched.isBuilt(messageHash, scope)));
      assert.deepEqual(await areBuilt(ownerId), [true, false]);
      await save(sender, [changeOf('1', { isOver: true, landedAs: 'changed' })], start);
      assert.deepEqual(await areBuilt(ownerId), [true, true]);
      assert.deepEqual(await areBuilt('another'), [true, false]);
      const id = requestOf('one', { scope: ownerId });
      assert.equal(await store.idempotency.isBuiltByAnother('changed', id), false);
      assert.equal(await store.idempotency.isBuiltByAnother('changed', { ...id, key: 'two' }), true);
      assert.equal(await store.idempotency.isBuiltByAnother('changed', { ...id, scope: 'another' }), false);
    });

    it('are deleted with the record of their reply, and watched anew when the same message is built then', async (t) => {
      const { store, endpoint, reply, take, save } = await open(t, database);
      await endpoint();
      await reply('one', sentBy('a', 1));
      const end = start + retentionMs;
      await reply('one', sentBy('a', 1), end);
      const [sender] = await take(end + 2_000);
      assert.equal(sender?.transactions.length, 1);
      assert.ok(sender);
      await save(sender, [], end + 2_000);
      for (let count = -1; count !== 0; ) count = await store.idempotency.prune(end + retentionMs);
      const [empty] = await take(end + retentionMs);
      assert.deepEqual(empty?.transactions, []);
      assert.ok(empty);
      await save(empty, [], end + retentionMs);
      assert.deepEqual(await take(end + 2 * retentionMs), []);
    });
  });
}

const built = { whole: { reply: '{}', headers: {} }, transactions: [] };

/** Transactions of a sender, with these numbers as their messages and heights. */
function sentBy(source: string, ...numbers: readonly number[]): readonly SentTransaction[] {
  return numbers.map((number, index) => {
    return {
      messageHash: `${number}`,
      index,
      source,
      bytes: Uint8Array.of(number),
      lastValidBlockHeight: BigInt(number),
    };
  });
}

function changeOf(messageHash: string, changes: Partial<WatchedChange>): WatchedChange {
  return { messageHash, told: null, events: [], isOver: false, ...changes };
}

/** A store with a client, and what makes endpoints and replies for it. */
async function open(t: TestContext, database: KeyDatabase) {
  const { store } = await newKeyStore(t, database);
  const ownerId = (await store.create({ name: 'shop', expiresAt: null })).record.rootId;
  const endpoint = async (types: readonly string[] | null = null) => {
    const asked = {
      owner_id: ownerId,
      url: 'https://shop.example/hook',
      types: types && JSON.stringify(types),
      description: null,
    };
    const made = await store.webhooks.endpoints.insert(asked, new Date(start));
    assert.ok(made);
    return made;
  };
  const reply = async (key: string, sent: readonly SentTransaction[], now = start): Promise<void> => {
    const id = requestOf(key, { scope: ownerId });
    assert.equal((await store.idempotency.claim(id, claimBy(key, { now }))).kind, 'claimed');
    assert.ok(await store.idempotency.complete(id, key, { ...built, sent }, now, retentionMs));
  };
  const take = (now: number) => store.watched.take(now, now + leaseMs, 100);
  const save = (sender: TakenSender, changes: readonly WatchedChange[], now: number) =>
    store.watched.save(sender, changes, now);
  return { store, ownerId, endpoint, reply, take, save };
}
