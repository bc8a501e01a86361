import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, addressFromBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { RecentPrices } from '../../src/chain/recent-prices.ts';
import { DeadlineWatch } from '../../src/chain/shared-answer.ts';
import { AppError, isAppError } from '../../src/problems.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

const never = Number.POSITIVE_INFINITY;
const accounts = [alice, bob, usdc].map(toAddress);

/** The address of a number. */
function addressOf(number: number): Address {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  return addressFromBytes(bytes);
}

function startPrices() {
  const clock = { now: 50_000 };
  const calls: { addresses: readonly string[]; answer: (prices: readonly bigint[]) => void; fail: () => void }[] = [];
  const now = (): number => clock.now;
  const prices = new RecentPrices({
    call: (addresses) =>
      new Promise((resolve, reject) => {
        calls.push({ addresses, answer: resolve, fail: () => reject(new AppError('upstream_unavailable', 'no')) });
      }),
    watch: new DeadlineWatch(now),
    now,
  });
  return { prices, clock, calls };
}

test('Requests for the prices of the same accounts share one call', async () => {
  const { prices, calls } = startPrices();
  const reads = [1, 2, 3].map(() => prices.read([...accounts], never));
  const other = prices.read(accounts.slice(1), never);
  assert.deepEqual(
    calls.map(({ addresses }) => addresses),
    [accounts, accounts.slice(1)],
  );
  calls[0]?.answer([1n]);
  calls[1]?.answer([2n]);
  assert.deepEqual(await Promise.all([...reads, other]), [[1n], [1n], [1n], [2n]]);
});

test('Prices are remembered for five seconds, and no longer', async () => {
  const { prices, clock, calls } = startPrices();
  for (const [wait, count] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
    [4_999, 2],
  ] as const) {
    clock.now += wait;
    const read = prices.read(accounts, never);
    calls.at(-1)?.answer([BigInt(calls.length)]);
    assert.deepEqual(await read, [BigInt(count)]);
    assert.equal(calls.length, count);
  }
});

test('A failure is that of all who wait for the call, and is not remembered', async () => {
  const { prices, calls } = startPrices();
  const reads = [1, 2].map(() => prices.read(accounts, never));
  calls[0]?.fail();
  for (const read of reads) await assert.rejects(read, (error) => isAppError(error, 'upstream_unavailable'));
  const next = prices.read(accounts, never);
  calls[1]?.answer([9n]);
  assert.deepEqual(await next, [9n]);
});

test('Prices of a thousand sets of accounts are remembered, those that were received last', async () => {
  const { prices, clock, calls } = startPrices();
  const read = async (index: number): Promise<boolean> => {
    const asked = calls.length;
    const reading = prices.read([addressOf(index)], never);
    calls.at(-1)?.answer([BigInt(index)]);
    assert.deepEqual(await reading, [BigInt(index)]);
    return calls.length > asked;
  };
  for (let index = 0; index < 999; index++) assert.equal(await read(index), true);
  clock.now += 5_000;
  assert.equal(await read(0), true, 'it is the newest now');
  assert.equal(await read(999), true);
  clock.now += 4_999;
  assert.deepEqual([await read(0), await read(999)], [false, false]);
  for (let index = 1_000; index < 1_999; index++) assert.equal(await read(index), true);
  assert.equal(await read(999), false, 'of a thousand it is the oldest');
  assert.equal(await read(0), true, 'and this one was forgotten');
});
