import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LandedTransaction } from '../../../src/chain/chain-history.ts';
import { FinalizedTransactions } from '../../../src/chain/history/finalized-transactions.ts';

function transactionWith(parts: Partial<LandedTransaction>): LandedTransaction {
  return {
    slot: 1n,
    blockTime: null,
    bytes: new Uint8Array(),
    loadedAddresses: { writable: [], readonly: [] },
    error: null,
    fee: 5_000n,
    tokenChanges: new Map(),
    owners: new Map(),
    ...parts,
  };
}

/** Which of four equal transactions are still kept after the last one. */
function keptOf(parts: Partial<LandedTransaction>): string {
  const finalized = new FinalizedTransactions();
  for (const signature of 'abcd') finalized.keep(signature, transactionWith(parts));
  return [...'abcd'].filter((signature) => finalized.get(signature)).join('');
}

// A fourth of 4 MiB without the 500 bytes of an entry.
const share = 1024 * 1024 - 500;

test('a finalized transaction is given as it was kept, and an unknown one is not', () => {
  const finalized = new FinalizedTransactions();
  const transaction = transactionWith({ fee: 7n });
  finalized.keep('one', transaction);
  assert.equal(finalized.get('one'), transaction);
  assert.equal(finalized.get('another'), undefined);
});

test('4 MiB of them are kept: the bytes of each, its error in UTF-16, its token accounts and what an entry takes', () => {
  const error = { InstructionError: [0, { Custom: 2n ** 60n }] };
  const errorBytes = 2 * JSON.stringify({ InstructionError: [0, { Custom: String(2n ** 60n) }] }).length;
  const tokenChanges = new Map([
    ['one', 1n],
    ['other', -1n],
  ]);
  for (const [parts, taken] of [
    [{}, 8],
    [{ error }, errorBytes],
    [{ tokenChanges }, 8 + 600],
  ] as const) {
    assert.equal(keptOf({ ...parts, bytes: new Uint8Array(share - taken) }), 'abcd');
    assert.equal(keptOf({ ...parts, bytes: new Uint8Array(share - taken + 1) }), 'bcd');
  }
});
