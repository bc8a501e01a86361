import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openKeyStore } from '../../src/keys/store/open-key-store.ts';
import { IdempotencyPruner } from '../../src/keys/usage/idempotency-pruner.ts';
import { claimBy, requestOf, start } from './idempotent-requests.ts';

const minute = 60_000;

/** A pruner of a store with some expired records, of which each deletion takes up to 200. */
async function startPruner(t: TestContext, expired: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: start };
  const told: string[] = [];
  const deletions: { at: number; now: number }[] = [];
  const store = {
    expired,
    error: undefined as Error | undefined,
    gate: Promise.resolve(),
    async prune(now: number): Promise<number> {
      deletions.push({ at: clock.now, now });
      await store.gate;
      if (store.error) throw store.error;
      const deleted = Math.min(store.expired, 200);
      store.expired -= deleted;
      return deleted;
    },
  };
  const pruner = new IdempotencyPruner({ store, now: () => clock.now, onFailure: (error) => told.push(String(error)) });
  t.after(() => pruner.close());
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  const wait = async (durationMs: number): Promise<void> => {
    for (let waited = 0; waited < durationMs; waited += 100) {
      clock.now += 100;
      t.mock.timers.tick(100);
      await settle();
    }
  };
  return { pruner, store, deletions, told, wait };
}

describe('the deletion of expired requests', () => {
  it('begins when a service starts, and comes back once a minute', async (t) => {
    const { deletions, wait } = await startPruner(t, 0);
    assert.deepEqual(deletions, [{ at: start, now: start }]);
    await wait(minute - 100);
    assert.equal(deletions.length, 1);
    await wait(100);
    assert.equal(deletions.length, 2);
    await wait(10 * minute);
    assert.equal(deletions.length, 12);
  });

  it('deletes many by and by, with pauses in which requests go on', async (t) => {
    const { deletions, store, wait } = await startPruner(t, 1000);
    await wait(1000);
    assert.equal(store.expired, 0);
    assert.deepEqual(
      deletions.map(({ at }) => at - start),
      [0, 100, 200, 300, 400, 500],
    );
  });

  it('rests for a minute after 500 deletions, however many records are left', async (t) => {
    const { deletions, wait } = await startPruner(t, 1_000_000);
    await wait(2 * minute);
    assert.equal(
      deletions.findIndex(({ at }, index) => at - (deletions[index - 1]?.at ?? at) > 100),
      500,
    );
  });

  it('reports a database that does not answer once, and tries again a minute later', async (t) => {
    const { deletions, store, told, wait } = await startPruner(t, 10);
    store.error = new Error('connection refused');
    await wait(3 * minute);
    assert.deepEqual([told, deletions.length], [['Error: connection refused'], 4]);
    store.error = undefined;
    await wait(minute);
    store.error = new Error('again');
    await wait(minute);
    assert.deepEqual(told, ['Error: connection refused', 'Error: again']);
  });

  it('ends with the service, after the deletion under way', async (t) => {
    const { pruner, deletions, store, wait } = await startPruner(t, 10_000);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    await wait(100);
    let isClosed = false;
    const closing = pruner.close().then(() => {
      isClosed = true;
    });
    await wait(minute);
    assert.equal(isClosed, false);
    gate.resolve();
    await closing;
    await wait(2 * minute);
    assert.equal(deletions.length, 2);
  });

  it('empties a real store', async (t) => {
    const store = await openKeyStore('sqlite::memory:', { use: 'service' });
    t.after(() => store.close());
    await store.idempotency.claim(requestOf('old'), claimBy('1', { retentionMs: 1 }));
    await store.idempotency.claim(requestOf('new'), claimBy('1'));
    const pruner = new IdempotencyPruner({
      store: store.idempotency,
      now: () => start + 1,
      onFailure: (error) => assert.fail(String(error)),
    });
    await pruner.close();
    const later = claimBy('2', { bodyHash: 'b', retentionMs: 0 });
    assert.equal((await store.idempotency.claim(requestOf('old'), { ...later, now: start - 1 })).kind, 'claimed');
    assert.equal((await store.idempotency.claim(requestOf('new'), later)).kind, 'other_body');
  });
});
