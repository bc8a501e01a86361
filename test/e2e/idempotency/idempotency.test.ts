import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import {
  alice,
  bob,
  createBody,
  memoBody,
  memoPath,
  usdc,
  yidBody,
} from '../../../packages/server/test/app/sample-bodies.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import type { Json } from '../../setup/json.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { land, slotsUntilDead } from './keyed-client.ts';

const path = '/v1/transfers';
const body = { from_address: alice, to_address: bob, token_mint_address: usdc, amount: '7', memo: 'order 7' };

interface Reply {
  status: number;
  text: string;
  json: Json;
  headers: Headers;
}

type Post = (key: string | undefined, body: unknown, where?: string) => Promise<Reply>;

const transactionOf = ({ json }: Reply): string => json.data.transaction;

for (const database of keyDatabases) {
  /** A service on a sandbox whose slots pass only when the test says so. */
  async function start(t: TestContext) {
    const sandbox = await startTestSandbox(t, { slotMs: 0 });
    const { databaseUrl, store } = await newKeyStore(t, database);
    const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl };
    const service = await startTestService(t, environment);
    const { url, log } = service;
    /** Makes an API key, and a function that posts with it. */
    const client = async () => {
      const { record, key } = await store.create({ name: 'client', expiresAt: null });
      return { id: record.id, key, post: poster(url, key) };
    };
    return { sandbox, store, databaseUrl, url, log, client };
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

    it('waits while the transaction may still land, builds again once it never can, and refuses what landed', async (t) => {
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
      const { signature, error } = await land(sandbox, transactionOf(rebuilt));
      assert.equal(error, null);
      const refused = await untilChanged(post, 'order-7', body);
      const record = sandbox.ledger.transactionRecord(signature);
      const landed = { signature, slot: String(record?.slot), block_time: Number(record?.blockTime) };
      assert.deepEqual([refused.json.code, refused.json.landed], ['already_landed', landed]);
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

    it('is that of the same client after a rotation, and of no other client', async (t) => {
      const { client, store, sandbox, url } = await start(t);
      const { id, post } = await client();
      const first = await post('order-7', body);
      const rotated = await store.rotate(id, 60_000);
      assert.equal((await poster(url, rotated?.key ?? '')('order-7', body)).text, first.text);
      sandbox.ledger.advanceSlots(1);
      const other = await (await client()).post('order-7', body);
      assert.deepEqual([other.status, other.headers.get('idempotency-replayed')], [200, null]);
      assert.notEqual(other.text, first.text);
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
  });
}

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

/** The headers of a reply that are not about the one request: an encrypted memo differs each time, and with it the digits of its hash. */
function relevantHeaders({ headers }: Reply): Record<string, string> {
  const ofRequest = ['x-request-id', 'date', 'ratelimit', 'content-length'];
  return Object.fromEntries([...headers].filter(([name]) => !ofRequest.includes(name)));
}
