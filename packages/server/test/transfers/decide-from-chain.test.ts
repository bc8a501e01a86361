import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../../core/src/accounts/sysvars.ts';
import { type Address, addressFromBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { isAppError } from '../../src/problems.ts';
import { type ChainDecision, decideFromChain, type FactsFromChain } from '../../src/transfers/decide-from-chain.ts';
import { isTransferRefused } from '../../src/transfers/transfer-refused.ts';
import { usdc } from '../app/sample-bodies.ts';

const mint = toAddress(usdc);
const sysvars = [rentSysvar, clockSysvar];
const deadline = 5_000;

type Needs = Awaited<ReturnType<ChainDecision<object>['decide']>>;

/** Address number `count`. */
function numbered(count: number): Address {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, count);
  return addressFromBytes(bytes);
}

/** The account at an address: its lamports are the number of the address. */
function accountAt(address: Address): Account {
  const number = Array.from({ length: 400 }, (_, index) => numbered(index)).indexOf(address);
  return { owner: mint, lamports: BigInt(number), data: new Uint8Array(64), executable: false };
}

/** A chain that notes what it is asked, and has accounts everywhere but at `missing`. */
function chainWithout(...missing: readonly Address[]) {
  const reads: (readonly Address[])[] = [];
  const prices: (readonly Address[])[] = [];
  const reader = {
    readAccounts: async (addresses: readonly Address[], until: number) => {
      assert.equal(until, deadline);
      reads.push(addresses);
      return { slot: 1n, accounts: addresses.map((each) => (missing.includes(each) ? null : accountAt(each))) };
    },
    readRecentPrices: async (addresses: readonly Address[], until: number) => {
      assert.equal(until, deadline);
      prices.push(addresses);
      return [7n, 8n];
    },
  };
  return { reads, prices, reader };
}

/** A decision that asks these questions, one after another, and is `done` then. */
function deciding(questions: readonly Needs[], firstAddresses: readonly Address[] = sysvars) {
  const facts: FactsFromChain = { read: new Map(), recentPrices: undefined };
  const left = [...questions];
  return { mint, facts, firstAddresses, decide: () => left.shift() ?? { done: true } };
}

describe('a decision from the chain', () => {
  test('is made from the first read where that is enough', async () => {
    const { reader, reads, prices } = chainWithout(numbered(1));
    const decision = deciding([], [...sysvars, numbered(1), numbered(2)]);
    assert.deepEqual(await decideFromChain(reader, deadline, decision), { done: true });
    assert.deepEqual([reads, prices], [[[...sysvars, numbered(1), numbered(2)]], []]);
    const { read } = decision.facts;
    assert.deepEqual([read.get(numbered(1)), read.get(numbered(2))?.lamports, read.size], [null, 2n, 4]);
  });

  test('gets the accounts and the prices that it asks for, in its order', async () => {
    const { reader, reads, prices } = chainWithout();
    const decision = deciding([{ needs: [numbered(3)] }, { needsPricesFor: [numbered(4)] }, { needs: [numbered(5)] }]);
    assert.deepEqual(await decideFromChain(reader, deadline, decision), { done: true });
    assert.deepEqual([reads.slice(1), prices], [[[numbered(3)], [numbered(5)]], [[numbered(4)]]]);
    assert.deepEqual(decision.facts.recentPrices, [7n, 8n]);
    assert.deepEqual(
      [3, 4, 5].map((count) => decision.facts.read.get(numbered(count))?.lamports),
      [3n, undefined, 5n],
    );
  });

  test('is refused for a transfer hook of too many steps at the fifth question, and made after four', async () => {
    const question = { needs: [numbered(3)] };
    const { reader, reads } = chainWithout();
    const four = deciding([question, question, question, question]);
    assert.deepEqual(await decideFromChain(reader, deadline, four), { done: true });
    assert.equal(reads.length, 5);
    const five = deciding([question, question, question, question, question]);
    await assert.rejects(decideFromChain(reader, deadline, five), (error) => {
      assert.ok(isTransferRefused(error, 'transfer_hook_unresolvable'));
      const [{ field, context }] = error.findings;
      assert.deepEqual([field, context], ['mint', { mint, fault: { kind: 'too_many_steps' } }]);
      return true;
    });
  });

  test('reads up to 100 accounts in one call, and more in as few calls as possible, each account as itself', async () => {
    for (const [count, lengths] of [
      [100, [100]],
      [101, [100, 1]],
      [200, [100, 100]],
      [300, [100, 100, 100]],
    ] as const) {
      const { reader, reads } = chainWithout(numbered(150));
      const others = Array.from({ length: count - 2 }, (_, index) => numbered(index));
      const decision = deciding([], [...sysvars, ...others]);
      await decideFromChain(reader, deadline, decision);
      assert.deepEqual(
        reads.map((addresses) => addresses.length),
        lengths,
      );
      assert.deepEqual(reads.flat(), [...sysvars, ...others]);
      for (const [index, address] of others.entries()) {
        assert.equal(decision.facts.read.get(address)?.lamports, index === 150 ? undefined : BigInt(index));
      }
    }
  });

  test('makes each of several reads once it is allowed, and one alone at once', async () => {
    for (const [count, expected] of [
      [100, 0],
      [101, 2],
      [300, 3],
    ] as const) {
      const { reader, reads } = chainWithout();
      const others = Array.from({ length: count - 2 }, (_, index) => numbered(index));
      const held: (() => Promise<void>)[] = [];
      const { promise: allHeld, resolve } = Promise.withResolvers<void>();
      const decided = decideFromChain(reader, deadline, {
        ...deciding([], [...sysvars, ...others]),
        whenAllowed: async (read) => {
          held.push(read);
          await allHeld;
          await read();
        },
      });
      assert.equal(held.length, expected);
      assert.equal(reads.length, expected === 0 ? 1 : 0);
      resolve();
      assert.deepEqual(await decided, { done: true });
      assert.equal(reads.length, Math.max(1, expected));
    }
  });

  test('is never made where a sysvar is missing, also when it was not asked for', async () => {
    for (const sysvar of sysvars) {
      const { reader } = chainWithout(sysvar);
      for (const addresses of [sysvars, sysvars.filter((each) => each !== sysvar)]) {
        const decided = decideFromChain(reader, deadline, deciding([], addresses));
        await assert.rejects(decided, (error) => isAppError(error, 'upstream_error'));
      }
    }
  });

  test('waits for one that takes turns', async () => {
    const { reader } = chainWithout();
    const decision = { ...deciding([]), decide: async () => ({ done: 'later' }) };
    assert.deepEqual(await decideFromChain(reader, deadline, decision), { done: 'later' });
  });
});
