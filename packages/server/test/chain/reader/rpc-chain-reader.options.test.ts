import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Behaviour,
  resultOf,
  rpcError,
  startFakeUpstream,
  text,
} from '../../../../../test/setup/fake-upstream.ts';
import { toAddress } from '../../../../core/src/addresses/address.ts';
import { RpcChainReader } from '../../../src/chain/reader/rpc-chain-reader.ts';
import { isAppError } from '../../../src/errors.ts';
import { alice, bob, usdc } from '../../http/sample-bodies.ts';

const never = Number.POSITIVE_INFINITY;
const accounts = [alice, bob, usdc].map(toAddress);
const fees = (...prices: readonly number[]): Behaviour =>
  resultOf(() => prices.map((prioritizationFee, index) => ({ slot: 900 + index, prioritizationFee })));

/** A reader of a fake node. */
async function startReader(t: TestContext, behaviour: Behaviour) {
  const upstream = await startFakeUpstream(t, behaviour);
  const reader = new RpcChainReader({
    urls: [upstream.url],
    timeoutMs: 5000,
    blockhashMaxAgeMs: 1000,
    maxSlotLag: 8,
    now: () => performance.now(),
  });
  t.after(() => reader.close());
  return { upstream, reader };
}

test('Recent prices', async (t) => {
  await t.test('are asked for exactly the accounts given', async (t2) => {
    const { upstream, reader } = await startReader(t2, fees(0, 25, 0, 7));
    assert.deepEqual(await reader.readRecentPrices(accounts, never), [0n, 25n, 0n, 7n]);
    assert.deepEqual(
      upstream.calls.map(({ method, params }) => [method, params]),
      [['getRecentPrioritizationFees', [accounts]]],
    );
  });

  await t.test('past 2^53 stay exact', async (t2) => {
    const entry = '{"slot":1,"prioritizationFee":18446744073709551615}';
    const { reader } = await startReader(t2, text(`{"jsonrpc":"2.0","id":$id,"result":[${entry}]}`));
    assert.deepEqual(await reader.readRecentPrices(accounts, never), [2n ** 64n - 1n]);
  });
});

test('A simulation', async (t) => {
  const value = { err: null, logs: ['Program log: hello'], unitsConsumed: 4321, returnData: null };

  await t.test('is asked for without signatures, with a blockhash of the node, at confirmed', async (t2) => {
    const { upstream, reader } = await startReader(
      t2,
      resultOf(() => ({ context: { slot: 1000 }, value })),
    );
    const simulation = await reader.simulate(Uint8Array.of(1, 2, 255), never);
    assert.deepEqual(simulation, { error: null, logs: ['Program log: hello'], unitsConsumed: 4321 });
    const config = { commitment: 'confirmed', encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
    assert.deepEqual(
      upstream.calls.map(({ method, params }) => [method, params]),
      [['simulateTransaction', ['AQL/', config]]],
    );
  });

  await t.test('that the node cannot run is a fault of the node, not of the transfer', async (t2) => {
    const { upstream, reader } = await startReader(t2, rpcError(-32602, 'invalid transaction'));
    const simulate = (): Promise<unknown> => reader.simulate(Uint8Array.of(1), never);
    await assert.rejects(simulate(), (error) => isAppError(error, 'upstream_error'));
    upstream.behaviour = rpcError(-32005);
    await assert.rejects(simulate(), (error) => isAppError(error, 'upstream_unavailable'));
  });
});
