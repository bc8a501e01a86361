import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { resultOf, startFakeUpstream, text } from '../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { RpcChainReader } from '../../src/chain/rpc-chain-reader.ts';
import { isAppError } from '../../src/problems.ts';
import { clockOf } from './upstream-nodes.ts';

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

/** A reader of a fake node. */
async function startReader(t: TestContext) {
  const healthy = resultOf(({ params }) => {
    return { context: { slot: 1000 }, value: (params[0] as unknown[]).map(accountAt) };
  });
  const upstream = await startFakeUpstream(t, healthy);
  const reader = new RpcChainReader({
    urls: [upstream.url],
    timeoutMs: 5000,
    now: () => performance.now(),
  });
  // Closed by one test itself.
  t.after(() => reader.close().catch(() => undefined));
  return { upstream, reader };
}

test('Accounts are read at confirmed, in base64, all in one call and each once', async (t) => {
  const { upstream, reader } = await startReader(t);
  const read = await reader.readAccounts([system, tokenProgram, system], never);
  assert.deepEqual(read, { slot: 1000n, accounts: [null, null, null] });
  assert.deepEqual(
    upstream.calls.map(({ method, params }) => [method, params]),
    [['getMultipleAccounts', [[system, tokenProgram], accountsConfig]]],
  );
});

test('How wallets name the cluster is known without a call once a node has said it, or from the start', async (t) => {
  const { upstream, reader } = await startReader(t);
  const genesisHash = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
  upstream.behaviour = resultOf(() => genesisHash);
  assert.equal(await reader.readGenesisHash(never), genesisHash);
  const knowing = new RpcChainReader({
    urls: [upstream.url],
    genesisHash,
    timeoutMs: 5000,
    now: () => performance.now(),
  });
  t.after(() => knowing.close());
  upstream.behaviour = () => assert.fail('asked again');
  for (const each of [reader, knowing]) assert.equal((await each.readClusterNames())?.chain, 'solana:testnet');
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

test('A simulation is asked for without signatures, with a blockhash of the node, and of a closed reader nothing is', async (t) => {
  const { upstream, reader } = await startReader(t);
  upstream.behaviour = resultOf(() => ({
    context: { slot: 1000 },
    value: { err: null, logs: ['a'], unitsConsumed: 4 },
  }));
  assert.deepEqual(await reader.simulate(Uint8Array.of(1, 2, 255), never), {
    error: null,
    logs: ['a'],
    unitsConsumed: 4,
  });
  const config = { commitment: 'confirmed', encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
  assert.deepEqual(
    upstream.calls.map(({ method, params }) => [method, params]),
    [['simulateTransaction', ['AQL/', config]]],
  );
  await reader.close();
  await assert.rejects(reader.simulate(Uint8Array.of(1), performance.now() + 100));
  assert.equal(upstream.calls.length, 1);
});
