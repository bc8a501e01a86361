import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoProgram, systemProgram } from 'splwright-core';
import { receivedAmounts } from '../../src/outcomes/combine-answers.ts';

// Any two addresses.
const [source, destination] = [systemProgram, memoProgram];

/** What each payment received, of these amounts to one account that has so much more afterwards. */
function receivedOf(amounts: readonly bigint[], change: bigint): readonly bigint[] | undefined {
  const before = 2n ** 70n;
  const balance = { mint: source, before, after: before + change, owner: undefined };
  const transfers = amounts.map((amount) => ({ source, destination, amount }));
  return receivedAmounts(transfers, new Map([[destination, balance]]));
}

describe('several payments to one account', () => {
  it('received together just what arrived there, whatever rounding makes of their shares', () => {
    assert.deepEqual(receivedOf([1n, 1n, 1n], 2n), [0n, 1n, 1n]);
    assert.deepEqual(receivedOf([439_126n, 439_126n], 878_249n), [439_124n, 439_125n]);
    assert.deepEqual(receivedOf([10n, 30n], 36n), [9n, 27n]);
  });

  it('received all of their amounts where no fee was taken, and no more where others paid as well', () => {
    for (const change of [12n, 13n]) assert.deepEqual(receivedOf([3n, 4n, 5n], change), [3n, 4n, 5n]);
  });

  it('received nothing where more was taken back', () => {
    assert.deepEqual(receivedOf([3n, 4n], -1n), [0n, 0n]);
  });
});

it('what a payment received is not known where the node kept no balances', () => {
  assert.equal(receivedAmounts([{ source, destination, amount: 1n }], undefined), undefined);
});
