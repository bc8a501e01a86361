import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Address, addressFromBytes, sol, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { alice, usdc } from '../app/sample-bodies.ts';
import { sampleAccount } from '../chain/sample-transfer.ts';

const maxMints = 10_000;
const mint = toAddress(usdc);
const classic = { tokenProgram, transferHookProgram: undefined };

/** Address number `count` of a series. */
function numberedAddress(count: number): Address {
  const bytes = new Uint8Array(32).fill(0xa5);
  new DataView(bytes.buffer).setUint32(28, count);
  return addressFromBytes(bytes);
}

describe('what is known of mints', () => {
  test('is nothing of one never seen, and is learned from its account', () => {
    const hints = new MintHints();
    assert.equal(hints.of(mint), undefined);
    for (const program of [tokenProgram, token2022Program]) {
      hints.learn(mint, sampleAccount(mint, program));
      assert.deepEqual(hints.of(mint), { tokenProgram: program, transferHookProgram: undefined });
    }
  });

  test('has its name once the account that may have it was read', () => {
    const hints = new MintHints();
    const read = new Map([[mint, sampleAccount(mint, tokenProgram)]]);
    const none = { name: undefined, symbol: undefined };
    assert.deepEqual(hints.nameOf(mint, read), none);
    const [metadata = mint] = hints.nameAddresses(mint);
    assert.deepEqual(hints.nameOf(mint, new Map([...read, [metadata, null]])), none);
    assert.deepEqual(hints.nameAddresses(mint), []);
    assert.deepEqual([hints.nameAddresses(sol), hints.nameOf(sol, new Map()).symbol], [[], 'SOL']);
  });

  test('stays as it is when an account is read that is no mint, or is not there', () => {
    const hints = new MintHints();
    hints.remember(mint, classic);
    for (const account of [undefined, null, sampleAccount(toAddress(alice), tokenProgram)]) hints.learn(mint, account);
    assert.deepEqual(hints.of(mint), classic);
  });

  test('is replaced when the mint has another program, and when it has another hook, or none any more', () => {
    const hints = new MintHints();
    for (const hint of [
      classic,
      { tokenProgram: token2022Program, transferHookProgram: undefined },
      { tokenProgram: token2022Program, transferHookProgram: systemProgram },
      { tokenProgram: token2022Program, transferHookProgram: toAddress(alice) },
      { tokenProgram: token2022Program, transferHookProgram: undefined },
      classic,
    ]) {
      hints.remember(mint, hint);
      assert.deepEqual(hints.of(mint), hint);
    }
  });

  test('is kept of 10,000; then the oldest goes, and one that is known and is seen again moves none out', () => {
    const hints = new MintHints();
    for (let count = 0; count < maxMints; count++) hints.remember(numberedAddress(count), classic);
    assert.deepEqual(hints.of(numberedAddress(0)), classic, 'the oldest is known');
    hints.remember(numberedAddress(maxMints - 1), classic);
    assert.deepEqual(hints.of(numberedAddress(0)), classic, 'still');
    hints.remember(numberedAddress(maxMints), classic);
    assert.equal(hints.of(numberedAddress(0)), undefined, 'the oldest was forgotten');
    assert.deepEqual(hints.of(numberedAddress(1)), classic, 'the second is known still');
  });
});
