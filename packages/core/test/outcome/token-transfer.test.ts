import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { computeBudgetProgram, memoProgram, systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { transfersOfSender } from '../../src/outcome/compare-intents.ts';
import type { LandedContent, LandedTransfer } from '../../src/outcome/landed-content.ts';
import { type TokenTransfer, tokenTransfersOf } from '../../src/outcome/token-transfer.ts';
import type { UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshAddress } from '../fixtures.ts';
import { anyMessage, compile, decodedOrNothing } from './landed-transactions.ts';

const transfersIn = (bytes: Uint8Array) => decodedOrNothing(bytes)?.instructions.flatMap(tokenTransfersOf) ?? [];

/** What a message says by its instructions, before anybody has made bytes of it. */
const intendedBy = ({ instructions }: UnsignedMessage) =>
  instructions
    .filter(({ program, data }) => /^Token/.test(program) && data[0] === 12)
    .map(({ program, accounts, data }) => {
      const [source, mint, destination, authority, ...references] = accounts.map(({ address }) => address);
      const view = Buffer.from(data);
      const amount = view.readBigUInt64LE(1);
      return { tokenProgram: program, source, mint, destination, authority, amount, decimals: view[9], references };
    });

describe('the transfers in a landed transaction', () => {
  test('are those that were asked for, of any version, option, split, hook and compiler', () => {
    const compiler = fc.constantFrom('our encoder', 'kit', 'web3.js');
    fc.assert(
      fc.property(anyMessage, compiler, (message, by) => {
        // web3.js makes no version 1.
        const bytes = by === 'web3.js' && message.version === 1 ? compile(message, 'kit') : compile(message, by);
        assert.deepEqual(transfersIn(bytes), intendedBy(message));
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  test('of a Batch end where it names more accounts or more bytes than it has', () => {
    const accounts = [freshAddress(), freshAddress(), freshAddress()].map(role.writable);
    const amountsOf = (accountCount: number, length: number) => {
      const transferOfOne = [3, 1, 0, 0, 0, 0, 0, 0, 0];
      const data = Uint8Array.of(255, accountCount, length, ...transferOfOne);
      return tokenTransfersOf({ program: tokenProgram, accounts, data }).map(({ amount }) => amount);
    };
    assert.deepEqual([amountsOf(3, 9), amountsOf(4, 9), amountsOf(3, 10)], [[1n], [], []]);
  });
});

const [alice, bob, mint, otherMint] = [systemProgram, memoProgram, computeBudgetProgram, tokenProgram];

function transferOf(change: Partial<TokenTransfer>): LandedTransfer {
  const both = { tokenProgram, mint, decimals: 6, authority: alice, references: [], handed: [] };
  return { ...both, source: alice, destination: bob, amount: 5n, ...change };
}

function contentWith(transfers: readonly LandedTransfer[]): LandedContent {
  const lifetime = { blockhash: alice };
  const rest = { message: new Uint8Array(), lifetime, feePayer: alice, instructions: [], memos: [], hasCalls: true };
  return { ...rest, transfers, lamportTransfers: [], named: new Set([alice, bob]) };
}

const sender = { source: alice, mint, decimals: 6, tokenProgram };

test('of each sender its own transfers are found, whoever was asked for before', () => {
  const there = transferOf({ amount: 5n });
  const back = transferOf({ source: bob, destination: alice, amount: 2n });
  const content = contentWith([there, back]);
  for (const _ of [1, 2]) {
    const { leaving, directTo, change } = transfersOfSender(sender, content);
    assert.deepEqual([leaving, directTo.get(bob), directTo.get(alice), change], [[there], [there], undefined, -3n]);
    const other = transfersOfSender({ ...sender, source: bob }, content);
    assert.deepEqual([other.leaving, other.change], [[back], 3n]);
    assert.deepEqual(transfersOfSender({ ...sender, mint: otherMint }, content).leaving, []);
    assert.deepEqual(transfersOfSender({ ...sender, decimals: 7 }, content).leaving, []);
    assert.deepEqual(transfersOfSender({ ...sender, tokenProgram: alice }, content).leaving, []);
  }
});

test('what an account sends to itself does not leave it, and one without a mint is of any', () => {
  const unchecked = transferOf({ mint: undefined, decimals: undefined });
  const content = contentWith([transferOf({ destination: alice }), unchecked]);
  const { leaving, change } = transfersOfSender(sender, content);
  assert.deepEqual([leaving, change], [[unchecked], -5n]);
});
