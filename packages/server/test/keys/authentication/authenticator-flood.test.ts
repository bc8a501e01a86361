import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateApiKey, hashApiKey } from '../../../src/app/api-key.ts';
import { settle, startAuthenticator, startTime } from './fake-key-store.ts';

describe('an authenticator flooded with bad keys', () => {
  it('refuses 60 a minute of one address as any other, and then says when to come back', async () => {
    const { clock, authenticate, kindOf } = startAuthenticator();
    for (let count = 0; count < 60; count += 1) assert.equal(await kindOf(generateApiKey()), 'invalid');
    clock.elapsed = 20_000;
    assert.deepEqual(await authenticate(generateApiKey()), { kind: 'too_many_unknown_keys', retryAfterSeconds: 40 });

    assert.equal(await kindOf(generateApiKey(), '192.0.2.2'), 'invalid', 'another address is not affected');
    clock.elapsed = 60_001;
    assert.equal(await kindOf(generateApiKey()), 'invalid');
  });

  it('asks the store one query at a time, with a hundred keys in each, and lets it rest in between', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { store, clock, kindOf } = startAuthenticator();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const kinds = Promise.all(Array.from({ length: 301 }, () => kindOf(generateApiKey())));
    await settle();
    assert.equal(store.queries.length, 1);
    clock.elapsed = 10;
    gate.resolve();
    await settle();
    assert.equal(store.queries.length, 1, 'it rests for four times as long as it took');
    t.mock.timers.tick(40);
    await kinds;
    assert.deepEqual(
      store.queries.map((hashes) => hashes.length),
      [1, 100, 100, 100],
    );
  });

  it('keeps no request with a key in use waiting after the slowest query that succeeds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    clock.elapsed = 2000;
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const slow = kindOf(generateApiKey());
    assert.ok(!(authenticate(key) instanceof Promise));
    clock.elapsed = 4500;
    gate.resolve();
    await slow;
    t.mock.timers.tick(499);
    await settle();
    clock.elapsed = 5000;
    assert.ok(!(authenticate(key) instanceof Promise));
  });

  it('takes a good key that it has never seen, from the very address that floods it', async () => {
    const { store, kindOf } = startAuthenticator();
    const good = Array.from({ length: 20 }, () => store.add());
    const flood = Array.from({ length: 500 }, () => kindOf(generateApiKey()));
    const during = good.slice(0, 10).map((key) => kindOf(key));
    await Promise.all(flood);
    const after = good.slice(10).map((key) => kindOf(key));
    assert.deepEqual([...new Set(await Promise.all([...during, ...after]))], ['valid']);
  });

  it('looks keys in use up before all others: a revoked one works no longer than ever, another one as ever', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { store, clock, kindOf } = startAuthenticator();
    const [good, revoked] = [store.add(), store.add()];
    for (const key of [good, revoked]) await kindOf(key);
    store.change(revoked, { revokedAt: new Date(startTime) });
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const flood: Promise<unknown>[] = [];
    for (const count of [5001, 5000]) {
      for (let index = 0; index < count; index += 1) flood.push(kindOf(generateApiKey(), `10.0.${index % 200}.1`));
      for (const key of [good, revoked]) assert.equal(await kindOf(key), 'valid');
    }
    clock.elapsed = 5000;
    assert.equal(await kindOf(generateApiKey()), 'unavailable', 'no more unknown keys may wait');
    const known = Promise.all([kindOf(good), kindOf(revoked)]);
    gate.resolve();
    await settle();
    t.mock.timers.tick(100);
    assert.deepEqual(await known, ['valid', 'invalid']);
    assert.deepEqual(store.queries[3]?.slice(0, 2), [good, revoked].map(hashApiKey), 'in the next query');
    await Promise.all(flood);
  });

  it('locks no valid key out when many addresses flood it', async () => {
    const { store, kindOf } = startAuthenticator();
    const good = store.add();
    const flood = Array.from({ length: 3000 }, (_, index) => kindOf(generateApiKey(), `10.0.${index % 60}.1`));
    assert.deepEqual([...new Set(await Promise.all(flood))], ['invalid']);
    assert.equal(await kindOf(good, '192.0.2.9'), 'valid');
  });

  it('says that it cannot tell when the store does not answer, rather than refuse', async () => {
    const { store, clock, kindOf } = startAuthenticator();
    await Promise.all(Array.from({ length: 100 }, () => kindOf(generateApiKey())));
    clock.elapsed = 5000;
    const key = store.add();
    store.error = new Error('the database is gone');
    const before = store.queries.length;
    for (; clock.elapsed < 10_000; clock.elapsed += 100) assert.equal(await kindOf(key), 'unavailable');
    assert.ok(store.queries.length - before <= 10, 'it asks twice a second at most');
    store.error = undefined;
    assert.equal(await kindOf(key), 'valid');
  });

  it('still accepts known keys from the same address', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    for (let count = 0; count < 100; count += 1) await kindOf(generateApiKey());
    for (const elapsed of [0, 4000, 20_000]) {
      clock.elapsed = elapsed;
      assert.equal((await authenticate(key)).kind, 'valid');
    }
  });

  it('counts no valid key, however many come from one address at once', async () => {
    const { store, kindOf } = startAuthenticator();
    const keys = Array.from({ length: 300 }, () => store.add());
    const kinds = await Promise.all(keys.map((key) => kindOf(key)));
    assert.deepEqual([...new Set(kinds)], ['valid']);
    assert.equal(await kindOf(generateApiKey()), 'invalid');
  });

  it('counts one bad key that comes again and again once in 5 s', async () => {
    const { clock, kindOf } = startAuthenticator();
    const key = generateApiKey();
    for (clock.elapsed = 0; clock.elapsed < 50_000; clock.elapsed += 100) assert.equal(await kindOf(key), 'invalid');
    assert.equal(await kindOf(generateApiKey()), 'invalid');
  });

  it('counts the addresses of one IPv6 subnet as one, and those of another apart', async () => {
    const { kindOf } = startAuthenticator();
    const hosts = ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '2001:db8:1:2:0:0:7::'];
    for (let count = 0; count < 60; count += 1) await kindOf(generateApiKey(), hosts[count % hosts.length]);
    for (const host of hosts) assert.equal(await kindOf(generateApiKey(), host), 'too_many_unknown_keys', host);
    for (const host of ['2001:db8:1:3::1', '2001:db8::1:2:0:1', '::1', '::ffff:192.0.2.1', 'unknown', '']) {
      assert.equal(await kindOf(generateApiKey(), host), 'invalid', host);
    }
  });

  it('displaces no valid key, from however many addresses they come', async () => {
    const { store, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    const bad = Array.from({ length: 12_000 }, generateApiKey);
    for (let start = 0; start < bad.length; start += 2000) {
      const some = bad.slice(start, start + 2000);
      await Promise.all(some.map((text, index) => kindOf(text, `10.0.${start / 2000}.${index}`)));
    }
    assert.ok(!(authenticate(key) instanceof Promise));
  });
});
