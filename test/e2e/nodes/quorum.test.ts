import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { startSandbox } from '../../../packages/sandbox/src/index.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { type Fault, isJsonObject, startFaultProxy } from '../../setup/fault-proxy.ts';
import { dropConnection, editedResult, editedValue, lag, onlyFor } from '../../setup/faults.ts';
import { rememberLedger } from '../../setup/ledger-memory.ts';
import { lieAbout } from '../../setup/lies.ts';
import { named } from '../../setup/wallets.ts';
import { startServiceOn } from './upstream-service.ts';

/** A service on so many nodes of one ledger, of which so many must agree; the first is the liar. */
async function startNodes(t: TestContext, count: number, quorum: number, slotMs = 0) {
  const sandbox = await startSandbox({ rpcPort: 0, slotMs });
  t.after(() => sandbox.close());
  const { ledger, world } = sandbox;
  const names = ['first', 'second', 'third'].slice(0, count);
  const nodes = await Promise.all(names.map((name) => startFaultProxy(t, { ledger, name })));
  const service = await startServiceOn(t, nodes.map(({ url }) => url).join(), {
    UPSTREAM_QUORUM: String(quorum),
    // The machine may be busy.
    BLOCKHASH_MAX_AGE_MS: '5000',
    RPC_TIMEOUT_MS: '20000',
    REQUEST_DEADLINE_MS: '60000',
  });
  const alice = named(world.wallets, 'alice').address;
  const mint = named(world.mints, 'USDC').address;
  const body = {
    from_address: alice,
    to_address: named(world.wallets, 'bob').address,
    token_mint_address: mint,
    amount: '1',
    simulate: true,
    priority_fee: 'high',
  };
  const owner = toAddress(alice);
  const { address: tokens } = findAssociatedTokenAddress({ owner, tokenProgram, mint: toAddress(mint) });
  const [liar] = nodes;
  assert.ok(liar);
  const lies: readonly [name: string, fault: Fault][] = [
    ['the sender has no tokens', lieAbout(tokens, (data) => ({ data: Buffer.from(data).fill(0, 64, 72) }))],
    ['the sender has no token account', lieAbout(tokens, () => null)],
    ['the sender has no SOL', lieAbout(alice, (data) => ({ data, lamports: 5 }))],
    ['there is no such mint', lieAbout(mint, () => null)],
    ['the mint is a wallet', lieAbout(mint, () => ({ data: Buffer.alloc(0), owner: '1'.repeat(32) }))],
    ['the simulation fails', onlyFor('simulateTransaction', change({ err: 'AccountNotFound' }))],
    ['the simulation takes nothing', onlyFor('simulateTransaction', change({ unitsConsumed: 1 }))],
    ['the blockhash is another', onlyFor('getLatestBlockhash', change({ blockhash: `${'1'.repeat(31)}2` }))],
    ['the last valid block height is high', onlyFor('getLatestBlockhash', change({ lastValidBlockHeight: 200 }))],
    [
      'prices are too high',
      onlyFor(
        'getRecentPrioritizationFees',
        editedResult(() => [{ prioritizationFee: 2 ** 50 }]),
      ),
    ],
  ];
  return { sandbox, nodes, liar, service, body, lies, post: () => service.post(createPath, body) };
}

function change(part: object): Fault {
  return editedValue((value) => (isJsonObject(value) ? { ...value, ...part } : value));
}

test('Without a quorum, one lying node decides', async (t) => {
  const { liar, lies, post } = await startNodes(t, 2, 1);
  liar.fault = lies[0]?.[1] ?? liar.fault;
  assert.equal((await readProblem(await post())).code, 'insufficient_token_balance');
});

test('Of two nodes that must agree, one that lies makes no fact', async (t) => {
  const { liar, lies, post } = await startNodes(t, 2, 2);
  assert.equal((await post()).status, 200);
  for (const [name, fault] of lies.slice(0, 7)) {
    await t.test(name, async () => {
      liar.fault = fault;
      const replies = await Promise.all(Array.from({ length: 3 }, post));
      for (const reply of replies) {
        assert.equal(reply.headers.get('retry-after'), '1');
        const { code, detail } = await readProblem(reply);
        assert.equal(code, 'upstream_disagreement', detail);
      }
    });
  }
});

test('Of three nodes of which two must agree, one that lies fails no request', async (t) => {
  const { liar, lies, post, sandbox } = await startNodes(t, 3, 2);
  for (const [name, fault] of lies) {
    await t.test(name, async (t2) => {
      liar.fault = fault;
      // Each lie meets a service that has no blockhash yet.
      const fresh = name.includes('block') ? await startNodes(t2, 3, 2) : undefined;
      if (fresh) fresh.liar.fault = fault;
      const replies = await Promise.all(Array.from({ length: 4 }, fresh?.post ?? post));
      for (const reply of replies) {
        assert.equal(reply.status, 200, await reply.text());
        const { ledger } = fresh?.sandbox ?? sandbox;
        const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash();
        assert.equal(reply.headers.get('solana-blockhash'), blockhash);
        assert.equal(reply.headers.get('solana-last-valid-block-height'), String(lastValidBlockHeight));
      }
    });
  }
});

test('Nodes that are a slot or two apart agree', async (t) => {
  const { sandbox, liar, post, service } = await startNodes(t, 2, 2, 100);
  const memory = rememberLedger(sandbox.ledger);
  liar.fault = lag({ memory, slot: () => sandbox.ledger.slot() - 2n, isHonest: false });
  for (let count = 0; count < 10; count++) {
    const reply = await post();
    assert.equal(reply.status, 200, await reply.text());
  }
  const ready = await fetch(`${service.url}/readyz`);
  assert.equal(ready.status, 200);
});

test('Too few nodes to agree are no facts either, and the service is not ready', async (t) => {
  const { nodes, post, service } = await startNodes(t, 2, 2);
  const [, second] = nodes;
  assert.ok(second);
  second.fault = dropConnection;
  assert.equal((await readProblem(await post())).code, 'upstream_unavailable');
  assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
});
