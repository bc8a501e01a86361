import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { Account } from '../../src/accounts/account.ts';
import type { Address } from '../../src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { findTokensElsewhere, isEmptySender, withTokensElsewhere } from '../../src/decide/tokens-elsewhere.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { accountOf, freshWallet, tokenAccount } from '../fixtures.ts';

const [wallet, mint, own] = [freshWallet(), freshWallet(), freshWallet()];
const context = { wallet, mint, tokenAccount: own, decimals: 6 };
const holding = (amount: bigint): Account => tokenAccount(mint, wallet, { amount });

describe('the tokens that a sender has elsewhere', () => {
  test('are those in the fullest of its other token accounts, of either token program', () => {
    const [one, other] = [freshWallet(), freshWallet()];
    for (const program of [tokenProgram, token2022Program]) {
      const fuller = tokenAccount(mint, wallet, { amount: 9n }, program);
      for (const accounts of [
        new Map([
          [one, holding(7n)],
          [other, fuller],
          [own, holding(20n)],
        ]),
        new Map([
          [other, fuller],
          [one, holding(7n)],
        ]),
      ]) {
        assert.deepEqual(findTokensElsewhere(context, accounts), { tokenAccount: other, amount: 9n });
      }
    }
  });

  test('are none in an account that is empty, frozen, of another wallet, of another mint, or no token account', () => {
    for (const account of [
      holding(0n),
      tokenAccount(mint, wallet, { state: 2 }),
      tokenAccount(mint, wallet, { state: 0 }),
      tokenAccount(mint, freshWallet()),
      tokenAccount(freshWallet(), wallet),
      { ...holding(5n), owner: systemProgram },
      accountOf(tokenProgram),
    ]) {
      assert.equal(findTokensElsewhere(context, new Map([[freshWallet(), account]])), undefined);
    }
    assert.equal(findTokensElsewhere(context, new Map()), undefined);
  });

  test('are never named from bytes that do not name the wallet and the mint', () => {
    const { data } = holding(5n);
    const change = fc.record({ index: fc.nat(data.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.nat(data.length), (changes, length) => {
        const bytes = Uint8Array.from(data);
        for (const { index, value } of changes) bytes[index] = value;
        const address = freshWallet();
        const found = findTokensElsewhere(
          context,
          new Map([[address, accountOf(tokenProgram, bytes.subarray(0, length))]]),
        );
        if (found) assert.deepEqual([bytes.slice(0, 64), length], [data.slice(0, 64), 165]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('are looked for only where the own account holds nothing, and then named by the finding', () => {
    const short = { ...context, limitedBy: 'balance', amount: 5n } as const;
    const findings: readonly (readonly [Finding, boolean])[] = [
      [{ code: 'sender_token_account_not_found', field: 'from', context }, true],
      [{ code: 'insufficient_token_balance', field: 'amount', context: { ...short, available: 0n } }, true],
      [{ code: 'insufficient_token_balance', field: 'amount', context: { ...short, available: 1n } }, false],
      [
        {
          code: 'insufficient_token_balance',
          field: 'amount',
          context: { ...short, limitedBy: 'delegation', available: 0n },
        },
        false,
      ],
      [{ code: 'sender_token_account_frozen', field: 'from', context }, false],
    ];
    const elsewhere: { tokenAccount: Address; amount: bigint } = { tokenAccount: freshWallet(), amount: 3n };
    for (const [finding, isEmpty] of findings) {
      assert.equal(isEmptySender(finding), isEmpty, finding.code);
      if (!isEmptySender(finding)) continue;
      const named = withTokensElsewhere(finding, elsewhere);
      assert.deepEqual(named, { ...finding, context: { ...finding.context, elsewhere } });
    }
  });
});
