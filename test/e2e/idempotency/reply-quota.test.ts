import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { alice, bob, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { readByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService, type TestService } from '../../setup/service.ts';
import { batchOf, path } from '../batches/batch-service.ts';

const mib = 1_048_576;
const transferCount = 50;
const longMemo = (): string => randomBytes(1_650).toString('hex');
/** Fifty transfers in transactions of nearly 4,096 bytes each, which are as many random digits. */
const longBatch = (): object => ({
  ...batchOf(Array.from({ length: transferCount }, () => ({ to_address: bob, amount: '1', memo: longMemo() }))),
  transaction_version: 1,
});

/** Two services on one database, and a function that posts under an `Idempotency-Key` to one of them. */
async function start(t: TestContext, maxStoredReplyBytes: number) {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const { databaseUrl: url, store } = await newKeyStore(t);
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: url,
  };
  const first = await startTestService(t, environment, { maxStoredReplyBytes });
  const second = await startTestService(t, environment, { maxStoredReplyBytes });
  const poster = async (name: string) => {
    const { key } = await store.create({ name, expiresAt: null });
    return async (to: TestService, where: string, body: object, idempotencyKey: string) => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey };
      const response = await to.post(where, body, headers);
      const text = await response.text();
      return { status: response.status, text, isReplay: response.headers.has('idempotency-replayed') };
    };
  };
  const storedBytes = async (): Promise<number> => {
    const [row] = await readByHand(url, 'select sum(length(reply)) as bytes from idempotent_requests');
    return Number(row?.bytes);
  };
  return { first, second, poster, storedBytes };
}

describe(`stored replies`, () => {
  it('are bounded for each key, at two services: more is refused before it is built, retries and other keys go on', async (t) => {
    const { first, second, poster, storedBytes } = await start(t, mib);
    const post = await poster('attacker');
    const stored: { name: string; body: object; text: string }[] = [];
    let refused: string | undefined;
    for (let index = 0; index < 30 && refused === undefined; index += 1) {
      const body = longBatch();
      const name = `order-${index}`;
      const reply = await post(index % 2 === 0 ? first : second, path, body, name);
      if (reply.status === 507) refused = reply.text;
      else stored.push({ name, body, text: reply.text });
    }
    assert.ok(refused !== undefined && stored.length > 3, `${stored.length} were stored`);
    const problem = JSON.parse(refused);
    assert.equal(problem.code, 'reply_quota_reached');
    assert.match(problem.detail, /of 1048576 bytes.*24 hours after/);
    assert.ok((await storedBytes()) < 1.25 * mib, String(await storedBytes()));
    const [known] = stored;
    assert.ok(known);
    for (const service of [first, second]) {
      const again = await post(service, path, known.body, known.name);
      assert.deepEqual([again.status, again.isReplay, again.text], [200, true, known.text]);
    }
    const single = {
      from_address: alice,
      to_address: bob,
      token_mint_address: usdc,
      amount: '7',
      memo: 'another key',
    };
    const other = await poster('shop');
    assert.equal((await other(first, '/v1/transfers', single, 'order-0')).status, 200);
  });
});
