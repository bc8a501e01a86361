import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../packages/core/src/addresses/associated-token-address.ts';
import { tokenProgram } from '../../packages/core/src/addresses/programs.ts';
import { freshWallet } from '../../packages/core/test/chain-accounts.ts';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { unrestricted } from '../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../packages/server/src/keys/store/open-key-store.ts';
import { alice, bob, usdc } from '../../packages/server/test/http/sample-bodies.ts';
import { temporaryFolder } from '../../packages/server/test/keys/temporary-folder.ts';
import { startTestService } from '../setup/service.ts';
import { land, slotsUntilDead, tokensOf } from './keyed-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: a reply is checked member by member
type Json = any;

const path = '/v1/transfers/batch';

interface Answer {
  status: number;
  json: Json;
  isReplay: boolean;
}

/** A service on a ledger whose time passes only by hand. */
async function start(t: TestContext) {
  const sandbox = await startSandbox({ rpcPort: 0, slotMs: 0 });
  t.after(() => sandbox.close());
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl, BLOCKHASH_MAX_AGE_MS: '0' };
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const { key, record } = await store.create({ name: 'payroll', expiresAt: null });
  const service = await startTestService(t, environment);
  const post = async (where: string, body: object, idempotencyKey?: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    const response = await service.post(where, body, headers);
    const isReplay = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, json: await response.json(), isReplay };
  };
  const limitTo = (recipient: string) =>
    store.update(record.id, { restrictions: { ...unrestricted, toAddresses: new Set([toAddress(recipient)]) } });
  return { sandbox, post, limitTo };
}

const batchOf = (transfers: readonly object[]): object => ({
  from_address: alice,
  token_mint_address: usdc,
  transfers,
});
const freshTransfers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ to_address: freshWallet(), amount: String(index + 1) }));
const transactionsOf = ({ json }: Answer): string[] =>
  json.data.transactions.map(({ transaction }: Json) => transaction);

function balanceOf(sandbox: Sandbox, owner: string): bigint {
  const wallet = { owner: toAddress(owner), mint: toAddress(usdc), tokenProgram };
  return tokensOf(sandbox, findAssociatedTokenAddress(wallet).address);
}

/** Asks again until the answer is of this status: what the service knows of the newest slots is a moment old. */
async function untilStatus(status: number, ask: () => Promise<Answer>): Promise<Answer> {
  const givesUpAt = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer.status === status && !answer.isReplay) return answer;
    assert.ok(performance.now() < givesUpAt, JSON.stringify(answer.json));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('a batch', () => {
  it('of 200 pays each recipient when its transactions land in random order, and each has an outcome of its own', async (t) => {
    const { sandbox, post } = await start(t);
    const others = freshTransfers(190).map((transfer, index) =>
      index % 3 === 0 ? { ...transfer, memo: `pay ${index}` } : transfer,
    );
    const toBob = Array.from({ length: 10 }, () => ({ to_address: bob, amount: '5' }));
    const before = balanceOf(sandbox, bob);
    const built = await post(path, batchOf([...others, ...toBob]));
    assert.equal(built.status, 200, JSON.stringify(built.json));
    const { transactions, lifetime, summary } = built.json.data;
    const indices = transactions.flatMap(({ transfers }: Json) => transfers).sort((a: number, b: number) => a - b);
    assert.deepEqual(
      indices,
      Array.from({ length: 200 }, (_, index) => index),
    );
    assert.ok(summary.transaction_count <= summary.fewest_transactions + 1);

    const [left, ...sent] = shuffled(transactionsOf(built));
    for (const transaction of sent) await land(sandbox, transaction);
    sandbox.ledger.advanceSlots(33);
    const questions = [left, ...sent].map((transaction) => ({
      transaction,
      last_valid_block_height: lifetime.last_valid_block_height,
    }));
    const { json } = await post('/v1/transfers/outcome', { transactions: questions });
    const outcomes = json.data.map(({ outcome }: Json) => outcome);
    assert.deepEqual(outcomes, ['pending', ...sent.map(() => 'landed')]);
    await land(sandbox, left ?? '');
    for (const { to_address, amount } of others) assert.equal(balanceOf(sandbox, to_address), BigInt(amount));
    assert.equal(balanceOf(sandbox, bob) - before, 50n);
  });

  it('is the same to a retry while any of its transactions can land, and names what landed afterwards', async (t) => {
    const { sandbox, post } = await start(t);
    const body = batchOf(freshTransfers(40));
    const built = await post(path, body, 'payroll');
    const [first = '', ...others] = transactionsOf(built);
    assert.ok(others.length > 1);
    assert.equal((await post(path, batchOf(freshTransfers(2)), 'payroll')).json.code, 'idempotency_key_reused');
    const replayed = await post(path, body, 'payroll');
    assert.deepEqual([replayed.isReplay, replayed.json], [true, built.json]);
    await land(sandbox, first);
    sandbox.ledger.advanceSlots(33);
    const again = await post(path, body, 'payroll');
    assert.deepEqual([again.isReplay, again.json], [true, built.json], 'the others can still land');
    for (const transaction of others) await land(sandbox, transaction);
    sandbox.ledger.advanceSlots(2);
    const landed = await untilStatus(409, () => post(path, body, 'payroll'));
    assert.deepEqual([landed.status, landed.json.code], [409, 'already_landed']);
    assert.equal(landed.json.unpaid_transfers, undefined);
    assert.ok(landed.json.landed.signature);
  });

  it('is built again when none of it has landed and none can', async (t) => {
    const { sandbox, post } = await start(t);
    const body = batchOf(freshTransfers(20));
    const built = await post(path, body, 'payroll');
    sandbox.ledger.advanceSlots(200);
    assert.equal(
      (await post(path, body, 'payroll')).json.code,
      'previous_may_land',
      'a wallet may have replaced its blockhash',
    );
    sandbox.ledger.advanceSlots(slotsUntilDead);
    const rebuilt = await untilStatus(200, () => post(path, body, 'payroll'));
    assert.notDeepEqual(rebuilt.json, built.json);
    for (const transaction of transactionsOf(rebuilt)) await land(sandbox, transaction);
  });

  it('is given to no API key that may not make all of its payments any more', async (t) => {
    const { post, limitTo } = await start(t);
    const body = batchOf([{ to_address: bob, amount: '1' }, ...freshTransfers(1)]);
    assert.equal((await post(path, body, 'payroll')).status, 200);
    await limitTo(bob);
    const refused = await untilStatus(403, () => post(path, body, 'payroll'));
    assert.deepEqual(
      refused.json.errors.map(({ pointer }: Json) => pointer),
      ['/transfers/1/to_address'],
    );
  });

  it('that landed in part and is dead otherwise names the transfers that were not made, which then can be', async (t) => {
    const { sandbox, post } = await start(t);
    const transfers = freshTransfers(40);
    const built = await post(path, batchOf(transfers), 'payroll');
    const [first, second, ...lost] = built.json.data.transactions;
    for (const { transaction } of [second, first]) await land(sandbox, transaction);
    sandbox.ledger.advanceSlots(slotsUntilDead);
    const refused = await untilStatus(409, async () => {
      const answer = await post(path, batchOf(transfers), 'payroll');
      return answer.json.code === 'previous_may_land' ? { ...answer, status: 0 } : answer;
    });
    const unpaid: number[] = lost.flatMap((each: Json) => each.transfers);
    assert.ok(unpaid.length > 0);
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.unpaid_transfers],
      [409, 'already_landed', unpaid],
    );
    const rest = await post(path, batchOf(unpaid.flatMap((index) => transfers[index] ?? [])), 'payroll+');
    for (const transaction of transactionsOf(rest)) await land(sandbox, transaction);
    for (const { to_address, amount } of transfers) assert.equal(balanceOf(sandbox, to_address), BigInt(amount));
  });
});
