import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { Sandbox } from '../../../packages/sandbox/src/index.ts';
import { type KeyRestrictions, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import {
  alice,
  bob,
  createBody,
  memoBody,
  memoPath,
  usdc,
  yidBody,
} from '../../../packages/server/test/http/sample-bodies.ts';
import { createLimitedKey } from '../../../packages/server/test/keys/limited-key.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import type { Json } from '../../setup/json.ts';
import { startPostgres } from '../../setup/postgres.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { startServer } from '../program/cli-process.ts';
import { land, slotsUntilDead } from './keyed-client.ts';

const path = '/v1/transfers';
const body = { from_address: alice, to_address: bob, token_mint_address: usdc, amount: '7', memo: 'order 7' };
const fresh = { BLOCKHASH_MAX_AGE_MS: '0' };

interface Reply {
  status: number;
  text: string;
  json: Json;
  headers: Headers;
}

interface Setup {
  sandbox: Sandbox;
  store: Awaited<ReturnType<typeof openKeyStore>>;
  databaseUrl: string;
  /** Makes an API key, and a function that posts with it. */
  client(restrictions?: Partial<KeyRestrictions>): Promise<{ id: string; key: string; post: Post }>;
}

type Post = (key: string | undefined, body: unknown, where?: string) => Promise<Reply>;

const transactionOf = ({ json }: Reply): string => json.data.transaction;

for (const database of keyDatabases) {
  /** A service on a sandbox whose slots pass only when the test says so. */
  async function start(t: TestContext): Promise<Setup & { log: readonly string[] }> {
    const sandbox = await startTestSandbox(t, { slotMs: 0 });
    const { databaseUrl, store } = await newKeyStore(t, database);
    const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl, ...fresh };
    const service = await startTestService(t, environment);
    return {
      sandbox,
      store,
      databaseUrl,
      log: service.log,
      client: async (restrictions = {}) => {
        const { id, key } = await createLimitedKey(store, restrictions);
        return { id, key, post: poster(service.url, key) };
      },
    };
  }

  describe(`An Idempotency-Key kept in ${database.name}`, () => {
    it('gives a retry the same reply, byte for byte, on every operation', async (t) => {
      const { client } = await start(t);
      const { post } = await client();
      for (const [where, asked] of [
        [path, body],
        [path, { ...body, layout: 'x402', fee_payer: bob, memo: undefined }],
        [memoPath, memoBody],
        [memoPath, { ...yidBody, summary: true, encoding: 'base58' }],
        ['/v1/create-token-account-transfer', createBody],
        ['/v1/create-token-account-transfer', { ...createBody, memo: '支付 \u0001 "7"', transaction_version: 1 }],
      ] as const) {
        const key = randomUUID();
        const first = await post(key, asked, where);
        assert.equal(first.status, 200, first.text);
        const unkeyed = await post(undefined, asked, where);
        assert.deepEqual(relevantHeaders(first), relevantHeaders(unkeyed), 'the first reply is like one without a key');
        const again = await post(key, asked, where);
        assert.deepEqual([again.status, again.text], [200, first.text]);
        assert.deepEqual(relevantHeaders(again), { ...relevantHeaders(first), 'idempotency-replayed': 'true' });
      }
    });

    it('gives it for the same body in another order and with other white space, and refuses another body', async (t) => {
      const { client } = await start(t);
      const { post } = await client();
      const splits = [{ to_address: bob, amount: '1' }];
      const first = await post('order-7', { ...body, splits });
      const rewritten = JSON.stringify(
        { splits: [{ amount: '1', to_address: bob }], ...Object.fromEntries(Object.entries(body).reverse()) },
        null,
        3,
      );
      const again = await post('"order-7"', rewritten);
      assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [first.text, 'true']);
      for (const other of [body, { ...body, splits, amount: '8' }, { ...body, splits: [...splits, ...splits] }]) {
        await assertRefused(post('order-7', other), 'idempotency_key_reused');
      }
      assert.equal((await post('order-8', body)).status, 200);
      assert.equal((await post('order-7', memoBody, memoPath)).headers.get('idempotency-replayed'), null);
    });

    it('refuses a retry once the payment landed, with what landed', async (t) => {
      const { client, sandbox } = await start(t);
      const { post } = await client();
      const first = await post('order-7', body);
      const { signature } = await land(sandbox, transactionOf(first));
      const refused = await untilChanged(post, 'order-7', body);
      assert.equal(refused.json.code, 'already_landed');
      const record = sandbox.ledger.transactionRecord(signature);
      assert.deepEqual(refused.json.landed, {
        signature,
        slot: String(record?.slot),
        block_time: Number(record?.blockTime),
      });
      sandbox.ledger.advanceSlots(slotsUntilDead);
      assert.equal((await post('order-7', body)).json.code, 'already_landed', 'for ever');
    });

    it('waits while the transaction may still land, and builds again once it never can', async (t) => {
      const { client, sandbox } = await start(t);
      const { post } = await client();
      const first = await post('order-7', body);
      const last = Number(first.headers.get('solana-last-valid-block-height'));
      sandbox.ledger.advanceSlots(151);
      const waiting = await untilChanged(post, 'order-7', body);
      assert.equal(waiting.json.code, 'previous_may_land');
      // Some 150 blocks, at the sandbox's pace of five a second.
      assert.match(waiting.headers.get('retry-after') ?? '', /^(?:29|3[0-2])$/);
      assert.ok(waiting.json.detail.includes(`until block height ${last + 151} is final`), waiting.text);
      sandbox.ledger.advanceSlots(slotsUntilDead - 151);
      const rebuilt = await untilRebuilt(post, 'order-7', body);
      assert.notEqual(transactionOf(rebuilt), transactionOf(first));
      assert.equal((await post('order-7', body)).text, rebuilt.text);
      // The dead one is refused by the chain, the new one is not.
      assert.equal((await land(sandbox, transactionOf(first))).landed, false);
      assert.equal((await land(sandbox, transactionOf(rebuilt))).error, null);
      assert.equal((await untilChanged(post, 'order-7', body)).json.code, 'already_landed');
    });

    it('gives the same reply as long as its durable nonce is not used, and refuses it afterwards', async (t) => {
      const { client, sandbox } = await start(t);
      const { post } = await client();
      const [nonceAccount] = sandbox.world.nonce_accounts;
      const asked = { ...body, nonce_account: nonceAccount?.address };
      const first = await post('order-7', asked);
      sandbox.ledger.advanceSlots(slotsUntilDead);
      assert.equal((await post('order-7', asked)).text, first.text);
      await land(sandbox, transactionOf(first));
      assert.equal((await untilChanged(post, 'order-7', asked)).json.code, 'already_landed');
    });

    it('tells equal payments under two keys apart by their transactions', async (t) => {
      const { client, sandbox } = await start(t);
      const { post } = await client();
      const first = await post('order-7', body);
      sandbox.ledger.advanceSlots(1);
      const second = await post('order-8', body);
      assert.notEqual(transactionOf(first), transactionOf(second));
      await land(sandbox, transactionOf(second));
      const landed = await untilChanged(post, 'order-8', body);
      assert.equal(landed.json.code, 'already_landed');
      assert.equal((await post('order-7', body)).text, first.text);
    });

    it('stores no refusal', async (t) => {
      const { client } = await start(t);
      const { post } = await client();
      const tooMuch = { ...body, amount: '18446744073709551615' };
      await assertRefused(post('order-7', tooMuch), 'insufficient_token_balance');
      await assertRefused(post('order-7', { ...body, extra: 1 }), 'invalid_request');
      assert.equal((await post('order-7', body)).status, 200);
    });

    it('is that of the same client after a rotation, and of no other client', async (t) => {
      const { client, store, sandbox, databaseUrl } = await start(t);
      const { id, post } = await client();
      const first = await post('order-7', body);
      const rotated = await store.rotate(id, 60_000);
      assert.ok(rotated);
      const { url } = await startTestService(t, {
        SOLANA_RPC_URLS: sandbox.rpcUrl,
        DATABASE_URL: databaseUrl,
        ...fresh,
      });
      assert.equal((await poster(url, rotated.key)('order-7', body)).text, first.text);
      const stranger = await client();
      sandbox.ledger.advanceSlots(1);
      const other = await stranger.post('order-7', body);
      assert.deepEqual([other.status, other.headers.get('idempotency-replayed')], [200, null]);
      assert.notEqual(other.text, first.text);
    });

    it('gives nothing to an API key that may not make the payment any more', async (t) => {
      const { client, store, sandbox, databaseUrl } = await start(t);
      const { id, key, post } = await client();
      const decimal = { ...body, memo: 'order 8', amount: undefined, amount_decimal: '0.000007' };
      assert.equal((await post('order-7', body)).status, 200);
      assert.equal((await post('order-8', decimal)).status, 200);
      for (const restrictions of [
        { toAddresses: new Set([alice]) },
        { amounts: new Map([[usdc, { perTransfer: 6n, perDay: null }]]) },
      ]) {
        await store.update(id, { restrictions: { ...unrestricted, ...restrictions } });
        // A service that has not seen the key yet knows its limits at once.
        const { url } = await startTestService(t, {
          SOLANA_RPC_URLS: sandbox.rpcUrl,
          DATABASE_URL: databaseUrl,
          ...fresh,
        });
        const limited = poster(url, key);
        await assertRefused(limited('order-7', body), 'key_not_allowed');
        await assertRefused(limited('order-8', decimal), 'key_not_allowed');
      }
    });

    it('counts a daily amount once for all retries, and once more for each transaction that is built again', async (t) => {
      const { client, store, sandbox } = await start(t);
      const { id, post } = await client({ amounts: new Map([[usdc, { perTransfer: null, perDay: 20n }]]) });
      const builtToday = async (): Promise<bigint> => {
        const day = new Date().toISOString().slice(0, 10);
        return (await store.findHighestDailyAmounts(id, day)).get(usdc) ?? 0n;
      };
      const first = await post('order-7', body);
      assert.equal((await post('order-7', body)).text, first.text);
      assert.equal(await builtToday(), 7n);
      sandbox.ledger.advanceSlots(slotsUntilDead);
      await untilRebuilt(post, 'order-7', body);
      assert.equal(await builtToday(), 14n);
      await assertRefused(post('order-8', body), 'daily_limit_reached');
    });

    it('refuses a header that is no key, whatever the body asks for, and logs no key', async (t) => {
      const { client, log } = await start(t);
      const { post } = await client();
      const secret = 'customer-4711@example.com';
      assert.equal((await post(secret, body)).status, 200);
      await assertRefused(post(secret, { ...body, amount: '8' }), 'idempotency_key_reused');
      for (const key of ['a b', 'x'.repeat(256), '', '""']) {
        for (const asked of [body, {}]) await assertRefused(post(key, asked), 'invalid_idempotency_key');
      }
      assert.ok(log.length > 0);
      for (const line of log) assert.ok(!line.includes(secret), line);
    });

    it('makes one transaction of 20 requests at the same time to two server processes', async (t) => {
      const { sandbox, store, databaseUrl } = await start(t);
      const { key: apiKey } = await store.create({ name: 'client', expiresAt: null });
      const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl, ...fresh };
      const servers = await Promise.all([startServer(t, environment), startServer(t, environment)]);
      for (let round = 0; round < 5; round++) {
        const posts = servers.map(({ url }) => poster(url, apiKey));
        const texts: string[] = [];
        while (texts.length < 20) {
          const asking = Array.from({ length: 20 - texts.length }, (_, index) =>
            posts[index % 2]?.(`round-${round}`, body),
          );
          for (const reply of await Promise.all(asking)) {
            if (reply?.status === 200) texts.push(reply.text);
            // Those that come too early are told to come again; on a slow machine the others too.
            else assert.ok(reply?.json.code === 'idempotency_in_progress' || (reply?.status ?? 0) > 500, reply?.text);
          }
        }
        assert.equal(new Set(texts).size, 1);
        sandbox.ledger.advanceSlots(1);
      }
    });
  });
}

describe('Without the database', () => {
  it('a request with an Idempotency-Key is refused and nothing is built, and one without is answered', async (t) => {
    const sandbox = await startTestSandbox(t, { slotMs: 0 });
    const postgres = await startPostgres(t);
    const databaseUrl = await postgres.createDatabase();
    const store = await openKeyStore(databaseUrl);
    const { key } = await store.create({ name: 'client', expiresAt: null });
    await store.close();
    const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl, ...fresh };
    const service = await startTestService(t, environment);
    const post = poster(service.url, key);
    const first = await post('order-7', body);
    assert.equal(first.status, 200);

    await postgres.kill();
    for (const idempotencyKey of ['order-7', 'order-8']) {
      const refused = await post(idempotencyKey, body);
      assert.deepEqual([refused.json.code, refused.headers.get('retry-after')], ['idempotency_unavailable', '1']);
      assert.equal(refused.status, 503);
    }
    assert.equal((await post(undefined, body)).status, 200);

    await postgres.start();
    let again = await post('order-7', body);
    while (again.status === 503) again = await post('order-7', body);
    assert.equal(again.text, first.text);
    assert.ok(service.log.some((line) => line.includes('"code":"idempotency_unavailable"')));
    for (const line of service.log) assert.ok(!line.includes('order-7'), line);
  });
});

function poster(url: string, apiKey: string): Post {
  return async (key, asked, where = path) => {
    const response = await fetch(url + where, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: typeof asked === 'string' ? asked : JSON.stringify(asked),
    });
    if (response.status !== 200) await readProblem(response.clone());
    const text = await response.text();
    return { status: response.status, text, json: JSON.parse(text), headers: response.headers };
  };
}

async function assertRefused(reply: Promise<Reply>, code: string): Promise<void> {
  const { json, text } = await reply;
  assert.equal(json.code, code, text);
}

/** Retries until the answer is not the stored reply: what nodes said is shared for a part of a second. */
function untilChanged(post: Post, key: string, asked: unknown): Promise<Reply> {
  return readUntil(
    () => post(key, asked),
    ({ headers }) => !headers.has('idempotency-replayed'),
  );
}

/** Retries until the answer is a new transaction. */
async function untilRebuilt(post: Post, key: string, asked: unknown): Promise<Reply> {
  for (;;) {
    const reply = await untilChanged(post, key, asked);
    if (reply.status === 200) return reply;
    assert.equal(reply.json.code, 'previous_may_land', reply.text);
  }
}

/** The headers of a reply that are not about the one request. */
function relevantHeaders({ headers }: Reply): Record<string, string> {
  const ofRequest = ['x-request-id', 'date', 'ratelimit'];
  return Object.fromEntries([...headers].filter(([name]) => !ofRequest.includes(name)));
}
