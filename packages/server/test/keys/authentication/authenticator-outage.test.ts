import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateApiKey } from '../../../src/app/api-key.ts';
import { settle, startAuthenticator, startTime } from './fake-key-store.ts';

const graceMs = 600_000;
const down = new Error('the database is gone');

describe('an authenticator whose store does not answer', () => {
  it('accepts known keys at once until the grace time is over', async () => {
    const { store, authenticator, clock, authenticate, kindOf } = startAuthenticator();
    const [busy, idle] = [store.add(), store.add()];
    for (const key of [busy, idle]) await kindOf(key);
    store.error = down;
    for (clock.elapsed = 0; clock.elapsed < graceMs; clock.elapsed += 1000) {
      assert.ok(!(authenticate(busy) instanceof Promise), `after ${clock.elapsed} ms`);
      await settle();
      assert.equal(authenticator.isInGrace, clock.elapsed >= 2000);
    }
    clock.elapsed = graceMs - 1;
    for (const key of [busy, idle]) assert.equal(await kindOf(key), 'valid');
    clock.elapsed = graceMs;
    for (const key of [busy, idle]) assert.equal(await kindOf(key), 'unavailable');
    assert.equal(authenticator.isInGrace, false);
  });

  it('takes a known key whose request is the first to find the store gone', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    store.error = down;
    clock.elapsed = 60_000;
    assert.equal(await kindOf(key), 'valid');
  });

  it('keeps no request with a key in use waiting while the store hangs before it fails', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    store.error = down;
    for (clock.elapsed = 0; clock.elapsed < 4500; clock.elapsed += 100) {
      assert.ok(!(authenticate(key) instanceof Promise));
    }
    gate.resolve();
    await settle();
    clock.elapsed = 10_000;
    assert.ok(!(authenticate(key) instanceof Promise));
  });

  it('reports an unknown key as unavailable, not as invalid', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    store.error = down;
    const stored = store.add();
    for (clock.elapsed = 0; clock.elapsed < 2000; clock.elapsed += 100) {
      assert.equal(await kindOf(stored), 'unavailable');
      assert.equal(await kindOf(generateApiKey()), 'unavailable');
    }
    assert.ok(store.queries.length <= 4, 'it asks twice a second at most');
  });

  it('still refuses a key that expires meanwhile', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const key = store.add({ expiresAt: new Date(startTime + 100_000) });
    await kindOf(key);
    store.error = down;
    clock.elapsed = 99_999;
    assert.equal(await kindOf(key), 'valid');
    clock.elapsed = 100_000;
    assert.equal(await kindOf(key), 'invalid');
  });

  it('counts no key as unknown that it could not look up', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    store.error = down;
    for (let count = 0; count < 200; count += 1) {
      clock.elapsed += 500;
      assert.equal(await kindOf(generateApiKey()), 'unavailable');
    }
  });

  it('heals by itself: unknown keys work again, and one that was revoked meanwhile does not', async () => {
    const { store, authenticator, clock, told, kindOf } = startAuthenticator();
    const [known, revoked] = [store.add(), store.add()];
    for (const key of [known, revoked]) await kindOf(key);
    store.error = down;
    clock.elapsed = 10_000;
    assert.equal(await kindOf(known), 'valid');
    assert.equal(await kindOf(revoked), 'valid');
    const unknown = store.add();
    store.change(revoked, { revokedAt: new Date(startTime) });

    store.error = undefined;
    clock.elapsed = 11_000;
    assert.equal(await kindOf(unknown), 'valid');
    assert.equal(authenticator.isInGrace, false);
    assert.equal(await kindOf(known), 'valid');
    assert.equal(await kindOf(revoked), 'invalid');
    assert.deepEqual(told, ['Error: the database is gone', 'recovered']);
  });
});
