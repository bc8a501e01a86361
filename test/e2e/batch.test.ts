import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { address } from '@solana/kit';
import { Check } from 'typebox/schema';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../packages/core/src/addresses/associated-token-address.ts';
import { tokenProgram } from '../../packages/core/src/addresses/programs.ts';
import { freshWallet } from '../../packages/core/test/chain-accounts.ts';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { unrestricted } from '../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../packages/server/src/keys/store/open-key-store.ts';
import { openApiDocument } from '../../packages/server/src/wire/openapi/document.ts';
import { schemaAt } from '../../packages/server/test/http/openapi-document.ts';
import { alice, bob, usdc } from '../../packages/server/test/http/sample-bodies.ts';
import { keyDatabases } from '../../packages/server/test/keys/databases.ts';
import { startTestService } from '../setup/service.ts';
import { land, slotsUntilDead, tokensOf } from './keyed-client.ts';

const document: unknown = JSON.parse(JSON.stringify(openApiDocument('0.0.0', true)));

// biome-ignore lint/suspicious/noExplicitAny: a reply is checked member by member
type Json = any;

const path = '/v1/transfers/batch';

interface Answer {
  status: number;
  json: Json;
  isReplay: boolean;
}

/** A service on a ledger whose time passes only by hand. */
async function start(t: TestContext, newUrl = keyDatabases[0]?.newUrl) {
  assert.ok(newUrl);
  const sandbox = await startSandbox({ rpcPort: 0, slotMs: 0 });
  t.after(() => sandbox.close());
  const databaseUrl = await newUrl(t);
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
  const limitPerDay = (perDay: bigint) => {
    const amounts = new Map([[toAddress(usdc), { perTransfer: null, perDay }]]);
    return store.update(record.id, { restrictions: { ...unrestricted, amounts } });
  };
  const builtToday = async (): Promise<bigint | undefined> =>
    (await store.findDailyAmounts(record.id, new Date().toISOString().slice(0, 10))).get(toAddress(usdc));
  return { sandbox, post, limitTo, limitPerDay, builtToday };
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
});

for (const { name, newUrl } of keyDatabases) {
  describe(`a batch under an Idempotency-Key in ${name}`, () => {
    it('is the same to a retry while any of its transactions can land, and names what landed afterwards', async (t) => {
      const { sandbox, post } = await start(t, newUrl);
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
      const named = landed.json.landed_transactions;
      assert.deepEqual(
        named.map(({ transfers }: Json) => transfers),
        built.json.data.transactions.map(({ transfers }: Json) => transfers),
      );
      assert.equal(landed.json.landed.signature, named[0].signature);
      assert.equal(new Set(named.map(({ signature }: Json) => signature)).size, named.length);
    });

    it('is built again when none of it has landed and none can', async (t) => {
      const { sandbox, post } = await start(t, newUrl);
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
      const { post, limitTo } = await start(t, newUrl);
      const body = batchOf([{ to_address: bob, amount: '1' }, ...freshTransfers(1)]);
      assert.equal((await post(path, body, 'payroll')).status, 200);
      await limitTo(bob);
      const refused = await untilStatus(403, () => post(path, body, 'payroll'));
      assert.deepEqual(
        refused.json.errors.map(({ pointer }: Json) => pointer),
        ['/transfers/1/to_address'],
      );
    });

    it('that landed in part and is dead otherwise is built for the rest, again and again, until all have landed', async (t) => {
      const { sandbox, post } = await start(t, newUrl);
      const transfers = freshTransfers(60);
      const retry = () => untilDecided(() => post(path, batchOf(transfers), 'payroll'));
      const landed: Json[] = [];
      let built = await post(path, batchOf(transfers), 'payroll');
      assert.equal(built.json.data.landed, undefined);
      for (let round = 0; built.status === 200; round++) {
        assert.ok(round < 10);
        const { transactions, summary, landed: named = [] } = built.json.data;
        assert.deepEqual(named, landed);
        assertContract(built, 'application/json');
        const all = [...named, ...transactions].flatMap((each: Json) => each.transfers).sort((a, b) => a - b);
        assert.deepEqual(all, [...transfers.keys()], 'each transfer is paid, or has a transaction');
        assert.equal(summary.transfer_count, transactions.flatMap((each: Json) => each.transfers).length);
        assert.deepEqual((await post(path, batchOf(transfers), 'payroll')).json, built.json, 'a retry gets it again');
        // One more of them each time, the last ones first.
        const sent = transactions.slice(-1 - round);
        for (const { transaction, transfers } of sent) {
          const { signature } = await land(sandbox, transaction);
          landed.push({ transfers, signature });
        }
        sandbox.ledger.advanceSlots(slotsUntilDead);
        built = await retry();
      }
      assert.deepEqual([built.status, built.json.code], [409, 'already_landed']);
      assert.deepEqual(built.json.landed_transactions, landed);
      assertContract(built, 'application/problem+json');
      for (const { to_address, amount } of transfers) assert.equal(balanceOf(sandbox, to_address), BigInt(amount));
    });

    it('names transfers by their indices in the request when the rest is refused, and is built once it can be', async (t) => {
      const { sandbox, post } = await start(t, newUrl);
      const body = batchOf([
        ...freshTransfers(30),
        ...Array.from({ length: 2 }, () => ({ to_address: bob, amount: '1' })),
      ]);
      const built = await post(path, body, 'payroll');
      const [first] = built.json.data.transactions;
      await land(sandbox, first.transaction);
      sandbox.ledger.advanceSlots(slotsUntilDead);
      const bobs = findAssociatedTokenAddress({ owner: toAddress(bob), mint: toAddress(usdc), tokenProgram }).address;
      const account = sandbox.ledger.getAccount(address(bobs));
      assert.ok(account);
      const frozen = Uint8Array.from(account.data);
      frozen[108] = 2;
      sandbox.ledger.setAccount({ ...account, data: frozen });
      const refused = await untilStatus(422, () => post(path, body, 'payroll'));
      assert.deepEqual(
        refused.json.errors.map(({ pointer }: Json) => pointer),
        ['/transfers/30/to_address', '/transfers/31/to_address'],
      );
      const other = await post(path, batchOf(freshTransfers(1)), 'payroll');
      assert.equal(other.json.code, 'idempotency_key_reused', 'something of the first body was paid');
      sandbox.ledger.setAccount(account);
      const rest = await untilStatus(200, () => post(path, body, 'payroll'));
      assert.deepEqual(rest.json.data.landed[0].transfers, first.transfers);
      const warned = rest.json.data.summary.warnings.find(({ code }: Json) => code === 'repeated_recipient');
      assert.match(warned.detail, /30.*31/);
    });

    it('counts towards a daily limit when it is built, and its rest when that is built again', async (t) => {
      const { sandbox, post, limitPerDay, builtToday } = await start(t, newUrl);
      const transfers = freshTransfers(30);
      await limitPerDay(465n + 100n);
      const built = await post(path, batchOf(transfers), 'payroll');
      assert.equal((await post(path, batchOf(transfers), 'payroll')).isReplay, true);
      assert.equal(await builtToday(), 465n);
      const sum = (indices: readonly number[]): bigint => indices.reduce((all, index) => all + BigInt(index + 1), 0n);
      const { transactions } = built.json.data;
      const rest = transactions.at(0).transfers;
      for (const { transaction } of transactions.slice(1)) await land(sandbox, transaction);
      sandbox.ledger.advanceSlots(slotsUntilDead);
      const rebuilt = await untilDecided(() => post(path, batchOf(transfers), 'payroll'));
      assert.deepEqual(
        rebuilt.json.data.transactions.flatMap((each: Json) => each.transfers),
        rest,
      );
      assert.equal(await builtToday(), 465n + sum(rest));
      const refused = await post(path, batchOf(transfers), 'payroll-2');
      assert.equal(refused.json.code, 'daily_limit_reached');
    });
  });
}

function assertContract({ status, json }: Answer, mediaType: string): void {
  const schema = schemaAt(document, 'paths', path, 'post', 'responses', String(status), 'content', mediaType, 'schema');
  assert.ok(Check(schema, json), JSON.stringify(json));
}

/** Asks until the answer is neither the first one again nor that it may still land. */
async function untilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  const givesUpAt = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (!answer.isReplay && answer.json.code !== 'previous_may_land') return answer;
    assert.ok(performance.now() < givesUpAt, JSON.stringify(answer.json));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
