import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import type { Account } from '../../src/accounts/account.ts';
import type { TokenAccount } from '../../src/accounts/token-state.ts';
import type { Address } from '../../src/addresses/address.ts';
import { token2022Program, tokenProgram, tokenPrograms } from '../../src/addresses/programs.ts';
import { type PaidAccount, warnOfControls, warnOfHook, warnOfNonce } from '../../src/decide/transfer-warnings.ts';
import type { Payment } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import { accountOf, mintAccount, tokenAccount, walletAccount } from '../chain-accounts.ts';
import { freshAddress, paymentOf, planWith } from '../random-plans.ts';
import { associatedAccountWith } from '../read-payments.ts';

const plan = planWith({});
const somebody = freshAddress();

function stateOf(account: Account | null): TokenAccount | undefined {
  return associatedAccountWith(plan.mint, account).state;
}

function paidAccount(
  { recipient, recipientTokenAccount: tokenAccount }: Payment,
  account: Account | null,
): PaidAccount {
  return { recipient, tokenAccount, state: stateOf(account) };
}

type Parts = Parameters<typeof tokenAccount>[2];

/** The warnings, by code, where the token accounts of sender and recipient are these. */
function said(sender: Account | null, recipient: Account | null): Record<string, object> {
  const warnings = warnOfControls(plan, stateOf(sender), [paidAccount(plan, recipient)]);
  return Object.fromEntries(warnings.map(({ code, context }) => [code, context]));
}

const ofSender = (parts: Parts = {}, program?: Address, owner = plan.sender): Account =>
  tokenAccount(plan.mint, owner, parts, program);
const ofRecipient = (parts: Parts = {}, program?: Address): Account =>
  tokenAccount(plan.mint, plan.recipient, parts, program);

const delegate = { delegate: address(somebody), delegatedAmount: 1_500_000n };
const lent = { delegate: somebody, amount: 1_500_000n, decimals: plan.decimals };
const ofSenders = { tokenAccount: plan.senderTokenAccount };
const ofRecipients = { tokenAccount: plan.recipientTokenAccount };
const wrapped = { isNative: 2_039_280n, closeAuthority: address(somebody) };

describe('of the token accounts of a transfer', () => {
  test('nothing is said where their owners alone can take what they hold', () => {
    for (const program of tokenPrograms) {
      assert.deepEqual(said(ofSender({}, program), ofRecipient({}, program)), {});
    }
    for (const none of [null, walletAccount(5n), accountOf(tokenProgram, new Uint8Array(165)), mintAccount()]) {
      assert.deepEqual(said(none, none), {});
    }
  });

  test('a delegate is named with what it may send, of either account', () => {
    for (const program of [tokenProgram, token2022Program]) {
      assert.deepEqual(said(ofSender({}, program), ofRecipient(delegate, program)), {
        recipient_delegate: { ...ofRecipients, ...lent },
      });
      assert.deepEqual(said(ofSender(delegate, program), ofRecipient({}, program)), {
        sender_delegate: { ...ofSenders, ...lent },
      });
    }
  });

  test('a delegate that may send nothing more, or is the wallet itself, is not', () => {
    const nothing = { ...delegate, delegatedAmount: 0n };
    assert.deepEqual(said(ofSender(nothing), ofRecipient(nothing)), {});
    const one = { ...delegate, delegatedAmount: 1n };
    assert.deepEqual(Object.keys(said(ofSender(one), ofRecipient(one))), ['sender_delegate', 'recipient_delegate']);
    const own = (wallet: Address): Parts => ({ ...delegate, delegate: address(wallet) });
    assert.deepEqual(said(ofSender(own(plan.sender)), ofRecipient(own(plan.recipient))), {});
  });

  test('a close authority is named where it can take wrapped SOL', () => {
    for (const program of [tokenProgram, token2022Program]) {
      assert.deepEqual(said(ofSender(wrapped, program), ofRecipient(wrapped, program)), {
        sender_close_authority: { ...ofSenders, closeAuthority: somebody },
        recipient_close_authority: { ...ofRecipients, closeAuthority: somebody },
      });
    }
  });

  test('a close authority that can take nothing, or is the owner, is not', () => {
    const empty = { closeAuthority: address(somebody) };
    assert.deepEqual(said(ofSender(empty), ofRecipient(empty)), {});
    const own = { ...wrapped, closeAuthority: address(plan.recipient) };
    assert.deepEqual(said(ofSender({ isNative: 1n }), ofRecipient(own)), {});
  });

  test('an owner is named for whom the sender sends', () => {
    const borrowed = ofSender({ delegate: address(plan.sender), delegatedAmount: 9n }, tokenProgram, somebody);
    assert.deepEqual(said(borrowed, ofRecipient()), {
      sender_is_delegate: { ...ofSenders, owner: somebody },
    });
  });
});

test('Each recipient of a split is told about once, with its own token account', () => {
  const split = (recipient: Address) => paymentOf(plan, { recipient, amount: 1n });
  const [one, other] = [freshAddress(), freshAddress()];
  const [first, second] = [split(one), split(other)];
  const splits = [first, split(one), second, split(plan.recipient)];
  const controlled = (recipient: Address): Account => tokenAccount(plan.mint, recipient, delegate);
  const paid = splits.map((each) => paidAccount(each, controlled(each.recipient)));
  assert.deepEqual(warnOfControls(plan, stateOf(ofSender()), [paidAccount(plan, ofRecipient(delegate)), ...paid]), [
    { code: 'recipient_delegate', context: { ...ofRecipients, ...lent } },
    { code: 'recipient_delegate', context: { tokenAccount: first.recipientTokenAccount, ...lent } },
    { code: 'recipient_delegate', context: { tokenAccount: second.recipientTokenAccount, ...lent } },
  ]);
  // Of the two splits only the second recipient's account has a delegate.
  const onlySecond = [
    paidAccount(plan, null),
    paidAccount(first, tokenAccount(plan.mint, one)),
    paidAccount(second, controlled(other)),
  ];
  assert.deepEqual(warnOfControls(plan, undefined, onlySecond), [
    { code: 'recipient_delegate', context: { tokenAccount: second.recipientTokenAccount, ...lent } },
  ]);
});

test('A hook program is named with the accounts that it may write, each once', () => {
  const [hook, one, other] = [freshAddress(), freshAddress(), freshAddress()];
  assert.deepEqual(warnOfHook(plan, undefined), []);
  const readOnly = { ...plan, hookAccounts: [role.readonly(one), role.readonly(hook)] };
  const called = { mint: plan.mint, program: hook };
  assert.deepEqual(warnOfHook(readOnly, hook), [
    { code: 'transfer_hook', context: { ...called, writableAccounts: [] } },
  ]);
  const hookAccounts = [role.writable(one), role.readonly(other), role.writable(other), role.writable(one)];
  assert.deepEqual(warnOfHook({ ...plan, hookAccounts }, hook), [
    { code: 'transfer_hook', context: { ...called, writableAccounts: [one, other] } },
  ]);
});

test('A durable nonce is named', () => {
  assert.deepEqual(warnOfNonce(somebody), { code: 'durable_nonce', context: { nonceAccount: somebody } });
});
