import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateApiKey } from '../../src/keys/api-key.ts';
import { startAuthenticator } from './fake-key-store.ts';

describe('an authenticator flooded with bad keys', () => {
  it('looks 60 a minute up for one address, and then says when to come back', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    for (let count = 0; count < 60; count += 1) assert.equal(await kindOf(generateApiKey()), 'invalid');
    const queries = store.queries.length;
    clock.elapsed = 20_000;
    assert.deepEqual(authenticate(generateApiKey()), { kind: 'too_many_unknown_keys', retryAfterSeconds: 40 });
    assert.equal(await kindOf(store.add()), 'too_many_unknown_keys', 'a good one cannot be told from a bad one');
    assert.equal(store.queries.length, queries);

    assert.equal(await kindOf(generateApiKey(), '192.0.2.2'), 'invalid', 'another address is not affected');
    clock.elapsed = 60_000;
    assert.equal(await kindOf(generateApiKey()), 'invalid');
  });

  it('goes on taking known keys from the same address', async () => {
    const { store, clock, authenticate, kindOf } = startAuthenticator();
    const key = store.add();
    await kindOf(key);
    for (let count = 0; count < 100; count += 1) await kindOf(generateApiKey());
    for (const elapsed of [0, 4000, 20_000]) {
      clock.elapsed = elapsed;
      assert.equal((await authenticate(key)).kind, 'valid');
    }
  });

  it('counts no good key, however many come from one address at once', async () => {
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

  it('displaces no good key, from however many addresses they come', async () => {
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
