import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { readUntil, waitUntil } from '../../../../test/setup/wait-until.ts';
import { startWebhookReceiver } from '../../../../test/setup/webhook-receiver.ts';
import type { DeliveryRecords } from '../../src/webhooks/delivery-records.ts';
import { recordEvent } from '../../src/webhooks/record-event.ts';
import { WebhookSender, type WebhookSenderOptions } from '../../src/webhooks/webhook-sender.ts';
import { newKeyStore } from '../store/databases.ts';

describe('the sender of webhooks', () => {
  it('serves an endpoint at once while twenty of another key hang, with four connections each at most', async (t) => {
    const { newOwner, send } = await open(t);
    const hanging = await startSilentServer(t);
    const greedy = await newOwner();
    for (let index = 0; index < 20; index++) await greedy.endpoint(`${hanging.url}/${index}`);
    for (let index = 0; index < 10; index++) await greedy.tell(`link${index}`);
    send();
    await waitUntil(() => hanging.sockets.size === 80);
    const receiver = await startWebhookReceiver(t);
    const shop = await newOwner();
    await shop.endpoint(receiver.url);
    const toldAt = performance.now();
    await shop.tell('link');
    await waitUntil(() => receiver.received.length === 1);
    const tookMs = Math.round(performance.now() - toldAt);
    t.diagnostic(`after ${tookMs} ms, beside ${hanging.sockets.size} connections that hang`);
    assert.ok(tookMs < 3_000, `${tookMs} ms`);
    assert.equal(hanging.sockets.size, 80);
  });

  it('sends the next event to an endpoint as soon as it has answered one', async (t) => {
    const { newOwner, send } = await open(t);
    const receiver = await startWebhookReceiver(t);
    const shop = await newOwner();
    await shop.endpoint(receiver.url);
    for (let index = 0; index < 100; index++) await shop.tell(`link${index}`);
    const startedAt = performance.now();
    send();
    await waitUntil(() => receiver.received.length === 100);
    // Four at each look would take more than twelve seconds.
    assert.ok(performance.now() - startedAt < 10_000, `${performance.now() - startedAt} ms`);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 100);
  });

  const ends = ['its endpoint was deleted', 'the key of its owner was revoked', 'its endpoint was disabled'] as const;
  for (const end of ends) {
    it(`sends nothing any more when ${end} after it was taken`, async (t) => {
      const { store, newOwner, send } = await open(t);
      const receiver = await startWebhookReceiver(t);
      const [ending, other] = [await newOwner(), await newOwner()];
      const { id } = await ending.endpoint(receiver.url);
      await ending.tell('ended');
      const taken = send({
        take: async (...given) => {
          const found = await store.webhooks.deliveries.take(...given);
          if (!found.some(({ endpointId }) => endpointId === id)) return found;
          if (end === ends[0]) await store.webhooks.endpoints.delete(ending.id, id);
          else if (end === ends[1]) await store.revoke(ending.keyId);
          else await store.database.db.updateTable('webhook_endpoints').set({ disabled_at: 1 }).execute();
          return found;
        },
      });
      await waitUntil(() => taken.count === 1);
      await other.endpoint(receiver.url);
      await other.tell('other');
      await waitUntil(() => receiver.received.length > 0);
      assert.deepEqual(
        receiver.payloads().map(({ data }) => data.id),
        ['other'],
      );
    });
  }

  it('signs with a secret that was made after it was taken', async (t) => {
    const { store, newOwner, send } = await open(t);
    const receiver = await startWebhookReceiver(t);
    const shop = await newOwner();
    const { id } = await shop.endpoint(receiver.url);
    await shop.tell('link');
    const secrets: string[] = [];
    send({
      take: async (...given) => {
        const found = await store.webhooks.deliveries.take(...given);
        const rotated = found.length > 0 ? await store.webhooks.endpoints.rotate(shop.id, id, new Date()) : undefined;
        if (rotated) secrets.push(rotated.secret);
        return found;
      },
    });
    const [received] = await readUntil(
      () => receiver.received,
      ({ length }) => length === 1,
    );
    new Webhook(secrets[0] ?? '').verify(received?.body ?? '', Object(received?.headers));
  });

  it('takes nothing before it is known that the database is of the network that is served', async (t) => {
    const { store, newOwner, send } = await open(t);
    const receiver = await startWebhookReceiver(t);
    const shop = await newOwner();
    await shop.endpoint(receiver.url);
    await shop.tell('link');
    const calls: string[] = [];
    send({
      confirmCluster: async () => {
        calls.push('confirm');
        if (calls.length < 3) throw new Error('no node answers');
      },
      take: async (...given) => {
        calls.push('take');
        return store.webhooks.deliveries.take(...given);
      },
    });
    await waitUntil(() => receiver.received.length === 1);
    assert.deepEqual(calls.slice(0, 4), ['confirm', 'confirm', 'confirm', 'take']);
  });

  it('says once that the database does not answer, and goes on when it does', async (t) => {
    const { store, newOwner, send } = await open(t);
    const receiver = await startWebhookReceiver(t);
    const shop = await newOwner();
    await shop.endpoint(receiver.url);
    await shop.tell('link');
    let looks = 0;
    const { failures } = send({
      take: async (...given) => {
        looks += 1;
        if (looks < 3) throw new Error('away');
        return store.webhooks.deliveries.take(...given);
      },
    });
    await waitUntil(() => receiver.received.length === 1);
    assert.deepEqual(
      failures.map((error) => Object(error).message),
      ['away'],
    );
  });
});

/** A store, what makes owners in it, and what begins to send. */
async function open(t: TestContext) {
  const { store } = await newKeyStore(t);
  const newOwner = async () => {
    const { record } = await store.create({ name: 'an owner', expiresAt: null });
    const ownerId = record.rootId;
    return {
      id: ownerId,
      keyId: record.id,
      endpoint: async (url: string) => {
        const asked = { owner_id: ownerId, url, types: null, description: null };
        const made = await store.webhooks.endpoints.insert(asked, new Date());
        assert.ok(made);
        return made;
      },
      tell: (objectId: string): Promise<void> =>
        store.database.db.transaction().execute((db) => {
          const event = {
            ownerId,
            type: 'payment_link.paid',
            objectId,
            data: { id: objectId },
            at: Date.now(),
          } as const;
          return recordEvent(db, event);
        }),
    };
  };
  const send = ({
    take,
    confirmCluster = async () => undefined,
  }: Partial<Pick<WebhookSenderOptions, 'confirmCluster'> & Pick<DeliveryRecords, 'take'>> = {}) => {
    const { deliveries } = store.webhooks;
    const taken = { count: 0, failures: [] as unknown[] };
    const records: Pick<DeliveryRecords, 'take' | 'secretsOf' | 'note'> = {
      take: async (...given) => {
        const found = await (take ?? deliveries.take.bind(deliveries))(...given);
        taken.count += found.length;
        return found;
      },
      secretsOf: (...given) => deliveries.secretsOf(...given),
      note: (...given) => deliveries.note(...given),
    };
    const onFailure = (error: unknown): void => void taken.failures.push(error);
    const sender = new WebhookSender({ records, network: {}, confirmCluster, now: () => Date.now(), onFailure });
    t.after(() => sender.close());
    return taken;
  };
  return { store, newOwner, send };
}

/** A server that takes connections and never answers. */
async function startSilentServer(t: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, sockets };
}
