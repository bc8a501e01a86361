import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { token2022Program } from '../../src/addresses/programs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { memoOf, type PlanParts, planWith } from '../fixtures.ts';

const named = (name: string) => addressFromBytes(hash('sha256', `splwright vector ${name}`, 'buffer'));
const [sender, recipient, mint] = [named('sender'), named('recipient'), named('mint')];

/** Transactions, and the SHA-256 of their bytes. Only a change of the bytes that is meant may change it. */
const golden: readonly (readonly [name: string, parts: PlanParts, sha256: string])[] = [
  [
    '01-token-memo-ascii',
    { memo: memoOf('Invoice 4711') },
    'dcbb4fd73b9310a03961c32541eae15ffaeacd260b82465c83159ceb5047e38d',
  ],
  [
    '03-token-memo-unicode',
    { memo: memoOf('Grüße, 漢字, 👩‍👩‍👧, \u0000, \ufeff, "\\"'), decimals: 9 },
    'e3968e4063379a987cf2517e0b8774a381317c9b58f71f376e540b7899992ef0',
  ],
  [
    '05-token-memo-128-bytes',
    { memo: memoOf('x'.repeat(128)), amount: 2n ** 64n - 1n, decimals: 255 },
    '201e64e3486c15761bd913174e2596f4b637eac12a1d3305b2f1c37e13676879',
  ],
  [
    '06-token-2022-memo-916-bytes',
    { tokenProgram: token2022Program, memo: memoOf('y'.repeat(916)) },
    'd4783fa34c6772da5b6a2596abcceb4bd75e3fae410a7595af0e1b1763b435b7',
  ],
  [
    '07-token-memo-compute-limit',
    { memo: memoOf('漢'.repeat(100)), computeUnitLimit: 1_250_000 },
    'f13a69211d7ca2a639d1a69a6c8ebce9f26b94b0dc4a2d5c3178bb77c8bd35ef',
  ],
  [
    '08-token-create',
    { createsRecipientTokenAccount: true },
    '05e704783324f4bef7cea184419aeaa9ca92e3f5711c037ca765e94ef20b0577',
  ],
  [
    '09-token-2022-create',
    { tokenProgram: token2022Program, createsRecipientTokenAccount: true },
    '7e3b3dceb9bbf1928e3ccee070fc36e0b68cee937a07dbb9d942b6ec1d1795f4',
  ],
];

describe('the bytes of a transaction stay as they were, to the byte', () => {
  for (const [name, parts, sha256] of golden) {
    test(name, () => {
      const plan = planWith({ ...parts, sender, recipient, mint });
      const bytes = buildTransaction(plan, named(`blockhash ${name}`));
      assert.equal(hash('sha256', bytes), sha256, Buffer.from(bytes).toString('hex'));
    });
  }
});
