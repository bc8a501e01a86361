import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../../../core/src/accounts/account.ts';
import { clockSysvar } from '../../../../core/src/accounts/sysvars.ts';
import { addressFromBytes } from '../../../../core/src/addresses/address.ts';
import { systemProgram, tokenProgram } from '../../../../core/src/addresses/programs.ts';
import type { SlicedAccounts } from '../../../src/chain/reads/account-batcher.ts';
import {
  type Answer,
  agreementOnAccounts,
  agreementOnHeights,
  agreementOnKnown,
  agreementOnPrices,
  agreementOnSimulations,
  agreementOnTokenAccounts,
} from '../../../src/chain/reads/agreement.ts';

/** Answers of the upstreams a, b and c, in the order given: `['a', value]`. */
function answersOf<T>(...answers: readonly (readonly [upstream: string, value: T])[]): Answer<T>[] {
  return answers.map(([upstream, value]) => ({ upstream, value }));
}

describe('the agreement on accounts', () => {
  const wallet = addressFromBytes(new Uint8Array(32).fill(7));
  const addresses = [wallet, clockSysvar];
  const plain: Account = { owner: systemProgram, lamports: 5n, data: Uint8Array.of(1, 2), executable: false };
  const clock = (slot: number, epoch: number): Account => {
    const data = new Uint8Array(40);
    data.set([slot], 0);
    data.set([epoch], 16);
    return { owner: systemProgram, lamports: 1n, data, executable: false };
  };
  let slot = 0n;
  const read = (account: Account | null, clockAccount: Account | null = clock(1, 9)): SlicedAccounts => {
    slot += 1n;
    return { slot, accounts: [account, clockAccount], cut: new Set() };
  };
  const { agree, mark } = agreementOnAccounts(addresses, false);

  test('takes the newest answer whose every account another upstream gave too', () => {
    const [first, second, third] = [read(plain), read({ ...plain }), read({ ...plain, lamports: 6n })];
    assert.equal(agree(answersOf(['a', first]), 1), first);
    assert.equal(agree(answersOf(['a', first]), 2), undefined);
    assert.equal(agree(answersOf(['a', first], ['b', second]), 2), second);
    assert.equal(agree(answersOf(['a', first], ['b', second], ['c', third]), 2), second);
    assert.equal(agree(answersOf(['a', first], ['b', second], ['c', third]), 3), undefined);
    assert.equal(mark, undefined);
  });

  test('counts an upstream once, however often it says the same', () => {
    assert.equal(agree(answersOf(['a', read(plain)], ['a', read(plain)]), 2), undefined);
  });

  test('does not take another owner, balance, data, length or program for the same', () => {
    for (const other of [
      null,
      { ...plain, owner: tokenProgram },
      { ...plain, lamports: 6n },
      { ...plain, executable: true },
      { ...plain, space: 3 },
      { ...plain, data: Uint8Array.of(1, 3) },
      { ...plain, data: Uint8Array.of(1) },
    ]) {
      assert.equal(agree(answersOf(['a', read(plain)], ['b', read(other)]), 2), undefined);
      assert.equal(agree(answersOf(['a', read(other)], ['b', read(plain)]), 2), undefined);
    }
    const absent = read(null);
    assert.equal(agree(answersOf(['a', read(null)], ['b', absent]), 2), absent);
  });

  test('asks of the clock for the same epoch alone', () => {
    const later = read(plain, clock(2, 9));
    assert.equal(agree(answersOf(['a', read(plain, clock(1, 9))], ['b', later]), 2), later);
    assert.equal(agree(answersOf(['a', read(plain, clock(1, 9))], ['b', read(plain, clock(1, 10))]), 2), undefined);
  });

  test('marks what is disputed in the answer with the least of it, the newest of those', () => {
    const marking = agreementOnAccounts(addresses, true);
    const markIn = (...answers: (readonly [string, SlicedAccounts])[]) => {
      assert.ok(marking.mark);
      const { slot: of, cut } = marking.mark(answersOf(...answers), 2);
      return [of, [...cut]];
    };
    const [one, other] = [read(plain), read({ ...plain, lamports: 6n })];
    assert.deepEqual(markIn(['a', one], ['b', other]), [other.slot, [0]]);
    const strange = read({ ...plain, lamports: 7n }, clock(1, 10));
    assert.deepEqual(markIn(['a', one], ['b', other], ['c', strange]), [other.slot, [0]]);
    const cut = { ...read({ ...plain, lamports: 8n }), cut: new Set([1]) };
    assert.deepEqual(markIn(['a', one], ['b', cut]), [cut.slot, [1, 0]]);
  });
});

describe('the agreement on heights', () => {
  const at = (slot: bigint, lastValidBlockHeight: bigint) => ({ blockhash: `${slot}`, slot, lastValidBlockHeight });
  const pick = (answers: Parameters<ReturnType<typeof agreementOnHeights>['agree']>[0], distrusted: string[] = []) => {
    const picked: string[] = [];
    const value = agreementOnHeights(new Set(distrusted), (upstream) => picked.push(upstream)).agree(answers, 2);
    return [value?.slot, ...picked];
  };

  test('picks the oldest that fits a later one, and says whose it is', () => {
    assert.deepEqual(pick(answersOf(['a', at(12n, 102n)], ['b', at(10n, 100n)])), [10n, 'b']);
    assert.deepEqual(pick(answersOf(['a', at(10n, 100n)], ['b', at(10n, 100n)])), [10n, 'a']);
    assert.deepEqual(pick(answersOf(['a', at(11n, 101n)], ['b', at(12n, 102n)], ['c', at(10n, 100n)])), [10n, 'c']);
    // A slot may have no block.
    assert.deepEqual(pick(answersOf(['a', at(12n, 100n)], ['b', at(10n, 100n)])), [10n, 'b']);
  });

  test('picks none that grew by more blocks than slots, or shrank', () => {
    assert.deepEqual(pick(answersOf(['a', at(10n, 100n)], ['b', at(12n, 103n)])), [undefined]);
    assert.deepEqual(pick(answersOf(['a', at(10n, 100n)], ['b', at(12n, 99n)])), [undefined]);
    // The oldest is alone with its height; the other two agree.
    const three = answersOf(['a', at(9n, 500n)], ['b', at(12n, 102n)], ['c', at(10n, 100n)]);
    assert.deepEqual(pick(three), [10n, 'c']);
  });

  test('needs several upstreams, and none that is distrusted', () => {
    assert.deepEqual(pick(answersOf(['a', at(10n, 100n)], ['a', at(11n, 101n)])), [undefined]);
    const both = answersOf(['a', at(10n, 100n)], ['b', at(11n, 101n)]);
    assert.deepEqual(pick(both, ['b']), [undefined]);
    assert.deepEqual(pick([...both, ...answersOf(['c', at(12n, 102n)])], ['a']), [11n, 'b']);
  });
});

describe('the agreement on prices', () => {
  test('takes the list with the lowest middle price, once enough upstreams gave one', () => {
    const [low, high] = [
      [9n, 1n, 5n],
      [1n, 8n, 7n, 0n, 8n],
    ];
    assert.equal(agreementOnPrices.agree(answersOf(['a', low]), 2), undefined);
    assert.equal(agreementOnPrices.agree(answersOf(['a', low], ['a', high]), 2), undefined);
    assert.equal(agreementOnPrices.agree(answersOf(['a', high], ['b', low]), 2), low);
    assert.equal(agreementOnPrices.agree(answersOf(['a', low], ['b', high]), 2), low);
    assert.deepEqual(agreementOnPrices.agree(answersOf(['a', [8n, 1n, 9n]], ['b', [5n]]), 2), [5n]);
    // The middle of an even number is the higher one; of none it is 0.
    assert.deepEqual(agreementOnPrices.agree(answersOf(['a', [1n, 6n]], ['b', [5n]]), 2), [5n]);
    assert.deepEqual(agreementOnPrices.agree(answersOf(['a', [1n]], ['b', []]), 2), []);
  });
});

test('a blockhash is known once enough upstreams know it, and unknown once too few are left that may', () => {
  const { agree } = agreementOnKnown(3);
  const agreed = (...answers: (readonly [upstream: string, isValid: boolean, slot?: bigint])[]) =>
    agree(
      answers.map(([upstream, isValid, slot = 7n]) => ({ upstream, value: { isValid, slot } })),
      2,
    );
  assert.equal(agreed(['a', true]), undefined);
  assert.deepEqual(agreed(['a', true, 9n], ['b', true, 8n]), { isValid: true, slot: 8n });
  assert.equal(agreed(['a', true], ['a', true]), undefined);
  assert.equal(agreed(['a', false], ['b', true]), undefined);
  assert.deepEqual(agreed(['a', false], ['b', false]), { isValid: false, slot: 7n });
  assert.equal(agreed(['a', false], ['a', false]), undefined);
  assert.deepEqual(agreed(['a', false, 5n], ['b', true, 8n], ['c', true, 9n]), { isValid: true, slot: 8n });
});

test('simulations agree by what came of them and what they took, whatever their slots and logs', () => {
  const simulated = (slot: bigint, error: unknown, unitsConsumed: number, logs: string[] = []) => ({
    slot,
    simulation: { error, unitsConsumed, logs },
  });
  const agree = (...values: ReturnType<typeof simulated>[]) =>
    agreementOnSimulations.agree(
      values.map((value, index) => ({ upstream: `upstream ${index}`, value })),
      2,
    );
  const first = simulated(1n, null, 10, ['one']);
  assert.equal(agree(first, simulated(2n, null, 10, ['other'])), first);
  assert.equal(agree(first, simulated(1n, null, 11)), undefined);
  assert.equal(agree(first, simulated(1n, 'AccountNotFound', 10)), undefined);
  // Integers past 2^53 are bigints.
  const large = simulated(1n, { InstructionError: [0, { Custom: 2n ** 60n }] }, 10);
  assert.equal(agree(first, large, { ...large, slot: 2n }), large);
  assert.equal(agree(large, simulated(1n, { InstructionError: [0, { Custom: 2n ** 60n + 1n }] }, 10)), undefined);
});

test('the agreement on token accounts is on their data, in whatever order they come', () => {
  const [one, other] = [3, 4].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte)));
  assert.ok(one && other);
  const account = (byte: number): Account => ({
    owner: tokenProgram,
    lamports: 1n,
    data: Uint8Array.of(byte),
    executable: false,
  });
  const both = new Map([
    [one, account(1)],
    [other, account(2)],
  ]);
  const turned = new Map([...both].reverse());
  const { agree } = agreementOnTokenAccounts;
  assert.equal(agree(answersOf(['a', both], ['b', turned]), 2), both);
  for (const different of [new Map(), new Map([[one, account(1)]]), new Map([...both, [other, account(3)]])]) {
    assert.equal(agree(answersOf(['a', both], ['b', different]), 2), undefined);
  }
});
