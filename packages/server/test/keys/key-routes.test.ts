import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/schema';
import { startTestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import {
  type AmountLimit,
  type AuthenticatedKey,
  sandboxApiKey,
  unrestricted,
} from '../../src/keys/authenticated-key.ts';
import { createKeyTodayReader } from '../../src/keys/key-routes.ts';
import { type KeyJson, keyReplySchema } from '../../src/keys/key-schema.ts';
import { sponsoredLamports } from '../../src/keys/usage/daily-amounts.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { alice, bob, memoBody, memoPath, usdc } from '../app/sample-bodies.ts';

test('GET /v1/key', async (t) => {
  const path = `sqlite:${temporaryFolder(t)}/keys.db`;
  const service = await startTestService(t, { DATABASE_URL: path, RATE_LIMIT_PER_MINUTE: '500' });
  const store = await openKeyStore(path);
  t.after(() => store.close());
  const read = async (key: string): Promise<{ data: KeyJson; response: Response }> => {
    const response = await fetch(`${service.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    const body: unknown = await response.json();
    if (!Check(keyReplySchema, body)) assert.fail(JSON.stringify(body));
    return { data: body.data, response };
  };
  const make = (name: string, settings: object = {}) => store.create({ name, expiresAt: null, ...settings });

  await t.test('says what a key without limits is called, and what the service allows every key', async () => {
    const { key, record } = await make('acme');
    const { data, response } = await read(key);
    assert.equal(response.status, 200);
    assert.deepEqual([data.id, data.name, data.rate_limit_per_minute], [record.id, 'acme', 500]);
    const { allowed_operations, allowed_mints, allowed_sender_count, allowed_recipient_count, amount_limits } = data;
    assert.deepEqual(
      [allowed_operations, allowed_mints, allowed_sender_count, allowed_recipient_count, amount_limits],
      [null, null, null, null, null],
    );
    const { sponsored_lamports_per_day: perDay, sponsored_lamports_today: today } = data;
    assert.deepEqual([perDay, today], [null, null]);
    assert.match(String(response.headers.get('ratelimit')), /^"default";r=499;t=\d+$/);
    assert.equal((await read((await make('free', { rateLimitPerMinute: 0 })).key)).data.rate_limit_per_minute, null);
  });

  await t.test('says what is left of the amount of a day, and names no wallet', async () => {
    const limits = { perTransfer: 2_000_000n, perDay: 5_000_000n };
    const restrictions = {
      ...unrestricted,
      operations: new Set(['memo_transfer']),
      mints: null,
      fromAddresses: new Set([alice]),
      toAddresses: new Set([bob]),
      amounts: new Map<string, AmountLimit>([
        [usdc, limits],
        [bob, { perTransfer: 7n, perDay: null }],
      ]),
      sponsoredLamportsPerDay: 5_000n,
    };
    const { key } = await make('app', { rateLimitPerMinute: 9, restrictions });
    const authorization = { authorization: `Bearer ${key}` };
    assert.equal((await service.post(memoPath, { ...memoBody, amount: '1500000' }, authorization)).status, 200);
    const { data } = await read(key);
    assert.deepEqual(data.amount_limits, [
      { token_mint_address: bob, per_transfer: '7', per_day: null, built_today: null, left_today: null },
      {
        token_mint_address: usdc,
        per_transfer: '2000000',
        per_day: '5000000',
        built_today: '1500000',
        left_today: '3500000',
      },
    ]);
    assert.deepEqual([data.rate_limit_per_minute, data.allowed_operations], [9, ['memo_transfer']]);
    assert.deepEqual([data.allowed_sender_count, data.allowed_recipient_count], [1, 1]);
    const lowered = await make('lowered', { restrictions: { ...restrictions, amounts: new Map([[usdc, limits]]) } });
    const added = { keyId: lowered.record.id, day: data.day, mint: usdc, amount: 6_000_000n };
    await store.addDailyAmounts([{ added, limit: added.amount }]);
    await store.addDailyAmounts([{ added: { ...added, mint: sponsoredLamports, amount: 700n }, limit: 5_000n }]);
    const { data: used } = await read(lowered.key);
    assert.equal(used.amount_limits?.[0]?.left_today, '0');
    const { sponsored_lamports_per_day: perDay, sponsored_lamports_today: today, sponsors_rent: rent } = used;
    assert.deepEqual([perDay, today, rent], ['5000', '700', false]);
  });

  await t.test("counts a day's requests by their end, as soon as the service has saved them", async () => {
    const { key, record } = await make('counted');
    const { data: before } = await read(key);
    assert.deepEqual(before.usage_today, {
      requests: 0,
      built: 0,
      replayed: 0,
      answered: 0,
      refused: 0,
      refusals: {},
    });
    const requests: [string, number][] = [
      ['built', 3],
      ['replayed', 1],
      ['answered', 4],
      ['invalid_request', 2],
      ['rate_limited', 5],
    ];
    const usage = requests.map(([outcome, count]) => ({
      keyId: record.id,
      day: before.day,
      outcome,
      requests: count,
    }));
    const other = { keyId: 'key_other', day: before.day, outcome: 'built', requests: 9 };
    const old = { keyId: record.id, day: '2020-01-01', outcome: 'built', requests: 9 };
    await store.addUsage({ writer: 'w', number: 1, usage: [...usage, other, old], lastUsedAt: new Map() });
    const { built, replayed, refused, refusals } = (await read(key)).data.usage_today ?? {};
    assert.deepEqual([built, replayed, refused], [3, 1, 7]);
    assert.deepEqual(refusals, { invalid_request: 2, rate_limited: 5 });
  });

  await t.test('has no count of the key of the sandbox, which is not stored', async () => {
    const { data } = await read(sandboxApiKey);
    assert.deepEqual([data.name, data.usage_today], ['sandbox', null]);
  });

  await t.test('needs a key', async () => {
    assert.equal((await fetch(`${service.url}/v1/key`)).status, 401);
  });
});

test('What a key has used is refused as unavailable while the store does not answer', async () => {
  const away = (): Promise<never> => Promise.reject(new Error('no answer'));
  const readToday = createKeyTodayReader({ findUsage: away, findDailyAmounts: away }, () => 0);
  const key: Pick<AuthenticatedKey, 'id' | 'restrictions'> = {
    id: 'key_1',
    restrictions: unrestricted,
  };
  await assert.rejects(readToday(key), { code: 'key_store_unavailable' });
});
