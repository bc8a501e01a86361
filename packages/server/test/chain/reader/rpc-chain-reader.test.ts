import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type RpcCall,
  resultOf,
  rpcError,
  silence,
  startFakeUpstream,
  text,
} from '../../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../../core/src/accounts/sysvars.ts';
import { type Address, toAddress } from '../../../../core/src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../../../core/src/addresses/programs.ts';
import { RpcChainReader } from '../../../src/chain/reader/rpc-chain-reader.ts';
import { isAppError } from '../../../src/errors.ts';
import { clockOf } from '../upstream-nodes.ts';

const system = toAddress('1'.repeat(32));
const accountsConfig = {
  commitment: 'confirmed',
  encoding: 'base64',
  dataSlice: { offset: 0, length: 32_768 },
};
const never = Number.POSITIVE_INFINITY;

const clockData = [clockOf(1_000).toString('base64'), 'base64'];
const clockAccount = { lamports: 1, owner: system, data: clockData, executable: false, space: 40 };
const accountAt = (address: unknown): object | null => (address === clockSysvar ? clockAccount : null);

/** A reader of a fake node, with a slot and a clock that the test moves. */
async function startReader(t: TestContext, slots: { slot: number } = { slot: 1000 }) {
  const clock = { ahead: 0 };
  let blockhashes = 0;
  const healthy = resultOf(({ method, params }) => {
    const context = { slot: slots.slot };
    if (method === 'getHealth') return 'ok';
    if (method === 'getMultipleAccounts') return { context, value: (params[0] as unknown[]).map(accountAt) };
    blockhashes += 1;
    return { context, value: { blockhash: '1'.repeat(31) + '123456789ABC'[blockhashes], lastValidBlockHeight: 1150 } };
  });
  const upstream = await startFakeUpstream(t, healthy);
  const reader = new RpcChainReader({
    urls: [upstream.url],
    timeoutMs: 5000,
    blockhashMaxAgeMs: 1000,
    maxSlotLag: 8,
    now: () => performance.now() + clock.ahead,
  });
  t.after(() => reader.close());
  return { upstream, reader, clock, healthy };
}

const configOf = (call: RpcCall | undefined): unknown => call?.params.at(-1);

test('Accounts are read at confirmed, in base64, all in one call and each once', async (t) => {
  const { upstream, reader } = await startReader(t);
  const read = await reader.readAccounts([system, tokenProgram, system], never);
  assert.deepEqual(read, { slot: 1000n, accounts: [null, null, null] });
  assert.deepEqual(
    upstream.calls.map(({ method, params }) => [method, params]),
    [['getMultipleAccounts', [[system, tokenProgram], accountsConfig]]],
  );
});

test('Lamports and slots past 2^53 stay exact on their way from the node', async (t) => {
  const { upstream, reader } = await startReader(t);
  const account = `{"data":["","base64"],"executable":false,"lamports":18446744073709551615,"owner":"${system}","rentEpoch":18446744073709551615,"space":0}`;
  upstream.behaviour = text(`{"id":$id,"result":{"context":{"slot":9007199254740993},"value":[${account}]}}`);
  const { slot, accounts } = await reader.readAccounts([system], never);
  assert.deepEqual([slot, accounts[0]?.lamports], [9007199254740993n, 18446744073709551615n]);
  upstream.behaviour = text(
    `{"id":$id,"result":{"context":{"slot":9007199254740993},"value":{"blockhash":"${system}","lastValidBlockHeight":9007199254741143}}}`,
  );
  assert.equal((await reader.readBlockhash(never)).lastValidBlockHeight, 9007199254741143n);
});

test('minContextSlot keeps a node from answering from the past', async (t) => {
  const slots = { slot: 1000 };
  const { upstream, reader, clock } = await startReader(t, slots);

  await t.test('within the few slots by which nodes differ, once a slot is known', async () => {
    await reader.readAccounts([system], never);
    assert.equal(JSON.stringify(configOf(upstream.calls[0])).includes('minContextSlot'), false);
    await reader.readBlockhash(never);
    assert.deepEqual(configOf(upstream.calls[1]), { commitment: 'confirmed', minContextSlot: 992 });
    await reader.readAccounts([system], never);
    assert.deepEqual(configOf(upstream.calls[2]), { ...accountsConfig, minContextSlot: 992 });
  });

  await t.test('and follows the newest slot seen, not an older one', async () => {
    for (const slot of [1010, 1003]) {
      slots.slot = slot;
      await reader.readAccounts([system], never);
    }
    await reader.readAccounts([system], never);
    assert.deepEqual(configOf(upstream.calls.at(-1)), { ...accountsConfig, minContextSlot: 1002 });
  });

  await t.test('until none was seen for so long that the ledger may have been restarted', async () => {
    clock.ahead += 10_000;
    slots.slot = 5;
    await reader.readAccounts([system], never);
    assert.deepEqual(configOf(upstream.calls.at(-1)), accountsConfig);
    slots.slot = 20;
    await reader.readAccounts([system], never);
    await reader.readAccounts([system], never);
    assert.deepEqual(configOf(upstream.calls.at(-1)), { ...accountsConfig, minContextSlot: 12 });
  });
});

test('A request whose time is over is refused, and the node is not asked for it', async (t) => {
  const { upstream, reader } = await startReader(t);
  const over = performance.now();
  for (const read of [
    async () => reader.readAccounts([system], over),
    async () => reader.readRecentPrices([system], over),
    async () => reader.simulate(new Uint8Array(), over),
  ]) {
    await assert.rejects(read, (error) => isAppError(error, 'upstream_timeout'));
  }
  assert.equal(upstream.calls.length, 0);
});

test('A long account of Token-2022 is read on to 512 KiB, and no further; of any other no more than 32 KiB is read', async (t) => {
  const { upstream, reader } = await startReader(t);
  const sizes = new Map<unknown, number>([
    [tokenProgram, 40_000],
    [token2022Program, 10_000_000],
    [system, 40_000],
  ]);
  upstream.behaviour = resultOf(({ params }) => {
    const [addresses, config] = params as [unknown[], { dataSlice: { length: number } }];
    const value = addresses.map((address) => {
      const space = sizes.get(address) ?? 0;
      const data = Buffer.alloc(Math.min(space, config.dataSlice.length));
      data[165] = 1;
      const owner = address === system ? system : token2022Program;
      return { lamports: 5, owner, data: [data.toString('base64'), 'base64'], executable: false, space };
    });
    return { context: { slot: 1000 }, value };
  });
  const lengthsOf = async (address: Address): Promise<unknown> => {
    const account = (await reader.readAccounts([address], never)).accounts[0];
    return [account?.data.length, account?.space];
  };
  assert.deepEqual(await lengthsOf(tokenProgram), [40_000, undefined]);
  assert.equal(upstream.calls.length, 2);
  assert.deepEqual(await lengthsOf(token2022Program), [524_288, 10_000_000]);
  assert.equal(upstream.calls.length, 4);
  assert.deepEqual(await lengthsOf(system), [32_768, 40_000]);
  assert.equal(upstream.calls.length, 5);
});

test('A node is healthy only when it says so, and can serve', async (t) => {
  const { upstream, reader, clock, healthy } = await startReader(t);
  const reasonNow = async (patienceMs = 10_000): Promise<string | undefined> => {
    clock.ahead += 250;
    const [health] = await reader.checkHealth(performance.now() + clock.ahead + patienceMs);
    assert.equal(health?.name, 'upstream_1');
    return health?.reason;
  };
  assert.equal(await reasonNow(), undefined);
  for (const result of ['behind', null, {}, true]) {
    upstream.behaviour = resultOf((call) =>
      call.method === 'getHealth' ? result : { context: { slot: 1 }, value: [] },
    );
    assert.match((await reasonNow()) ?? '', /does not call itself healthy|asked for 1 accounts/);
  }
  upstream.behaviour = (call, response) => (call.method === 'getHealth' ? healthy : text('', 429))(call, response);
  assert.equal(await reasonNow(), 'it answered HTTP 429');
  upstream.behaviour = (call, response) => (call.method === 'getHealth' ? rpcError(-32601) : healthy)(call, response);
  assert.equal(await reasonNow(), undefined, 'who does not take the question may serve');
  upstream.behaviour = silence;
  assert.equal(await reasonNow(200), 'it did not answer in time');
  upstream.behaviour = healthy;
  assert.equal(await reasonNow(), undefined);
});
