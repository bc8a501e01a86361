import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateApiKey } from '../../../src/app/api-key.ts';
import { settle, startAuthenticator, startTime } from './fake-key-store.ts';

describe('an authenticator', () => {
  it('looks a key up once, and then answers without a promise, with what is known of it', async () => {
    const { store, authenticate } = startAuthenticator();
    const key = store.add({ id: 'key_7', name: 'acme' });
    const first = authenticate(key);
    assert.ok(first instanceof Promise);
    const verdict = await first;
    assert.ok(verdict.kind === 'valid');
    assert.deepEqual([verdict.key.id, verdict.key.name], ['key_7', 'acme']);
    assert.deepEqual(authenticate(key), verdict);
    assert.equal(store.queries.length, 1);
  });

  it('asks the store nothing about a text that cannot be a key', async () => {
    const { store, authenticate } = startAuthenticator();
    const key = generateApiKey();
    const last = key.at(-1) === '0' ? '1' : '0';
    for (const text of ['', 'x', 'x'.repeat(16_000), key.toUpperCase()]) {
      assert.deepEqual(authenticate(text), { kind: 'not_a_key' });
    }
    for (const text of [key.slice(0, -1), `${key}x`, key.slice(0, -1) + last]) {
      assert.deepEqual(authenticate(text), { kind: 'checksum_mismatch' });
    }
    assert.equal(store.queries.length, 0);
  });

  it('shares one query among lookups of one key, and the next one among all that wait', async () => {
    const { store, kindOf } = startAuthenticator();
    const keys = Array.from({ length: 20 }, () => store.add());
    const kinds = await Promise.all([...keys, ...keys, ...keys].map((key) => kindOf(key)));
    assert.deepEqual([...new Set(kinds)], ['valid']);
    assert.deepEqual(
      store.queries.map((hashes) => hashes.length),
      [1, 19],
    );
  });

  it('asks again ahead of time for a key in use, so that no request waits', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    for (clock.elapsed = 0; clock.elapsed < 60_000; clock.elapsed += 100) {
      assert.ok(!(authenticate(key) instanceof Promise), `after ${clock.elapsed} ms`);
      await settle();
    }
    assert.equal(store.queries.length, 30, 'once at first, and then every 2 s');
  });

  it('lets a request wait for a key that was not used for 5 s', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    clock.elapsed = 5000;
    store.change(key, { revokedAt: new Date(startTime) });
    const verdict = authenticate(key);
    assert.ok(verdict instanceof Promise);
    assert.equal((await verdict).kind, 'invalid');
  });

  it('refuses a revoked key within 5 s, whether or not it is in use', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const [busy, idle] = [store.add(), store.add()];
    await Promise.all([kindOf(busy), kindOf(idle)]);
    for (const key of [busy, idle]) store.change(key, { revokedAt: new Date(startTime) });
    for (clock.elapsed = 0; clock.elapsed < 5000; clock.elapsed += 50) {
      await kindOf(busy);
      await settle();
    }
    assert.equal(await kindOf(busy), 'invalid');
    assert.equal(await kindOf(idle), 'invalid');
  });

  it('accepts a key again whose expiry was put off, within 5 s', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const key = store.add({ expiresAt: new Date(startTime) });
    assert.equal(await kindOf(key), 'invalid');
    store.change(key, { expiresAt: null });
    assert.equal(await kindOf(key), 'invalid');
    clock.elapsed = 5001;
    assert.equal(await kindOf(key), 'valid');
  });

  it('honours the expiry of a key to the millisecond, from what it remembers', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add({ expiresAt: new Date(startTime + 1000) });
    assert.equal(await kindOf(key), 'valid');
    clock.elapsed = 999;
    assert.equal(await kindOf(key), 'valid');
    clock.elapsed = 1000;
    assert.deepEqual(authenticate(key), { kind: 'invalid' });
    assert.equal(store.queries.length, 1);
  });

  it('never takes an expired key again when the clock is set back', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const [used, unused] = [
      store.add({ expiresAt: new Date(startTime + 1000) }),
      store.add({ expiresAt: new Date(startTime + 1000) }),
    ];
    assert.equal(await kindOf(used), 'valid');
    clock.elapsed = 1000;
    assert.equal(await kindOf(used), 'invalid');
    clock.setBy = -3_600_000;
    assert.deepEqual([await kindOf(used), await kindOf(unused)], ['invalid', 'invalid']);
    clock.elapsed = 20_000;
    assert.equal(await kindOf(used), 'invalid', 'looked up again');
  });

  it('lets no key live longer by a clock that was set back', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    const key = store.add({ expiresAt: new Date(startTime + 1000) });
    assert.equal(await kindOf(key), 'valid');
    clock.setBy = -3_600_000;
    assert.equal(await kindOf(key), 'valid');
    clock.elapsed = 1000;
    assert.equal(await kindOf(key), 'invalid');
  });

  it('asks nothing more once it is closed, which waits for what is being asked', async () => {
    const { store, authenticator, clock, told, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    clock.elapsed = 3000;
    await kindOf(key);
    let isClosed = false;
    const closed = authenticator.close().then(() => {
      isClosed = true;
    });
    await settle();
    assert.equal(isClosed, false);
    gate.resolve();
    await closed;
    clock.elapsed = 4000;
    assert.deepEqual([await kindOf(key), store.queries.length, told.length], ['valid', 2, 0]);
  });

  it('remembers for 5 s that a key is invalid', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = generateApiKey();
    assert.equal(await kindOf(key), 'invalid');
    clock.elapsed = 5000;
    assert.deepEqual(authenticate(key), { kind: 'invalid' });
    assert.equal(store.queries.length, 1);
    clock.elapsed = 5001;
    assert.equal(await kindOf(key), 'invalid');
    assert.equal(store.queries.length, 2);
  });
});
