import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoProgram, systemProgram, type TransferIntent } from 'splwright-core';
import { landedVerdict } from '../../../src/service/outcome/describe-sighting.ts';

// Any two addresses.
const [source, destination] = [systemProgram, memoProgram];

/** What each payment received, of these amounts to one account that has so much more afterwards. */
function receivedOf(amounts: readonly bigint[], change: bigint): readonly bigint[] {
  const intent: TransferIntent = {
    signature: undefined,
    isSigned: false,
    message: new Uint8Array(),
    lifetime: { blockhash: '' },
    source,
    mint: source,
    tokenProgram: source,
    authority: source,
    decimals: 6,
    payments: amounts.map((amount) => ({ destination, amount, references: [] })),
    memos: [],
  };
  const landed = {
    slot: 7n,
    blockTime: null,
    bytes: new Uint8Array(),
    loadedAddresses: { writable: [], readonly: [] },
    error: null,
    fee: 5_000n,
    tokenChanges: new Map([[destination, change]]),
    owners: new Map(),
  };
  const sighting = { signature: 's', by: 'message', commitment: 'finalized', landed } as const;
  return landedVerdict({ intent, lastValidBlockHeight: 1n }, sighting, undefined).payments.map((each) => each.received);
}

describe('several payments to one account', () => {
  it('received together just what arrived there, whatever rounding makes of their shares', () => {
    assert.deepEqual(receivedOf([1n, 1n, 1n], 2n), [0n, 1n, 1n]);
    assert.deepEqual(receivedOf([439_126n, 439_126n], 878_249n), [439_124n, 439_125n]);
    assert.deepEqual(receivedOf([10n, 30n], 36n), [9n, 27n]);
  });

  it('received all of their amounts where no fee was taken', () => {
    assert.deepEqual(receivedOf([3n, 4n, 5n], 12n), [3n, 4n, 5n]);
  });
});
