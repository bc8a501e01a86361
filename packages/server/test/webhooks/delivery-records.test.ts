import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../src/serve/store/store.ts';
import { inTransaction } from '../../src/store/sql-database.ts';
import { addDelivery, recordEvent } from '../../src/webhooks/record-event.ts';
import type { Attempt } from '../../src/webhooks/send-webhook.ts';
import { type KeyDatabase, keyDatabases, newKeyStore, openPatiently } from '../store/databases.ts';

const start = Date.parse('2026-11-27T12:00:00Z');
const hour = 3_600_000;
const leaseMs = 15_000;
const ok = (at: number): Attempt => ({ at, status: 204, error: null, milliseconds: 1 });
const failed = (at: number, status = 500): Attempt => ({ ...ok(at), status });

for (const database of keyDatabases) {
  describe(`deliveries in ${database.name}`, () => {
    it('are due at once for each endpoint of the owner that takes the type, and for no other', async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      const all = await endpoint();
      const paid = await endpoint({ types: ['payment_link.paid'] });
      await endpoint({ types: ['payment_link.final'] });
      const stranger = (await store.create({ name: 'other', expiresAt: null })).record.rootId;
      await endpoint({ owner: stranger });
      await tell('link1');
      assert.deepEqual((await take(start)).map(({ endpointId }) => endpointId).sort(), [all.id, paid.id].sort());
      assert.equal((await store.webhooks.events.list(ownerId, { limit: 10 })).length, 1);
      assert.equal((await store.webhooks.events.list(stranger, { limit: 10 })).length, 0);
    });

    it('are recorded for owners with an endpoint alone, and lost with the transaction of what they tell', async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      await tell('link1');
      await endpoint();
      await assert.rejects(
        store.database.db.transaction().execute(async (db) => {
          await recordEvent(db, { ownerId, type: 'payment_link.paid', objectId: 'link1', data: {}, at: start });
          throw new Error('ends');
        }),
      );
      assert.equal((await store.webhooks.events.list(ownerId, { limit: 10 })).length, 0);
      assert.deepEqual(await take(start), []);
    });

    it('are taken by one process at a time, and due again when it ended without a word', async (t) => {
      const { endpoint, tell, take } = await open(t, database);
      await endpoint();
      await tell('link1');
      const takers = await Promise.all([take(start), take(start), take(start)]);
      assert.equal(takers.flat().length, 1);
      assert.equal((await take(start + leaseMs - 1)).length, 0);
      assert.equal((await take(start + leaseMs)).length, 1);
    });

    it('has four under way at most for one endpoint, and one while it fails', async (t) => {
      const { store, endpoint, tell, take } = await open(t, database);
      await endpoint();
      for (let index = 0; index < 9; index++) await tell(`link${index}`);
      const first = await take(start);
      assert.equal(first.length, 4);
      assert.equal((await take(start)).length, 0);
      const [one, two] = first;
      assert.ok(one && two);
      await store.webhooks.deliveries.note(one, ok(start));
      assert.equal((await take(start)).length, 1);
      await store.webhooks.deliveries.note(two, failed(start));
      assert.equal((await take(start)).length, 0, 'three are under way');
      assert.equal((await take(start + leaseMs)).length, 1);
    });

    it('has four under way for one endpoint at most also when several processes take at the same moment', async (t) => {
      const { databaseUrl, endpoint, tell } = await open(t, database);
      for (let index = 0; index < 3; index++) await endpoint();
      for (let index = 0; index < 9; index++) await tell(`link${index}`);
      const stores = await Promise.all(Array.from({ length: 4 }, () => openPatiently(databaseUrl, t)));
      const taken = await Promise.all(stores.flatMap((store) => [takeFrom(store, start), takeFrom(store, start)]));
      const later = await Promise.all(stores.map((store) => takeFrom(store, start)));
      const perEndpoint = Map.groupBy([...taken, ...later].flat(), ({ endpointId }) => endpointId);
      assert.deepEqual(
        [...perEndpoint.values()].map(({ length }) => length),
        [4, 4, 4],
      );
    });

    const lacksRowLocks = database.name === 'an SQLite file';
    it('are taken without waiting for one that is being sent again', { skip: lacksRowLocks }, async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      const [one, other] = [await endpoint(), await endpoint()];
      await tell('link1');
      const [event] = await store.webhooks.events.list(ownerId, { limit: 1 });
      assert.ok(event);
      await inTransaction(store.database, async (db) => {
        await addDelivery(db, event.id, one.id, start);
        assert.deepEqual(
          (await take(start)).map(({ endpointId }) => endpointId),
          [other.id],
        );
      });
    });

    it('are taken of the failing endpoints last, when there are fewer places than endpoints', async (t) => {
      const { store, endpoint, tell, take } = await open(t, database);
      for (let index = 0; index < 19; index++) await endpoint();
      await tell('link1');
      for (const delivery of await take(start)) await store.webhooks.deliveries.note(delivery, failed(start));
      const { id } = await endpoint();
      await tell('link2', start + hour);
      assert.deepEqual(
        (await take(start + hour, 1)).map(({ endpointId }) => endpointId),
        [id],
      );
    });

    it('tries again after 5 s, 1 min, 5 min, 30 min, 2 h and then every 6 h, for three days', async (t) => {
      const { store, ownerId, endpoint, tell, take, read } = await open(t, database);
      const { id } = await endpoint();
      await tell('link1');
      const delays: number[] = [];
      let at = start;
      for (;;) {
        const [delivery] = await take(at);
        if (!delivery) break;
        await store.webhooks.deliveries.note(delivery, failed(at));
        const [event] = await store.webhooks.events.list(ownerId, { limit: 1 });
        const [told] = event?.deliveries ?? [];
        if (!told?.due_at) {
          assert.equal(told?.state, 'failed');
          break;
        }
        delays.push((told.due_at - at) / 1_000);
        assert.deepEqual(await take(told.due_at - 1), []);
        at = told.due_at;
      }
      assert.deepEqual(delays, [5, 60, 300, 1_800, 7_200, ...Array(11).fill(21_600)]);
      const disabled = await read(id);
      assert.equal(disabled?.disabled_at, at);
      assert.equal(
        disabled?.disabled_reason,
        'Every attempt since 2026-11-27T12:00:00.000Z failed, the last one with status 500.',
      );
    });

    it('tries for three days from the first attempt on, however late that was, such as after an outage of this service', async (t) => {
      const { store, ownerId, endpoint, tell, take, read } = await open(t, database);
      const { id } = await endpoint();
      await tell('link1');
      const at = start + 80 * hour;
      for (const delivery of await take(at)) await store.webhooks.deliveries.note(delivery, failed(at));
      const [event] = await store.webhooks.events.list(ownerId, { limit: 1 });
      assert.equal(event?.deliveries[0]?.due_at, at + 5_000);
      assert.equal((await read(id))?.disabled_at, null);
    });

    it('leaves an endpoint enabled that took another event while one was tried in vain', async (t) => {
      const { store, endpoint, tell, take, read } = await open(t, database);
      const { id } = await endpoint();
      await tell('link1');
      for (let at = start; at <= start + 72 * hour; at += hour) {
        if (at === start + 30 * hour) await tell('link2', at);
        for (const delivery of await take(at)) {
          const isSecond = delivery.body.includes('link2');
          await store.webhooks.deliveries.note(delivery, isSecond ? ok(at) : failed(at));
        }
      }
      assert.equal((await read(id))?.disabled_at, null);
    });

    it('disables an endpoint that answers 410, and says why; a test event enables it', async (t) => {
      const { store, ownerId, endpoint, tell, take, read } = await open(t, database);
      const { id } = await endpoint();
      await tell('link1');
      for (const delivery of await take(start)) await store.webhooks.deliveries.note(delivery, failed(start, 410));
      const disabled = await read(id);
      assert.equal(disabled?.disabled_at, start);
      assert.match(String(disabled?.disabled_reason), /^It answered 410/);
      await tell('link2', start + hour);
      assert.deepEqual(await take(start + hour), []);
      const [unsent] = await store.webhooks.events.list(ownerId, { object: 'link2', limit: 1 });
      assert.deepEqual(unsent?.deliveries, []);
      await store.webhooks.events.test(ownerId, id, new Date(start + 2 * hour));
      assert.equal((await read(id))?.disabled_at, null);
      // The first one is still tried, too.
      assert.equal((await take(start + 2 * hour)).length, 2);
    });

    it('are sent for no owner without an accepted key, and wait', async (t) => {
      const { store, key, endpoint, tell, take } = await open(t, database);
      await endpoint();
      await tell('link1');
      const [taken] = await take(start);
      assert.ok(taken);
      await store.revoke(key.record.id);
      assert.deepEqual(await take(start + hour), []);
      assert.equal(
        await store.webhooks.deliveries.secretsOf(taken.endpointId, start),
        undefined,
        'also what is under way',
      );
    });

    it('go with their endpoint, also what is under way, and none is told of twice by one note', async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      const { id } = await endpoint();
      await tell('link1');
      await tell('link2');
      const [one] = await take(start);
      assert.ok(one);
      await store.webhooks.endpoints.delete(ownerId, id);
      assert.equal(await store.webhooks.deliveries.secretsOf(id, start), undefined);
      await store.webhooks.deliveries.note(one, failed(start));
      assert.deepEqual(await take(start + hour), []);
      assert.deepEqual(
        (await store.webhooks.events.list(ownerId, { limit: 9 })).flatMap((event) => event.deliveries),
        [],
      );
    });

    it('are signed by both secrets for a day after a rotation, then by the new one alone', async (t) => {
      const { store, ownerId, endpoint } = await open(t, database);
      const { id, secret } = await endpoint();
      const rotated = await store.webhooks.endpoints.rotate(ownerId, id, new Date(start));
      assert.notEqual(rotated?.secret, secret);
      const secretsAt = (now: number) => store.webhooks.deliveries.secretsOf(id, now);
      assert.deepEqual(await secretsAt(start + 24 * hour - 1), [rotated?.secret, secret]);
      assert.deepEqual(await secretsAt(start + 24 * hour), [rotated?.secret]);
      const again = await store.webhooks.endpoints.rotate(ownerId, id, new Date(start));
      assert.deepEqual(
        await secretsAt(start),
        [again?.secret, rotated?.secret],
        'the one before the last signs nothing',
      );
    });

    it('rises the sequence of each object, also within a millisecond, after a clock was set back and after deletions', async (t) => {
      const { store, ownerId, endpoint, tell } = await open(t, database);
      await endpoint();
      for (const at of [start, start, start - 5_000]) await tell('link1', at);
      const events = await store.webhooks.events.list(ownerId, { object: 'link1', limit: 10 });
      const sequences = events.map(({ sequence }) => sequence).sort();
      assert.deepEqual(sequences, [start, start + 1, start + 2]);
      assert.equal(await store.webhooks.events.prune(new Date(start + 1)), 3);
      assert.equal(await store.webhooks.events.prune(new Date(start + 1)), 0);
      await tell('link1', start + 60_000);
      const [later] = await store.webhooks.events.list(ownerId, { limit: 10 });
      assert.equal(later?.sequence, start + 60_000);
    });

    it('gives no two events of an object one sequence, whoever records them at the same moment', async (t) => {
      const { store, databaseUrl, ownerId, endpoint } = await open(t, database);
      await endpoint();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openPatiently(databaseUrl, t)));
      const told = await Promise.allSettled(
        [...stores, ...stores].map((each) => tellIn(each, ownerId, 'link1', start)),
      );
      const count = told.filter(({ status }) => status === 'fulfilled').length;
      const events = await store.webhooks.events.list(ownerId, { limit: 10 });
      assert.deepEqual([new Set(events.map(({ sequence }) => sequence)).size, events.length], [count, count]);
      assert.ok(count > 0);
    });

    it('can be asked for again, by event', async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      await endpoint();
      await tell('link1');
      const [first] = await take(start);
      assert.ok(first);
      await store.webhooks.deliveries.note(first, ok(start));
      assert.deepEqual(await take(start + 30 * hour), []);
      const later = await endpoint();
      await store.webhooks.events.redeliver(ownerId, first.eventId, new Date(start + 30 * hour));
      const again = await take(start + 30 * hour);
      assert.equal(again.length, 2);
      assert.ok(again.some(({ endpointId }) => endpointId === later.id));
      const [one, two] = again;
      assert.ok(one && two);
      await store.webhooks.events.redeliver(ownerId, first.eventId, new Date(start + 30 * hour + 1));
      await store.webhooks.deliveries.note(one, ok(start + 30 * hour));
      assert.equal((await take(start + 30 * hour + 1)).length, 2, 'also what was asked for while it was under way');
      const other = (await store.create({ name: 'other', expiresAt: null })).record.rootId;
      assert.equal(await store.webhooks.events.redeliver(other, first.eventId, new Date()), undefined);
    });

    it('are tried again as often as at first when they are asked for again', async (t) => {
      const { store, ownerId, endpoint, tell, take } = await open(t, database);
      await endpoint();
      await tell('link1');
      for (const delivery of await take(start)) await store.webhooks.deliveries.note(delivery, failed(start));
      const [event] = await store.webhooks.events.list(ownerId, { limit: 1 });
      await store.webhooks.events.redeliver(ownerId, event?.id ?? '', new Date(start + hour));
      const at = start + hour + 1;
      for (const delivery of await take(at)) await store.webhooks.deliveries.note(delivery, failed(at));
      const [{ deliveries } = { deliveries: [] }] = await store.webhooks.events.list(ownerId, { limit: 1 });
      assert.equal(deliveries[0]?.due_at, at + 5_000);
    });

    it('keeps the last 20 test events of an endpoint, and none of one that was deleted', async (t) => {
      const { store, ownerId, endpoint, take } = await open(t, database);
      const { id } = await endpoint();
      for (let count = 0; count < 25; count++) await store.webhooks.events.test(ownerId, id, new Date(start + count));
      assert.equal((await store.webhooks.events.list(ownerId, { limit: 100 })).length, 20);
      const [oldest] = await take(start + hour);
      assert.equal(JSON.parse(oldest?.body ?? '').sequence, start + 5);
      await store.webhooks.endpoints.delete(ownerId, id);
      assert.deepEqual(await store.webhooks.events.list(ownerId, { limit: 100 }), []);
    });

    it('sends a test event again to its own endpoint alone', async (t) => {
      const { store, ownerId, endpoint, take } = await open(t, database);
      const { id } = await endpoint({ types: ['payment_link.paid'] });
      await endpoint();
      const test = await store.webhooks.events.test(ownerId, id, new Date(start));
      const [first] = await take(start);
      assert.ok(test && first);
      await store.webhooks.deliveries.note(first, ok(start));
      await store.webhooks.events.redeliver(ownerId, test.id, new Date(start));
      assert.deepEqual(
        (await take(start)).map(({ endpointId }) => endpointId),
        [id],
      );
    });

    it('allows an owner 20 endpoints, and no other owner to touch them', async (t) => {
      const { store, ownerId, endpoint } = await open(t, database);
      const { id } = await endpoint();
      for (let count = 1; count < 20; count++) await endpoint();
      const more = { owner_id: ownerId, url: 'https://a.example', types: null, description: null };
      assert.equal(await store.webhooks.endpoints.insert(more, new Date(start)), undefined);
      assert.equal((await store.webhooks.endpoints.list(ownerId)).length, 20);
      assert.deepEqual(await store.webhooks.endpoints.list('other'), []);
      assert.equal(await store.webhooks.events.test('other', id, new Date()), undefined);
      assert.equal(await store.webhooks.endpoints.delete('other', id), undefined);
      assert.equal(await store.webhooks.endpoints.rotate('other', id, new Date()), undefined);
    });
  });
}

/** A store with a key, and what makes endpoints and events for it. */
async function open(t: TestContext, database: KeyDatabase) {
  const { store, databaseUrl } = await newKeyStore(t, database);
  const key = await store.create({ name: 'shop', expiresAt: null });
  const ownerId = key.record.rootId;
  const endpoint = async ({ owner = ownerId, types }: { owner?: string; types?: readonly string[] } = {}) => {
    const asked = { owner_id: owner, url: 'https://shop.example/hook', description: null };
    const made = await store.webhooks.endpoints.insert(
      { ...asked, types: types ? JSON.stringify(types) : null },
      new Date(start),
    );
    assert.ok(made);
    return made;
  };
  const tell = (objectId: string, at = start) => tellIn(store, ownerId, objectId, at);
  const take = (now: number, limit?: number) => takeFrom(store, now, limit);
  const read = async (id: string) => (await store.webhooks.endpoints.list(ownerId)).find((each) => each.id === id);
  return { store, databaseUrl, key, ownerId, endpoint, tell, take, read };
}

function tellIn(store: Store, ownerId: string, objectId: string, at: number): Promise<void> {
  const event = { ownerId, type: 'payment_link.paid', objectId, data: { id: objectId }, at } as const;
  return inTransaction(store.database, (db) => recordEvent(db, event));
}

function takeFrom(store: Store, now: number, limit = 100) {
  return store.webhooks.deliveries.take(now, now + leaseMs, limit);
}
