import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Check } from 'typebox/schema';
import { startTestService } from '../../../../test/setup/service.ts';
import { named } from '../../../../test/setup/wallets.ts';
import { creditSchema, recipientSchema } from '../../src/incoming/incoming-schema.ts';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { createLimitedKey } from '../keys/limited-key.ts';
import { anySignature } from '../links/records/links.ts';
import { openPatiently, sqliteFile } from '../store/databases.ts';
import { accountNumber } from './account-ledger.ts';

describe('incoming payments over HTTP', () => {
  it('watch a wallet for some mints, whose accounts need not be there yet, until they are told to stop', async (t) => {
    const { call, watch, wallet, mints } = await open(t);
    const { status, data } = await watch(mints);
    assert.equal(status, 200);
    for (const each of data) assert.ok(Check(recipientSchema, each), JSON.stringify(each));
    assert.deepEqual(
      data.map((each: { token_mint_address: string }) => each.token_mint_address).sort(),
      mints.toSorted(),
    );
    const listed = (await call('GET', '/v1/recipients')).data;
    assert.deepEqual(listed, data);
    assert.deepEqual([listed[0].recipient, listed[0].problem], [wallet, null]);
    assert.deepEqual((await watch([])).data, []);
    assert.deepEqual((await call('GET', '/v1/recipients')).data, []);
  });

  it('list what arrived in pages, by recipient, mint and memo', async (t) => {
    const { call, watch, store, wallet, mints } = await open(t);
    const [{ token_account: tokenAccount }] = (await watch(mints.slice(0, 1))).data;
    const memos = ['order 1', 'order 2', null];
    const credits = memos.map((memo) => ({
      token_account: tokenAccount,
      signature: anySignature(),
      slot: Number.MAX_SAFE_INTEGER,
      block_time: 1_795_780_800,
      amount: '1500000',
      payer: null,
      memo,
      reference_addresses: '[]',
      commitment: 'confirmed' as const,
    }));
    const position = { floorSlot: 1n, until: null };
    await store.incoming.accounts.update(0);
    for (const [index, credit] of credits.entries()) {
      const scan = { position, fault: null, credits: [credit], dropped: [], isMore: false, done: [] };
      await store.incoming.accounts.save(tokenAccount, scan, 1_795_780_800_000 + index);
    }
    const first = await call('GET', '/v1/incoming?limit=2');
    for (const each of first.data) assert.ok(Check(creditSchema, each), JSON.stringify(each));
    const second = await call('GET', `/v1/incoming?limit=2&cursor=${first.next_cursor}`);
    const shown = [...first.data, ...second.data].map(({ signature }) => signature);
    assert.deepEqual(shown, credits.map(({ signature }) => signature).reverse());
    assert.deepEqual([first.data.length, second.next_cursor], [2, undefined]);
    const count = async (query: string) => (await call('GET', `/v1/incoming?${query}`)).data.length;
    assert.equal(await count('memo=order%202'), 1);
    assert.equal(await count(`recipient=${wallet}&mint=${mints[0]}`), 3);
    assert.equal(await count(`mint=${mints[1]}`), 0);
  });

  it('say what is wrong with a request', async (t) => {
    const { call, watch, wallet, mints } = await open(t);
    const faultsOf = async (answer: ReturnType<typeof call>) => {
      const { status, errors } = await answer;
      return [status, ...errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)];
    };
    const path = '/v1/recipients/me';
    assert.deepEqual(await faultsOf(call('PUT', path, { token_mint_addresses: [mints[0]] })), [
      400,
      ' invalid_address',
    ]);
    const long = '1'.repeat(44);
    assert.deepEqual(await faultsOf(watch([long])), [400, '/token_mint_addresses/0 invalid_address']);
    assert.deepEqual(await faultsOf(watch(['1'.repeat(32), wallet])), [
      422,
      '/token_mint_addresses/0 not_a_mint',
      '/token_mint_addresses/1 not_a_mint',
    ]);
    assert.deepEqual(await faultsOf(call('PUT', `/v1/recipients/${wallet}`, { mints })), [
      400,
      '/mints unknown_field',
      '/token_mint_addresses missing_field',
    ]);
    assert.deepEqual(await faultsOf(call('GET', '/v1/incoming?cursor=abc&')), [400, '/cursor invalid_value']);
    assert.deepEqual(await faultsOf(call('GET', '/v1/incoming?memo=%00&recipient=me&limit=0')), [
      400,
      '/memo invalid_value',
      '/recipient invalid_value',
      '/limit invalid_value',
    ]);
  });

  it('are kept from keys without webhooks, and refused when a key watches 100 wallets', async (t) => {
    const { call, store, wallet, mints } = await open(t);
    const { key } = await createLimitedKey(store, { operations: new Set(['transfer']) });
    for (const [method, path] of [
      ['GET', '/v1/incoming'],
      ['GET', '/v1/recipients'],
    ] as const) {
      const { status, code } = await call(method, path, undefined, key);
      assert.deepEqual([status, code], [403, 'key_not_allowed']);
    }
    const other = await store.create({ name: 'other', expiresAt: null });
    const ownerId = other.record.rootId;
    const watched = Array.from({ length: 100 }, (_, index) => {
      const { tokenAccount, mint, wallet: each } = accountNumber(index);
      return { owner_id: ownerId, wallet: each, mint, token_account: tokenAccount, since_slot: 1, created_at: 0 };
    });
    await store.database.db.insertInto('recipients').values(watched).execute();
    const body = { token_mint_addresses: mints };
    assert.equal((await call('PUT', `/v1/recipients/${wallet}`, body, other.key)).code, 'too_many_recipients');
    assert.equal((await call('GET', '/v1/recipients', undefined, other.key)).status, 200);
  });
});

/** A service on a sandbox and a database, and what calls it. */
async function open(t: TestContext) {
  const databaseUrl = await sqliteFile.newUrl(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  const store = await openPatiently(databaseUrl, t);
  const { wallets, mints: all } = service.sandbox.world;
  const call = async (method: string, path: string, body?: object, key: string = sandboxApiKey) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { ...Object(await response.json()), status: response.status };
  };
  const wallet = named(wallets, 'carol').address;
  const mints = all.slice(0, 2).map(({ address }) => address);
  const watch = (tokens: readonly string[]) =>
    call('PUT', `/v1/recipients/${wallet}`, { token_mint_addresses: tokens });
  return { call, watch, store, wallet, mints };
}
