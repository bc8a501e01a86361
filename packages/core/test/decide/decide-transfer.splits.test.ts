import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import {
  accountOf,
  contextIn,
  decideIn,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  type Scene,
  tokenAccount,
} from '../chain-accounts.ts';
import { hookEntry, hookListOf } from '../hook-lists.ts';

const [one, other] = [freshWallet(), freshWallet()];
const request = requestOf({
  splits: [
    { to: one, amount: 300n },
    { to: other, amount: 200n },
  ],
});

describe('What is needed of splits', () => {
  test('is asked for with everything else where the wallet of one was not read', () => {
    const { mint, from, to } = request;
    for (const unread of [one, other]) {
      const needs = [mint, from, to, rentSysvar, clockSysvar, one, other];
      assert.deepEqual(decideIn(request, { unread: [unread] }), { needs });
    }
  });

  test('is every token account where that of one was not read', () => {
    const { sender, recipient, splits } = deriveTokenAccounts(request, tokenProgram);
    const needs = [sender, recipient, ...splits.map((split) => split.address)];
    for (const unread of needs) assert.deepEqual(decideIn(request, { unread: [unread] }), { needs });
  });
});

describe('The hook of a mint is asked for every payment', () => {
  const hookProgram = freshWallet();
  // The first account is derived from the wallet that is paid; the address of the second stands in the data of the first.
  const list = hookListOf(hookEntry([1, 4, 2, 32, 32]), hookEntry([2, 2, 5, 0]));
  const [ofMain, ofOne, ofOther] = [request.to, one, other].map(
    (owner) => findProgramDerivedAddress(hookProgram, [addressToBytes(owner)]).address,
  );
  assert.ok(ofMain && ofOne && ofOther);
  const mint = mintAccount({
    extensions: [extension('TransferHook', { authority: address(systemProgram), programId: address(hookProgram) })],
  });
  const sceneWith = (...others: readonly (readonly [Address, Account | null])[]): Scene => ({
    mint,
    others: [
      [hookProgram, accountOf(freshWallet(), [], true)],
      [hookValidationAddress(request.mint, hookProgram), accountOf(hookProgram, list)],
      ...others,
    ],
  });
  const pointing = accountOf(hookProgram, addressToBytes(freshWallet()));

  test('which needs the accounts of all of them at once', () => {
    assert.deepEqual(decideIn(request, sceneWith()), { needs: [ofMain, ofOne, ofOther] });
    assert.deepEqual(decideIn(request, sceneWith([ofMain, pointing], [ofOne, pointing])), { needs: [ofOther] });
    assert.deepEqual(decideIn(request, sceneWith([ofOne, pointing], [ofOther, pointing])), { needs: [ofMain] });
  });

  test('which refuses the transfer where that of one split cannot be had', () => {
    const read = [
      [ofMain, pointing],
      [ofOne, pointing],
      [ofOther, pointing],
    ] as const;
    assert.deepEqual(foundIn(request, sceneWith(...read)), []);
    for (const missing of [ofOne, ofOther]) {
      const scene = sceneWith(...read, [missing, null]);
      assert.deepEqual(contextIn(request, scene), {
        mint: request.mint,
        fault: { kind: 'account_not_found', account: missing },
      });
    }
  });
});

test('The token accounts of splits come with the decision as they were read', () => {
  const [first, second] = deriveTokenAccounts(request, tokenProgram).splits;
  assert.ok(first && second);
  const there = tokenAccount(request.mint, one, { amount: 7n });
  const scene: Scene = {
    others: [
      [first.address, there],
      [second.address, null],
    ],
  };
  const decision = decideIn({ ...request, createTokenAccount: 'if_missing' }, scene);
  assert.ok('plan' in decision);
  const [, ...states] = decision.payments.map((payment) => payment.tokenAccount.state);
  assert.deepEqual(
    states.map((state) => state?.amount),
    [7n, undefined],
  );
});

test('An amount that cannot be said in base units counts as none against the balance', () => {
  const asked = { ...requestOf(), amount: { digits: 15_000_001n, fractionDigits: 7 } };
  const senderTokenAccount = tokenAccount(asked.mint, asked.from, { amount: 0n }, tokenProgram);
  assert.deepEqual(foundIn(asked, { senderTokenAccount }), ['amount_not_representable amountDecimal']);
});
