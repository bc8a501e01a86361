import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { addressFromBytes } from '../../../core/src/addresses/address.ts';
import { systemProgram, tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { SlicedAccounts } from '../../src/chain/account-batcher.ts';
import { type Answer, agreementOnAccounts, agreementOnHeights, agreementOnKnown } from '../../src/chain/agreement.ts';

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
