import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { checkApiKeyFormat, hashApiKey } from '../../src/keys/api-key.ts';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { type ApiKeyRecord, apiKeyStatus } from '../../src/keys/key-store.ts';
import { openKeyStore } from '../../src/keys/open-key-store.ts';
import { changeByHand } from './change-by-hand.ts';
import { keyDatabases } from './databases.ts';
import { findActiveByHash } from './find-active.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const LATER = new Date('2026-11-21T12:00:00.001Z');

for (const { name, newUrl } of keyDatabases) {
  async function emptyStore(test: TestContext, now: () => Date = () => NOW) {
    const store = await openKeyStore(await newUrl(test), { now });
    test.after(() => store.close());
    return store;
  }

  describe(`a key store in ${name}`, () => {
    it('finds a new key by its hash, and by nothing else', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: null });
      assert.equal(checkApiKeyFormat(key), 'ok');
      assert.deepEqual(await findActiveByHash(store, hashApiKey(key), NOW), record);
      assert.equal(await findActiveByHash(store, key, NOW), undefined);
      assert.equal(await findActiveByHash(store, hashApiKey(`${key} `), NOW), undefined);
    });

    it('gives back what was stored', async (test) => {
      const store = await emptyStore(test);
      const limits = { rateLimitPerMinute: 60, restrictions: { ...unrestricted, mints: new Set(['b', 'a']) } };
      const { record, key } = await store.create({ name: 'acme', expiresAt: LATER, ...limits });
      assert.match(record.id, /^key_[0-9a-f]{16}$/);
      const expected: ApiKeyRecord = {
        id: record.id,
        name: 'acme',
        prefix: key.slice(0, 10),
        createdAt: NOW,
        expiresAt: LATER,
        revokedAt: null,
        lastUsedAt: null,
        ...limits,
      };
      assert.deepEqual(record, expected);
      assert.deepEqual(await store.list(), [expected]);
      assert.deepEqual(await store.findByHashes([hashApiKey(key)]), new Map([[hashApiKey(key), expected]]));
    });

    it('accepts a key until the moment at which it expires', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: LATER });
      assert.equal((await findActiveByHash(store, hashApiKey(key), NOW))?.id, record.id);
      assert.equal(await store.hasActiveKey(NOW), true);
      assert.equal(await findActiveByHash(store, hashApiKey(key), LATER), undefined);
      assert.equal(await store.hasActiveKey(LATER), false);
      assert.deepEqual([apiKeyStatus(record, NOW), apiKeyStatus(record, LATER)], ['active', 'expired']);
    });

    it('accepts a revoked key no more, keeps it in the list, and revokes it once only', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: LATER });
      const revoked = await store.revoke(record.id);
      assert.deepEqual(revoked, { ...record, revokedAt: NOW });
      assert.equal(await findActiveByHash(store, hashApiKey(key), NOW), undefined);
      assert.equal(await store.hasActiveKey(NOW), false);
      assert.deepEqual(await store.list(), [revoked]);
      assert.equal(apiKeyStatus({ ...record, revokedAt: NOW }, LATER), 'revoked');
      assert.equal(await store.revoke(record.id), undefined);
    });

    it('revokes no other key', async (test) => {
      const store = await emptyStore(test);
      const first = await store.create({ name: 'acme', expiresAt: null });
      const second = await store.create({ name: 'acme', expiresAt: null });
      await store.revoke(first.record.id);
      assert.deepEqual(await findActiveByHash(store, hashApiKey(second.key), NOW), second.record);
      assert.equal(await store.revoke('acme'), undefined);
      assert.equal(await store.hasActiveKey(NOW), true);
    });

    it('rotates a key to a new one of the same name and expiry, and stops the old one', async (test) => {
      const store = await emptyStore(test);
      const old = await store.create({ name: 'acme', expiresAt: LATER });
      const rotated = await store.rotate(old.record.id);
      assert.ok(rotated);
      assert.deepEqual(rotated.replaced, { ...old.record, revokedAt: NOW });
      assert.deepEqual([rotated.record.name, rotated.record.expiresAt], ['acme', LATER]);
      assert.notEqual(rotated.key, old.key);
      assert.equal(await findActiveByHash(store, hashApiKey(old.key), NOW), undefined);
      assert.deepEqual(await findActiveByHash(store, hashApiKey(rotated.key), NOW), rotated.record);
    });

    it('rotates a key once only, though asked twice at once', async (test) => {
      const store = await emptyStore(test);
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      const answers = await Promise.all([store.rotate(record.id), store.rotate(record.id)]);
      assert.equal(answers.filter((answer) => answer !== undefined).length, 1);
      assert.equal((await store.list()).length, 2);
    });

    it('rotates no expired, revoked or unknown key', async (test) => {
      const clock = { now: NOW };
      const store = await emptyStore(test, () => clock.now);
      const expiring = await store.create({ name: 'expiring', expiresAt: LATER });
      const revoked = await store.create({ name: 'revoked', expiresAt: null });
      await store.revoke(revoked.record.id);
      clock.now = LATER;
      for (const id of [expiring.record.id, revoked.record.id, 'key_0000000000000000', '']) {
        assert.equal(await store.rotate(id), undefined, id);
      }
      assert.equal((await store.list()).length, 2);
    });

    it('finds keys by id and by name, the oldest first', async (test) => {
      const clock = { now: NOW };
      const store = await emptyStore(test, () => clock.now);
      const first = await store.create({ name: 'acme', expiresAt: null });
      clock.now = LATER;
      const second = await store.create({ name: 'acme', expiresAt: null });
      const other = await store.create({ name: first.record.id, expiresAt: null });
      assert.deepEqual(await store.find('acme'), [first.record, second.record]);
      assert.deepEqual(await store.find(second.record.id), [second.record]);
      assert.deepEqual(await store.find(first.record.id), [first.record, other.record]);
      assert.deepEqual(await store.find("' or 1=1 --"), []);
    });

    it('rotates a key whose old one works on for the overlap, and not past its own expiry', async (test) => {
      const store = await emptyStore(test);
      const endless = await store.create({ name: 'endless', expiresAt: null });
      const ending = await store.create({ name: 'ending', expiresAt: LATER });
      const overlap = 3_600_000;
      const first = await store.rotate(endless.record.id, overlap);
      assert.deepEqual(first?.replaced, { ...endless.record, expiresAt: new Date(NOW.getTime() + overlap) });
      assert.equal(first.record.expiresAt, null);
      const second = await store.rotate(ending.record.id, overlap);
      assert.deepEqual([second?.replaced.expiresAt, second?.record.expiresAt], [LATER, LATER]);
      for (const { key } of [endless, ending, first]) assert.ok(await findActiveByHash(store, hashApiKey(key), NOW));
    });

    it('gives a new key the limits of the one that it replaces', async (test) => {
      const store = await emptyStore(test);
      const restrictions = {
        operations: new Set(['create_transfer'] as const),
        mints: new Set(['m']),
        fromAddresses: null,
      };
      const { record } = await store.create({ name: 'acme', expiresAt: null, rateLimitPerMinute: 5, restrictions });
      const rotated = await store.rotate(record.id);
      assert.deepEqual([rotated?.record.rateLimitPerMinute, rotated?.record.restrictions], [5, restrictions]);
    });

    it('changes what it is told to of a key, and nothing else', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: LATER, rateLimitPerMinute: 5 });
      const other = await store.create({ name: 'acme', expiresAt: null });
      const restrictions = { operations: null, mints: new Set(['m']), fromAddresses: new Set(['a', 'b']) };
      assert.deepEqual(await store.update(record.id, { restrictions }), { ...record, restrictions });
      const settings = { name: 'b', expiresAt: null, rateLimitPerMinute: null, restrictions: unrestricted };
      assert.deepEqual(await store.update(record.id, settings), { ...record, ...settings });
      assert.deepEqual(byId(await store.list()), byId([{ ...record, ...settings }, other.record]));
      assert.ok(await findActiveByHash(store, hashApiKey(key), LATER));
    });

    it('changes no key that is revoked or unknown', async (test) => {
      const store = await emptyStore(test);
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      await store.revoke(record.id);
      for (const id of [record.id, 'key_0000000000000000'])
        assert.equal(await store.update(id, { name: 'b' }), undefined);
    });

    it('lets a key with restrictions that cannot be read do nothing, and harms no other', async (test) => {
      const url = await newUrl(test);
      const store = await openKeyStore(url);
      test.after(() => store.close());
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      const other = await store.create({ name: 'other', expiresAt: null });
      await changeByHand(
        url,
        "update api_keys set allowed_mints = 'x', allowed_operations = '[\"later\"]' where name = 'acme'",
      );
      const restrictions = { operations: new Set<never>(), mints: new Set<never>(), fromAddresses: null };
      assert.deepEqual(byId(await store.list()), byId([{ ...record, restrictions }, other.record]));
    });

    it('finds hundreds of keys at once, and no more than there are', async (test) => {
      const store = await emptyStore(test);
      const keys: string[] = [];
      for (let count = 0; count < 250; count += 1) keys.push((await store.create({ name: 'k', expiresAt: null })).key);
      const hashes = keys.map(hashApiKey);
      const found = await store.findByHashes([...hashes, 'none', '']);
      assert.deepEqual([...found.keys()].sort(), hashes.sort());
      assert.equal((await store.findByHashes([])).size, 0);
      assert.equal((await store.findByHashes(['none'])).size, 0);
    });
  });
}

// Keys created in the same millisecond are listed in any order.
function byId(records: readonly ApiKeyRecord[]): Map<string, ApiKeyRecord> {
  return new Map(records.map((record) => [record.id, record]));
}
