import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { checkApiKeyFormat, hashApiKey } from '../../../src/app/api-key.ts';
import { type ApiKeyRecord, apiKeyStatus } from '../../../src/keys/api-key-record.ts';
import { type KeyRestrictions, unrestricted } from '../../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { changeByHand } from '../../store/change-by-hand.ts';
import { keyDatabases } from '../../store/databases.ts';
import { findActiveByHash } from '../../store/find-active.ts';

const startTime = new Date('2026-11-21T12:00:00.000Z');
const laterTime = new Date('2026-11-21T12:00:00.001Z');

const everyRestriction: KeyRestrictions = {
  operations: new Set(['yid_transfer']),
  mints: new Set(['b', 'a']),
  fromAddresses: new Set(['c']),
  toAddresses: new Set(['e', 'd']),
  amounts: new Map([
    ['b', { perTransfer: 2n ** 64n - 1n, perDay: null }],
    ['a', { perTransfer: null, perDay: 2n ** 64n - 1n }],
  ]),
  sponsoredLamportsPerDay: 2n ** 64n - 1n,
  sponsorsRent: true,
};

for (const { name, newUrl } of keyDatabases) {
  async function emptyStore(test: TestContext, now: () => Date = () => startTime) {
    const store = await openKeyStore(await newUrl(test), { now });
    test.after(() => store.close());
    return store;
  }

  describe(`a key store in ${name}`, () => {
    it('finds a new key by its hash, and by nothing else', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: null });
      assert.equal(checkApiKeyFormat(key), 'ok');
      assert.deepEqual(await findActiveByHash(store, hashApiKey(key), startTime), record);
      assert.equal(await findActiveByHash(store, key, startTime), undefined);
      assert.equal(await findActiveByHash(store, hashApiKey(`${key} `), startTime), undefined);
    });

    it('gives back what was stored', async (test) => {
      const store = await emptyStore(test);
      const limits = { rateLimitPerMinute: 60, restrictions: everyRestriction };
      const { record, key } = await store.create({ name: 'acme', expiresAt: laterTime, ...limits });
      assert.match(record.id, /^key_[0-9a-f]{16}$/);
      const expected: ApiKeyRecord = {
        id: record.id,
        rootId: record.id,
        name: 'acme',
        prefix: key.slice(0, 10),
        createdAt: startTime,
        expiresAt: laterTime,
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
      const { record, key } = await store.create({ name: 'acme', expiresAt: laterTime });
      assert.equal((await findActiveByHash(store, hashApiKey(key), startTime))?.id, record.id);
      assert.equal(await store.hasActiveKey(startTime), true);
      assert.equal(await findActiveByHash(store, hashApiKey(key), laterTime), undefined);
      assert.equal(await store.hasActiveKey(laterTime), false);
      assert.deepEqual([apiKeyStatus(record, startTime), apiKeyStatus(record, laterTime)], ['active', 'expired']);
    });

    it('accepts a revoked key no more, keeps it in the list, and revokes it once only', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: laterTime });
      const revoked = { ...record, revokedAt: startTime };
      assert.deepEqual(await store.revoke(record.id), { ...revoked, closedLinks: 0 });
      assert.equal(await findActiveByHash(store, hashApiKey(key), startTime), undefined);
      assert.equal(await store.hasActiveKey(startTime), false);
      assert.deepEqual(await store.list(), [revoked]);
      assert.equal(apiKeyStatus({ ...record, revokedAt: startTime }, laterTime), 'revoked');
      assert.equal(await store.revoke(record.id), undefined);
    });

    it('rotates a key to a new one of the same name and expiry, and stops the old one', async (test) => {
      const store = await emptyStore(test);
      const old = await store.create({ name: 'acme', expiresAt: laterTime });
      const rotated = await store.rotate(old.record.id);
      assert.ok(rotated);
      assert.deepEqual(rotated.replaced, { ...old.record, revokedAt: startTime });
      assert.deepEqual([rotated.record.name, rotated.record.expiresAt], ['acme', laterTime]);
      assert.notEqual(rotated.key, old.key);
      assert.equal(await findActiveByHash(store, hashApiKey(old.key), startTime), undefined);
      assert.deepEqual(await findActiveByHash(store, hashApiKey(rotated.key), startTime), rotated.record);
    });

    it('rotates a key once only, though asked twice at once', async (test) => {
      const store = await emptyStore(test);
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      const answers = await Promise.all([store.rotate(record.id), store.rotate(record.id)]);
      assert.equal(answers.filter((answer) => answer !== undefined).length, 1);
      assert.equal((await store.list()).length, 2);
    });

    it('rotates no expired, revoked or unknown key', async (test) => {
      const clock = { now: startTime };
      const store = await emptyStore(test, () => clock.now);
      const expiring = await store.create({ name: 'expiring', expiresAt: laterTime });
      const revoked = await store.create({ name: 'revoked', expiresAt: null });
      await store.revoke(revoked.record.id);
      clock.now = laterTime;
      for (const id of [expiring.record.id, revoked.record.id, 'key_0000000000000000', '']) {
        assert.equal(await store.rotate(id), undefined, id);
      }
      assert.equal((await store.list()).length, 2);
    });

    it('finds keys by id and by name, the oldest first', async (test) => {
      const clock = { now: startTime };
      const store = await emptyStore(test, () => clock.now);
      const first = await store.create({ name: 'acme', expiresAt: null });
      clock.now = laterTime;
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
      const ending = await store.create({ name: 'ending', expiresAt: laterTime });
      const overlap = 3_600_000;
      const first = await store.rotate(endless.record.id, overlap);
      assert.deepEqual(first?.replaced, { ...endless.record, expiresAt: new Date(startTime.getTime() + overlap) });
      assert.equal(first.record.expiresAt, null);
      const second = await store.rotate(ending.record.id, overlap);
      assert.deepEqual([second?.replaced.expiresAt, second?.record.expiresAt], [laterTime, laterTime]);
      for (const { key } of [endless, ending, first])
        assert.ok(await findActiveByHash(store, hashApiKey(key), startTime));
    });

    it('gives a new key the limits of the one that it replaces', async (test) => {
      const store = await emptyStore(test);
      const restrictions = {
        operations: new Set(['create_transfer'] as const),
        mints: new Set(['m']),
        fromAddresses: null,
        toAddresses: new Set(['b']),
        amounts: new Map([['m', { perTransfer: 1n, perDay: 2n ** 64n - 1n }]]),
        sponsoredLamportsPerDay: 5n,
        sponsorsRent: false,
      };
      const { record } = await store.create({ name: 'acme', expiresAt: null, rateLimitPerMinute: 5, restrictions });
      const rotated = await store.rotate(record.id);
      assert.deepEqual([rotated?.record.rateLimitPerMinute, rotated?.record.restrictions], [5, restrictions]);
    });

    it('changes the given settings of a key, and nothing else', async (test) => {
      const store = await emptyStore(test);
      const { record, key } = await store.create({ name: 'acme', expiresAt: laterTime, rateLimitPerMinute: 5 });
      const other = await store.create({ name: 'acme', expiresAt: null });
      const restrictions = { ...unrestricted, mints: new Set(['m']), fromAddresses: new Set(['a', 'b']) };
      assert.deepEqual(await store.update(record.id, () => ({ restrictions })), { ...record, restrictions });
      const settings = { name: 'b', expiresAt: null, rateLimitPerMinute: null, restrictions: unrestricted };
      assert.deepEqual(await store.update(record.id, () => settings), { ...record, ...settings });
      assert.deepEqual(byId(await store.list()), byId([{ ...record, ...settings }, other.record]));
      assert.ok(await findActiveByHash(store, hashApiKey(key), laterTime));
    });

    it('changes no key that is revoked or unknown', async (test) => {
      const store = await emptyStore(test);
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      await store.revoke(record.id);
      for (const id of [record.id, 'key_0000000000000000'])
        assert.equal(await store.update(id, () => ({ name: 'b' })), undefined);
    });

    it('lets a key with restrictions that cannot be read do nothing, and harms no other', async (test) => {
      const url = await newUrl(test);
      const store = await openKeyStore(url);
      test.after(() => store.close());
      const { record } = await store.create({ name: 'acme', expiresAt: null });
      const other = await store.create({ name: 'other', expiresAt: null });
      await changeByHand(
        url,
        "update api_keys set allowed_mints = 'x', allowed_operations = '[\"later\"]', allowed_to_addresses = '{}', " +
          "amount_limits = 'x', sponsored_lamports_per_day = 'x' where name = 'acme'",
      );
      const nothing = { operations: new Set<never>(), mints: new Set<never>(), toAddresses: new Set<never>() };
      const restrictions = {
        ...unrestricted,
        ...nothing,
        amounts: new Map<never, never>(),
        sponsoredLamportsPerDay: 0n,
      };
      assert.deepEqual(byId(await store.list()), byId([{ ...record, restrictions }, other.record]));
    });

    it('lets a key move nothing of a mint whose amount limit cannot be read in full', async (test) => {
      const url = await newUrl(test);
      const store = await openKeyStore(url);
      test.after(() => store.close());
      const limits = {
        good: { per_transfer: '5' },
        both: { per_transfer: '5', per_day: '18446744073709551615' },
        later: { per_transfer: '5', per_day: '18446744073709551616' },
        number: { per_day: '1e3' },
        zero: { per_day: '0' },
        nothing: {},
        null: null,
        text: 'x',
      };
      await store.create({ name: 'acme', expiresAt: null });
      for (const [text, expected] of [
        [JSON.stringify(limits), ['good', 'both']],
        ['null', []],
        ['[]', []],
        ['5', []],
      ] as const) {
        await changeByHand(url, `update api_keys set amount_limits = '${text}'`);
        const [record] = await store.list();
        assert.deepEqual([...(record?.restrictions.amounts?.keys() ?? [])], expected, text);
      }
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
