import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startPostgres } from '../../../../../test/setup/postgres.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { claimBy, leaseMs, replyWith, requestOf, retentionMs, start } from './idempotent-requests.ts';

const id = requestOf('order-1');

describe('requests with an Idempotency-Key, when PostgreSQL', { timeout: 60_000 }, () => {
  it('is down or hangs, are refused in time, and go on when it is back', async (t) => {
    const postgres = await startPostgres(t);
    const store = await openKeyStore(await postgres.createDatabase(), { use: 'service' });
    t.after(() => store.close());
    const requests = store.idempotency;
    await requests.claim(id, claimBy('1'));
    const attempts = () => [
      requests.claim(requestOf('order-2'), claimBy('1')),
      requests.complete(id, 'other', replyWith(), start, retentionMs),
      requests.release(id, 'other'),
      requests.isBuiltByAnother('m1', id),
      requests.prune(start),
    ];
    for (const [stop, resume] of [
      [() => postgres.freeze(), () => postgres.thaw()],
      [() => postgres.kill(), () => postgres.start()],
    ] as const) {
      await stop();
      const began = performance.now();
      for (const { status } of await Promise.allSettled(attempts())) assert.equal(status, 'rejected');
      // 2.5 s, and what a busy machine adds.
      assert.ok(performance.now() - began < 10_000, `after ${performance.now() - began} ms`);
      await resume();
    }
    const late = claimBy('2', { now: start + leaseMs });
    assert.deepEqual(await requests.claim(id, late), { kind: 'claimed' });
    assert.equal(await requests.complete(id, '2', replyWith(), start, retentionMs), true);
  });
});
