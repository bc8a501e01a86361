import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandboxApiKey } from '../../../src/keys/authenticated-key.ts';
import { Authenticator } from '../../../src/keys/authentication/authenticator.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import type { Store } from '../../../src/serve/store/store.ts';
import { claimBy, replyWith, requestOf, retentionMs, start } from '../../idempotency/records/idempotent-requests.ts';
import { keyDatabases } from '../../store/databases.ts';

const caller = { ip: '127.0.0.1', socket: { remoteAddress: '127.0.0.1' } };

async function authenticatedRootId(store: Store, key: string): Promise<string | undefined> {
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey: true,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onOutage: (error) => assert.fail(String(error)),
    onRecovery: () => undefined,
  });
  const verdict = await authenticator.authenticate(key, caller);
  await authenticator.close();
  return verdict.kind === 'valid' ? verdict.key.rootId : undefined;
}

for (const { name, newUrl } of keyDatabases) {
  describe(`the succession of a key in ${name}`, () => {
    it('keeps the id of the first key through every rotation, with an overlap or without', async (t) => {
      const store = await openKeyStore(await newUrl(t));
      t.after(() => store.close());
      const first = await store.create({ name: 'acme', expiresAt: null });
      const second = await store.rotate(first.record.id, 60_000);
      const third = await store.rotate(second?.record.id ?? '');
      assert.ok(second && third);
      const rootId = first.record.id;
      assert.deepEqual(
        [first, second, third].map(({ record }) => record.rootId),
        [rootId, rootId, rootId],
      );
      assert.notEqual(third.record.id, rootId);
      assert.equal(third.replaced.rootId, rootId);
      assert.deepEqual(
        [...(await store.find('acme'))].map((record) => record.rootId),
        [rootId, rootId, rootId],
      );
      // The first of two keys in an overlap, and the last.
      assert.equal(await authenticatedRootId(store, first.key), rootId);
      assert.equal(await authenticatedRootId(store, third.key), rootId);
    });

    it('begins with each key that is made, and with the one of the sandbox', async (t) => {
      const store = await openKeyStore(await newUrl(t));
      t.after(() => store.close());
      const keys = [
        await store.create({ name: 'acme', expiresAt: null }),
        await store.create({ name: 'acme', expiresAt: null }),
      ];
      for (const { key, record } of keys) assert.equal(await authenticatedRootId(store, key), record.id);
      assert.equal(await authenticatedRootId(store, sandboxApiKey), 'sandbox');
    });

    it('finds what was built for an earlier key', async (t) => {
      const store = await openKeyStore(await newUrl(t));
      t.after(() => store.close());
      const first = await store.create({ name: 'acme', expiresAt: null });
      const id = requestOf('order 1', { scope: first.record.rootId });
      await store.idempotency.claim(id, claimBy('1'));
      await store.idempotency.complete(id, '1', replyWith(), start, retentionMs);
      const second = await store.rotate(first.record.id);
      const again = requestOf('order 1', { scope: second?.record.rootId ?? '' });
      assert.equal((await store.idempotency.claim(again, claimBy('2'))).kind, 'built');
    });
  });
}
