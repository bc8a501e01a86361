import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import { type KeyRestrictions, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { linkBody, linksPath, usdc } from '../../../packages/server/test/http/sample-bodies.ts';
import { createLimitedKey } from '../../../packages/server/test/keys/limited-key.ts';
import { changeByHand, readByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { keyDatabases, postgresOfThisFile, sqliteFile } from '../../../packages/server/test/store/databases.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { LinkClient, readLink, startLinkService } from './link-service.ts';

const pyusd = '2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD';
const carol = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';

/** A service, and a way to make keys for it. */
async function start(t: TestContext, databaseUrl: string, environment: Environment = {}) {
  const world = await startLinkService(t, { DATABASE_URL: databaseUrl, ...environment });
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const newKey = async (restrictions: Partial<KeyRestrictions> = {}) => {
    const { id, key } = await createLimitedKey(store, restrictions);
    return { id, client: new LinkClient(world.service.url, key) };
  };
  return { ...world, store, newKey };
}

for (const database of keyDatabases) {
  describe(`payment links and their keys, in ${database.name}`, () => {
    it('belong to the key that made them and to those that replace it, and to no other', async (t) => {
      const { store, newKey, alice, land } = await start(t, await database.newUrl(t));
      const [owner, other] = [await newKey(), await newKey()];
      const link = await owner.client.create(linkBody);
      for (const [method, path] of [
        ['GET', `${linksPath}/${link.id}`],
        ['POST', `${linksPath}/${link.id}/cancel`],
      ] as const) {
        const { request_id: _, ...theirs } = await readProblem(await other.client.send(method, path));
        const { request_id: __, ...none } = await readProblem(
          await other.client.send(method, path.replace(link.id, '1111111111111111')),
        );
        assert.deepEqual([theirs.status, theirs], [404, none], 'as one that does not exist');
      }
      assert.deepEqual((await other.client.list()).data, []);

      const rotated = await store.rotate(owner.id);
      assert.ok(rotated);
      const successor = new LinkClient(owner.client.url, rotated.key);
      assert.equal((await successor.read(link.id)).state, 'open');
      const { transaction } = await successor.pay(link.id, alice.address);
      await store.revoke(rotated.record.id);
      const closed = await readProblem(await successor.askToPay(link.id, alice.address));
      assert.deepEqual(
        [closed.status, closed.code, closed.message],
        [410, 'payment_link_closed', 'This link was canceled. Ask the seller for a new one.'],
      );
      await land(transaction, alice);
    });

    it('follow the limits of today, and can always be canceled by their key', async (t) => {
      const { store, service, newKey, alice } = await start(t, await database.newUrl(t));
      const { client, id } = await newKey();
      const [link, other] = [await client.create(linkBody), await client.create(linkBody)];
      await client.pay(link.id, alice.address);
      const limitTo = (restrictions: Partial<KeyRestrictions>) =>
        store.update(id, { restrictions: { ...unrestricted, ...restrictions } });
      await limitTo({ toAddresses: new Set([carol]) });
      const { status, code, message } = await readProblem(await client.askToPay(link.id, alice.address));
      assert.deepEqual(
        [status, code, message],
        [410, 'payment_link_closed', 'This link was canceled. Ask the seller for a new one.'],
      );
      const shown = Object(await (await fetch(`${service.url}/pay/${link.id}`)).json());
      const { state, cancelled_at: cancelledAt } = await client.read(link.id);
      assert.deepEqual([shown.disabled, state, cancelledAt], [true, 'cancelled', null]);
      await limitTo({ toAddresses: new Set([linkBody.to_address]) });
      await client.pay(link.id, alice.address);

      await limitTo({ operations: new Set(['transfer']) });
      const cancelled = await client.send('POST', `${linksPath}/${other.id}/cancel`);
      assert.equal((await readLink(cancelled, 200, 'cancelled')).state, 'cancelled');
      await limitTo({});
      // Until the service has heard of this change, it may go by the one before.
      await waitUntil(async () => (await client.send('GET', linksPath)).status === 200);
      assert.deepEqual(
        (await client.list()).data.map(({ id, state }) => [id, state]),
        [
          [other.id, 'cancelled'],
          [link.id, 'open'],
        ],
      );
    });

    it('are no more than a key may have open, those of the keys that it replaced included', async (t) => {
      const { store, newKey } = await start(t, await database.newUrl(t), { MAX_OPEN_LINKS_PER_KEY: '2' });
      const [owner, other] = [await newKey(), await newKey()];
      const first = await owner.client.create(linkBody);
      const rotated = await store.rotate(owner.id);
      assert.ok(rotated);
      const client = new LinkClient(owner.client.url, rotated.key);
      await client.create(linkBody, { 'idempotency-key': 'order-1' });
      const refused = await readProblem(
        await client.send('POST', linksPath, linkBody, { 'idempotency-key': 'order-2' }),
      );
      assert.deepEqual([refused.status, refused.code], [507, 'too_many_open_links']);
      assert.match(refused.detail, /has 2 open payment links.*may have 2.*Cancel some.*MAX_OPEN_LINKS_PER_KEY/);
      await other.client.create(linkBody);
      await client.create(linkBody, { 'idempotency-key': 'order-1' });
      await client.cancel(first.id);
      await client.create(linkBody, { 'idempotency-key': 'order-2' });
      assert.equal((await client.list()).data.length, 3);
    });

    it('are listed in pages, the newest first, and no page misses or repeats one when others are made', async (t) => {
      const { newKey } = await start(t, await database.newUrl(t));
      const { client } = await newKey();
      const made: string[] = [];
      for (let index = 0; index < 7; index += 1)
        made.unshift((await client.create({ ...linkBody, label: `${index}` })).id);
      const listed: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await client.list({ limit: '3', ...(cursor !== undefined && { cursor }) });
        listed.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        pages += 1;
        await client.create({ ...linkBody, label: 'newer' });
      } while (cursor !== undefined);
      assert.deepEqual([listed, pages], [made, 3]);
    });

    it('are made once under an Idempotency-Key', async (t) => {
      const { newKey } = await start(t, await database.newUrl(t));
      const { client } = await newKey();
      const keyed = { 'idempotency-key': 'order-7' };
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => client.send('POST', linksPath, linkBody, keyed)),
      );
      const statuses = responses.map(({ status }) => status);
      assert.ok(
        statuses.includes(201) && statuses.every((status) => status === 201 || status === 409),
        statuses.join(),
      );
      const again = await client.send('POST', linksPath, linkBody, keyed);
      const text = await again.text();
      assert.deepEqual(
        [again.status, again.headers.get('idempotency-replayed'), again.headers.get('location')],
        [201, 'true', `${linksPath}/${JSON.parse(text).data.id}`],
      );
      for (const response of responses) if (response.status === 201) assert.equal(await response.text(), text);
      await client.cancel(JSON.parse(text).data.id);
      assert.equal(
        await (await client.send('POST', linksPath, linkBody, keyed)).text(),
        text,
        'byte for byte, whatever happened',
      );
      const other = await client.send('POST', linksPath, { ...linkBody, label: 'other' }, keyed);
      assert.equal((await readProblem(other)).code, 'idempotency_key_reused');
      assert.equal((await client.list()).data.length, 1);
    });
  });
}

describe('a key that has ended without the service having noticed', () => {
  it('makes no link any more', async (t) => {
    const databaseUrl = await (await postgresOfThisFile()).createDatabase();
    const { newKey } = await start(t, databaseUrl);
    const { id, client } = await newKey();
    await client.create(linkBody);
    // A change by hand notifies no service.
    await changeByHand(databaseUrl, `update api_keys set revoked_at = 1 where id = '${id}'`);
    const refused = await readProblem(await client.send('POST', linksPath, linkBody));
    assert.deepEqual([refused.status, refused.code], [401, 'api_key_invalid']);
    assert.equal((await readByHand(databaseUrl, 'select id from payment_links')).length, 1);
  });
});

describe('a key with limits', () => {
  const reasons = async (response: Response): Promise<readonly string[]> => {
    const problem = await readProblem(response);
    assert.equal(problem.status, 403, JSON.stringify(problem));
    return (problem.errors ?? []).map(({ pointer, code }) => `${code} ${pointer}`);
  };

  it('makes no link that it may not, and is told every reason', async (t) => {
    const { newKey } = await start(t, await sqliteFile.newUrl(t));
    const limited = await newKey({
      operations: new Set(['transfer']),
      mints: new Set([pyusd]),
      fromAddresses: new Set([carol]),
      toAddresses: new Set([carol]),
    });
    assert.deepEqual(await reasons(await limited.client.send('POST', linksPath, linkBody)), [
      'key_not_allowed ',
      'key_not_allowed /token_mint_address',
      'key_not_allowed ',
      'key_not_allowed /to_address',
    ]);
    for (const path of [linksPath, `${linksPath}/1111111111111111`]) {
      assert.deepEqual(await reasons(await limited.client.send('GET', path)), ['key_not_allowed ']);
    }
    const allowed = await newKey({
      operations: new Set(['payment_link']),
      mints: new Set([usdc]),
      toAddresses: new Set([linkBody.to_address]),
    });
    await allowed.client.create(linkBody);
  });

  it('counts the most that may be paid, in one transfer and in a day', async (t) => {
    const { newKey } = await start(t, await sqliteFile.newUrl(t));
    const { amount: _, ...others } = linkBody;
    const chosen = { ...others, amount_min: '1', amount_max: '6' };
    const single = await newKey({ amounts: new Map([[usdc, { perTransfer: 5n, perDay: null }]]) });
    assert.deepEqual(await reasons(await single.client.send('POST', linksPath, { ...linkBody, amount: '6' })), [
      'key_not_allowed /amount',
    ]);
    assert.deepEqual(await reasons(await single.client.send('POST', linksPath, chosen)), [
      'key_not_allowed /amount_max',
    ]);
    await single.client.create({ ...chosen, amount_max: '5', single_use: false });

    const daily = await newKey({ amounts: new Map([[usdc, { perTransfer: null, perDay: 10n }]]) });
    assert.deepEqual(await reasons(await daily.client.send('POST', linksPath, { ...chosen, single_use: false })), [
      'key_not_allowed /single_use',
    ]);
    await daily.client.create(chosen);
    assert.deepEqual(await reasons(await daily.client.send('POST', linksPath, { ...linkBody, amount: '5' })), [
      'daily_limit_reached /amount',
    ]);
    const decimal = await daily.client.send('POST', linksPath, { ...others, amount_decimal: '0.000005' });
    assert.deepEqual(await reasons(decimal), ['daily_limit_reached /amount_decimal']);
    await daily.client.create({ ...linkBody, amount: '4' });
    const { data } = await daily.client.list();
    assert.deepEqual(
      data.map(({ state, amount, amount_max: max }) => [state, amount ?? max]),
      [
        ['open', '4'],
        ['open', '6'],
      ],
      'what was refused was never there',
    );
  });
});
