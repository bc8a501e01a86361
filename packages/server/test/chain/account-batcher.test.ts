import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { Account } from '../../../core/src/accounts/account.ts';
import { type Address, addressFromBytes } from '../../../core/src/addresses/address.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { AccountBatcher, type SlicedAccounts } from '../../src/chain/account-batcher.ts';
import { type ChainObserver, silentObserver } from '../../src/chain/upstream-faults.ts';
import { AppError, isAppError } from '../../src/problems.ts';

const never = Number.POSITIVE_INFINITY;

/** A call under way, which the test ends. */
interface Call {
  addresses: readonly Address[];
  deadline: number;
  /** Answers it with the account of each address. */
  answer(cut?: readonly Address[]): void;
  fail(error: Error): void;
}

function startBatcher(t: TestContext) {
  const clock = { now: 1_000 };
  const calls: Call[] = [];
  const now = (): number => clock.now;
  const wholeReads: (readonly Address[])[] = [];
  const batches: number[][] = [];
  const observer: ChainObserver = { ...silentObserver, batchSent: (...sizes) => batches.push(sizes) };
  const batcher = new AccountBatcher({
    call: (addresses, deadline) =>
      new Promise<SlicedAccounts>((resolve, reject) => {
        const answer = (cut: readonly Address[] = []): void =>
          resolve({
            slot: BigInt(calls.length),
            accounts: addresses.map(accountOf),
            cut: new Set(cut.map((address) => addresses.indexOf(address))),
          });
        calls.push({ addresses, deadline, answer, fail: reject });
      }),
    callWhole: async (addresses) => {
      wholeReads.push(addresses);
      return { slot: 99n, accounts: addresses.map(accountOf) };
    },
    observer,
    now,
  });
  t.after(() => {
    for (const call of calls) call.answer();
  });
  return { batcher, calls, clock, wholeReads, batches };
}

/** The address of a number. */
function addressOf(number: number): Address {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  return addressFromBytes(bytes);
}

const accounts = new Map<Address, Account>();

/** The account of an address, always the same. */
function accountOf(address: Address): Account {
  const account = accounts.get(address) ?? {
    owner: systemProgram,
    lamports: BigInt(accounts.size),
    data: new Uint8Array(),
    executable: false,
  };
  accounts.set(address, account);
  return account;
}

const addressesOf = (first: number, count: number): readonly Address[] =>
  Array.from({ length: count }, (_, index) => addressOf(first + index));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for a number of calls to be under way, whatever the batcher waits for. */
async function untilCalls(calls: readonly Call[], count: number): Promise<void> {
  while (calls.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('A request that comes alone is sent at the end of the turn', async (t) => {
  const { batcher, calls } = startBatcher(t);
  const read = batcher.read(addressesOf(0, 7), 5_000);
  assert.equal(calls.length, 0);
  await turn();
  assert.deepEqual(
    calls.map(({ addresses, deadline }) => [addresses, deadline]),
    [[addressesOf(0, 7), 5_000]],
  );
  calls[0]?.answer();
  assert.deepEqual(await read, { slot: 1n, accounts: addressesOf(0, 7).map(accountOf) });
});

test('Requests of one turn share a call, each address in it once, and each gets its own accounts in its own order', async (t2) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(60), { maxLength: 13 }), { minLength: 1, maxLength: 20 }),
      async (wanted) => {
        const { batcher, calls } = startBatcher(t2);
        const reads = wanted.map((numbers) => batcher.read(numbers.map(addressOf), never));
        await turn();
        assert.deepEqual(
          calls.map(({ addresses }) => addresses),
          [[...new Set(wanted.flat().map(addressOf))]],
        );
        calls[0]?.answer();
        const got = await Promise.all(reads);
        for (const [index, numbers] of wanted.entries()) {
          assert.ok(
            numbers.every(
              (number, accountIndex) => got[index]?.accounts[accountIndex] === accountOf(addressOf(number)),
            ),
          );
          assert.equal(got[index]?.accounts.length, numbers.length);
        }
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

test('More than a call takes is shared out over several, and no request over two', async (t2) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(500), { maxLength: 40 }), { minLength: 10, maxLength: 60 }),
      async (wanted) => {
        const { batcher, calls } = startBatcher(t2);
        const requests = wanted.map((numbers) => numbers.map(addressOf));
        const reads = requests.map((addresses) => batcher.read(addresses, never));
        for (let sent = 0; sent < calls.length || sent === 0; sent++) {
          await untilCalls(calls, sent + 1);
          calls[sent]?.answer();
          // What gathered is sent at the end of the turn in which the call returns.
          await turn();
          await turn();
        }
        await Promise.all(reads);
        for (const { addresses } of calls) {
          assert.ok(addresses.length <= 100);
          assert.equal(new Set(addresses).size, addresses.length);
        }
        for (const request of requests) {
          assert.ok(calls.some(({ addresses }) => request.every((address) => addresses.includes(address))));
        }
        const distinct = new Set(requests.flat()).size;
        assert.ok(calls.length <= Math.ceil(distinct / 60) + Math.ceil(requests.flat().length / 60));
      },
    ),
    { numRuns: 30 },
  );
});

test('While a call is under way', async (t) => {
  await t.test(
    'requests gather until the end of the turn in which it returns, and are then sent together',
    async (t2) => {
      const { batcher, calls, clock } = startBatcher(t2);
      const first = batcher.read(addressesOf(0, 7), never);
      await turn();
      clock.now += 1_000_000;
      calls[0]?.answer();
      await first;
      // From here on a twentieth of a round trip is longer than this test.
      const second = batcher.read(addressesOf(10, 7), never);
      await turn();
      const gathered = [batcher.read(addressesOf(20, 7), never)];
      await turn();
      gathered.push(batcher.read(addressesOf(30, 7), never));
      await turn();
      assert.equal(calls.length, 2);
      calls[1]?.answer();
      await second;
      // In the turn in which it returns, one more joins them.
      gathered.push(batcher.read(addressesOf(40, 7), never));
      assert.equal(calls.length, 2);
      await turn();
      assert.deepEqual(calls[2]?.addresses, [...addressesOf(20, 7), ...addressesOf(30, 7), ...addressesOf(40, 7)]);
      calls[2]?.answer();
      await Promise.all(gathered);
    },
  );

  await t.test('a full call goes at once', async (t2) => {
    const { batcher, calls, batches } = startBatcher(t2);
    const reads = [batcher.read(addressesOf(0, 7), never)];
    await turn();
    reads.push(batcher.read(addressesOf(100, 60), never), batcher.read(addressesOf(160, 40), never));
    assert.deepEqual(
      calls.map(({ addresses }) => addresses.length),
      [7, 100],
    );
    assert.deepEqual(batches, [
      [1, 7],
      [2, 100],
    ]);
    for (const call of calls) call.answer();
    await Promise.all(reads);
  });

  await t.test('no request waits for it much longer than a part of its round trip', async (t2) => {
    const { batcher, calls } = startBatcher(t2);
    const reads = [batcher.read(addressesOf(0, 7), never)];
    await turn();
    reads.push(batcher.read(addressesOf(10, 7), never));
    await untilCalls(calls, 2);
    for (const call of calls) call.answer();
    await Promise.all(reads);
  });
});

test('A request whose time is over is refused without harm to the others in its call', async (t) => {
  const { batcher, calls, clock } = startBatcher(t);
  const hasty = batcher.read(addressesOf(0, 7), clock.now + 10);
  const patient = batcher.read(addressesOf(3, 7), clock.now + 60_000);
  await turn();
  assert.equal(calls[0]?.deadline, clock.now + 60_000);
  await assert.rejects(hasty, (error) => isAppError(error, 'upstream_timeout'));
  calls[0]?.answer();
  assert.deepEqual((await patient).accounts, addressesOf(3, 7).map(accountOf));
});

test('The failure of a call fails all requests in it, and no other', async (t) => {
  const { batcher, calls } = startBatcher(t);
  const failing = [batcher.read(addressesOf(0, 7), never), batcher.read(addressesOf(5, 7), never)];
  await turn();
  calls[0]?.fail(new AppError('upstream_unavailable', 'no'));
  for (const read of failing) await assert.rejects(read, (error) => isAppError(error, 'upstream_unavailable'));
  const next = batcher.read(addressesOf(0, 7), never);
  await turn();
  calls[1]?.answer();
  assert.equal((await next).accounts.length, 7);
});

test('A request for an account of which a part is missing reads its own accounts whole, and the others do not wait', async (t) => {
  const { batcher, calls, wholeReads } = startBatcher(t);
  const large = batcher.read(addressesOf(0, 7), never);
  const small = batcher.read(addressesOf(5, 7), never);
  await turn();
  calls[0]?.answer([addressOf(3)]);
  assert.deepEqual(await small, { slot: 1n, accounts: addressesOf(5, 7).map(accountOf) });
  assert.deepEqual(await large, { slot: 99n, accounts: addressesOf(0, 7).map(accountOf) });
  assert.deepEqual(wholeReads, [addressesOf(0, 7)]);
});
