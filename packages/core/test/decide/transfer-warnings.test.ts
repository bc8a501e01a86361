import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, type Address as KitAddress, some } from '@solana/kit';
import type { ExtensionArgs } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { decodeMint, type Mint, type TokenAccount } from '../../src/accounts/token-state.ts';
import type { Address } from '../../src/addresses/address.ts';
import { tokenProgram } from '../../src/addresses/programs.ts';
import {
  type PaidAccount,
  warnOfControls,
  warnOfHook,
  warnOfMint,
  warnOfNonce,
} from '../../src/decide/transfer-warnings.ts';
import { levelOf, sortWarnings, type Warning, warningLevels } from '../../src/findings/warning.ts';
import type { Payment } from '../../src/plan/transfer-plan.ts';
import { role } from '../../src/transaction/instruction.ts';
import {
  associatedAccountWith,
  changed,
  codesOf,
  freshAddress,
  mintAccount,
  paymentOf,
  planWith,
  recipientOf,
  tokenAccount,
} from '../fixtures.ts';

const issuer = freshAddress();
const authority = address(issuer);
const hookProgram = address(freshAddress());
const noKey = address('1'.repeat(32));
const fee = { epoch: 0n, maximumFee: 10n ** 9n, transferFeeBasisPoints: 100 };

/** A mint with these extensions, decoded from the bytes of a token program's client. */
function mintWith(
  extensions: ExtensionArgs[],
  parts: { hasFreezeAuthority?: boolean; trailing?: number[] } = {},
): Mint {
  const account = mintAccount({
    freezeAuthority: parts.hasFreezeAuthority ? authority : null,
    ...(extensions.length > 0 && { extensions }),
  });
  const mint = decodeMint({ ...account, data: Uint8Array.from([...account.data, ...(parts.trailing ?? [])]) });
  assert.ok(mint);
  return mint;
}

const pointer: ExtensionArgs = { __kind: 'MetadataPointer', authority, metadataAddress: some(authority) };
/** The epoch of the transfer. */
const epoch = 700n;
const clock = { epoch, unixSeconds: 2_000n };
const feeOf = (owner: KitAddress, older = fee, newer = older): ExtensionArgs => ({
  __kind: 'TransferFeeConfig',
  transferFeeConfigAuthority: owner,
  withdrawWithheldAuthority: authority,
  withheldAmount: 0n,
  olderTransferFee: older,
  newerTransferFee: newer,
});
const noFee = { ...fee, transferFeeBasisPoints: 0 };
const doubledLater = { ...fee, epoch: epoch + 2n, transferFeeBasisPoints: 200 };
const pausableBy = (owner: KitAddress | null): ExtensionArgs => ({
  __kind: 'PausableConfig',
  authority: owner,
  paused: false,
});
const interestOf = (preUpdateAverageRate: number, currentRate: number): ExtensionArgs => ({
  __kind: 'InterestBearingConfig',
  rateAuthority: authority,
  initializationTimestamp: 1n,
  preUpdateAverageRate,
  lastUpdateTimestamp: 1_000n,
  currentRate,
});
const interest = interestOf(500, 500);
const scaledBy = (multiplier: number, newMultiplier: number, from: bigint): ExtensionArgs => ({
  __kind: 'ScaledUiAmountConfig',
  authority,
  multiplier,
  newMultiplierEffectiveTimestamp: from,
  newMultiplier,
});
const scaled = scaledBy(2, 3, 1n);
const hookOf = (owner: KitAddress | null, program: KitAddress): ExtensionArgs => ({
  __kind: 'TransferHook',
  authority: owner ?? noKey,
  programId: program,
});

const withheld = { amount: 1_500_000n, transferFee: 15_000n };
const plan = planWith({ ...withheld });
const { mint: planned, decimals } = plan;
const ofMint = { mint: planned };
/** A warning about the mint. */
const about = (code: string, context: object = {}) => ({ code, context: { ...ofMint, ...context } });
const withholds = about('transfer_fee', { transferFee: 15_000n, receivedAmount: 1_485_000n, decimals });
const grows = about('interest_bearing');
const multiplies = about('scaled_ui_amount');
const mutable = about('mutable_transfer_fee', { authority: issuer });

const table: readonly [name: string, mint: Mint, warnings: readonly { code: string }[]][] = [
  ['a plain mint without a freeze authority', mintWith([]), []],
  ['extensions that change nothing for payer and recipient', mintWith([pointer]), []],
  ['a freeze authority', mintWith([], { hasFreezeAuthority: true }), [about('freeze_authority')]],
  ['a transfer fee that nobody can change', mintWith([feeOf(noKey)]), [withholds]],
  ['a transfer fee that somebody can change', mintWith([feeOf(authority)]), [withholds, mutable]],
  [
    'a transfer fee that is higher from a later epoch on, which nobody can change',
    mintWith([feeOf(noKey, fee, doubledLater)]),
    [
      withholds,
      about('scheduled_transfer_fee', { epoch: 702n, transferFee: 30_000n, receivedAmount: 1_470_000n, decimals }),
    ],
  ],
  [
    'a transfer fee that ends with a later epoch',
    mintWith([feeOf(noKey, fee, { ...noFee, epoch: epoch + 1n })]),
    [
      withholds,
      about('scheduled_transfer_fee', { epoch: 701n, transferFee: 0n, receivedAmount: 1_500_000n, decimals }),
    ],
  ],
  ['a transfer fee set again to the same', mintWith([feeOf(noKey, fee, { ...fee, epoch: epoch + 1n })]), [withholds]],
  ['a transfer fee that counts from this epoch on', mintWith([feeOf(noKey, noFee, { ...fee, epoch })]), [withholds]],
  [
    'a mint that can be paused',
    mintWith([pausableBy(authority)]),
    [about('mint_can_be_paused', { authority: issuer })],
  ],
  ['a mint that nobody can pause any more', mintWith([pausableBy(null)]), []],
  [
    'a permanent delegate',
    mintWith([{ __kind: 'PermanentDelegate', delegate: authority }]),
    [about('permanent_delegate', { delegate: issuer })],
  ],
  ['a permanent delegate that is nobody', mintWith([{ __kind: 'PermanentDelegate', delegate: noKey }]), []],
  [
    'a close authority',
    mintWith([{ __kind: 'MintCloseAuthority', closeAuthority: authority }]),
    [about('mint_can_be_closed')],
  ],
  ['a close authority that is nobody', mintWith([{ __kind: 'MintCloseAuthority', closeAuthority: noKey }]), []],
  ['interest', mintWith([interest]), [grows]],
  ['interest that ended', mintWith([interestOf(500, 0)]), [grows]],
  ['interest of nothing', mintWith([interestOf(0, 0)]), []],
  ['a scaled amount', mintWith([scaled]), [multiplies]],
  ['a multiplier of one', mintWith([scaledBy(1, 1, 2_001n)]), []],
  ['a multiplier that became one', mintWith([scaledBy(2, 1, 2_000n)]), []],
  ['a multiplier that becomes one later', mintWith([scaledBy(2, 1, 2_001n)]), [multiplies]],
  ['a multiplier of one until later', mintWith([scaledBy(1, 2, 2_001n)]), [multiplies]],
  ['a multiplier that is no number', mintWith([scaledBy(Number.NaN, 1, 0n)]), [multiplies]],
  [
    'a hook that somebody may change',
    mintWith([hookOf(authority, hookProgram)]),
    [about('mutable_transfer_hook', { authority: issuer })],
  ],
  [
    'no hook yet, that somebody may set',
    mintWith([hookOf(authority, noKey)]),
    [about('mutable_transfer_hook', { authority: issuer })],
  ],
  ['a hook that nobody can change', mintWith([hookOf(null, hookProgram)]), []],
  [
    'an extension of a time to come',
    mintWith([pointer], { trailing: [99, 0, 0, 0] }),
    [about('unknown_extension', { extensionTypes: [99] })],
  ],
  [
    'extensions of a time to come',
    mintWith([pointer], { trailing: [99, 0, 2, 0, 1, 2, 41, 0, 0, 0] }),
    [about('unknown_extension', { extensionTypes: [99, 41] })],
  ],
];

for (const [name, mint, warnings] of table) {
  test(`The payer hears of ${name}: ${codesOf(warnings).join() || 'nothing'}`, () => {
    assert.deepEqual(warnOfMint(plan, mint, clock), warnings);
  });
}

test('Of a fee of nothing the payer hears only that somebody can set one', () => {
  const free = planWith({ amount: 1_500_000n, transferFee: 0n });
  const warned = { mint: free.mint };
  assert.deepEqual(warnOfMint(free, mintWith([feeOf(noKey, noFee)]), clock), []);
  assert.deepEqual(warnOfMint(free, mintWith([feeOf(authority, noFee)]), clock), [
    { code: 'mutable_transfer_fee', context: { ...warned, authority: issuer } },
  ]);
  assert.deepEqual(warnOfMint(free, mintWith([feeOf(noKey, noFee, doubledLater)]), clock), [
    {
      code: 'scheduled_transfer_fee',
      context: { ...warned, epoch: 702n, transferFee: 30_000n, receivedAmount: 1_470_000n, decimals },
    },
  ]);
});

test('What is withheld of the splits, now and later, is in the same warnings', () => {
  const split = paymentOf(plan, { recipient: freshAddress(), amount: 500_000n, transferFee: 5_000n });
  const warnings = warnOfMint(changed(plan, { splits: [split] }), mintWith([feeOf(noKey, fee, doubledLater)]), clock);
  assert.deepEqual(
    warnings.map(({ context }) => context),
    [
      { ...ofMint, transferFee: 20_000n, receivedAmount: 1_980_000n, decimals },
      { ...ofMint, epoch: 702n, transferFee: 40_000n, receivedAmount: 1_960_000n, decimals },
    ],
  );
});

test('All warnings come in the order of their table, in whatever order they were found', () => {
  const inOrder = Object.keys(warningLevels);
  const found = inOrder.toReversed().map((code) => ({ code, context: {} }) as Warning);
  assert.deepEqual(codesOf(sortWarnings(found)), inOrder);
});

test('A delegate that may send without limit is a note after all warnings, one that may send some amount is not', () => {
  const by = (code: 'sender_delegate' | 'recipient_delegate', amount: bigint): Warning => {
    const context = { tokenAccount: somebody, delegate: somebody, amount, decimals: 6 };
    return { code, context };
  };
  const [limited, unlimited] = [by('recipient_delegate', 2n ** 64n - 2n), by('recipient_delegate', 2n ** 64n - 1n)];
  const nonce: Warning = { code: 'durable_nonce', context: { nonceAccount: somebody } };
  const sender = by('sender_delegate', 2n ** 64n - 1n);
  assert.deepEqual(sortWarnings([sender, unlimited, nonce, limited]), [limited, nonce, unlimited, sender]);
  assert.deepEqual([limited, unlimited, sender, nonce].map(levelOf), ['warning', 'note', 'note', 'warning']);
});

test('Every warning comes before every note', () => {
  const levels = Object.values(warningLevels);
  assert.deepEqual(levels, levels.toSorted().reverse());
  assert.ok(levels.includes('note'));
});

const plainPlan = planWith({});
const somebody = freshAddress();

function stateOf(account: Account | null): TokenAccount | undefined {
  return associatedAccountWith(plainPlan.mint, account).state;
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
  const warnings = warnOfControls(plainPlan, stateOf(sender), [paidAccount(recipientOf(plainPlan), recipient)]);
  return Object.fromEntries(warnings.map(({ code, context }) => [code, context]));
}

const ofSender = (parts: Parts = {}, program?: Address, owner = plainPlan.sender): Account =>
  tokenAccount(plainPlan.mint, owner, parts, program);
const ofRecipient = (parts: Parts = {}, program?: Address): Account =>
  tokenAccount(plainPlan.mint, recipientOf(plainPlan).recipient, parts, program);

const delegate = { delegate: address(somebody), delegatedAmount: 1_500_000n };
const lent = { delegate: somebody, amount: 1_500_000n, decimals: plainPlan.decimals };
const ofSenders = { tokenAccount: plainPlan.senderTokenAccount };
const ofRecipients = { tokenAccount: recipientOf(plainPlan).recipientTokenAccount };
const wrapped = { isNative: 2_039_280n, closeAuthority: address(somebody) };

describe('of the token accounts of a transfer', () => {
  test('nothing is said where their owners alone can take what they hold', () => {
    assert.deepEqual(said(ofSender(), ofRecipient()), {});
    assert.deepEqual(said(null, null), {});
  });

  test('a delegate is named with what it may send, of either account', () => {
    assert.deepEqual(said(ofSender(), ofRecipient(delegate)), { recipient_delegate: { ...ofRecipients, ...lent } });
    assert.deepEqual(said(ofSender(delegate), ofRecipient()), { sender_delegate: { ...ofSenders, ...lent } });
  });

  test('a delegate that may send nothing more, or is the wallet itself, is not', () => {
    const nothing = { ...delegate, delegatedAmount: 0n };
    assert.deepEqual(said(ofSender(nothing), ofRecipient(nothing)), {});
    const one = { ...delegate, delegatedAmount: 1n };
    assert.deepEqual(Object.keys(said(ofSender(one), ofRecipient(one))), ['sender_delegate', 'recipient_delegate']);
    const own = (wallet: Address): Parts => ({ ...delegate, delegate: address(wallet) });
    assert.deepEqual(said(ofSender(own(plainPlan.sender)), ofRecipient(own(recipientOf(plainPlan).recipient))), {});
  });

  test('a close authority is named where it can take wrapped SOL', () => {
    assert.deepEqual(said(ofSender(wrapped), ofRecipient(wrapped)), {
      sender_close_authority: { ...ofSenders, closeAuthority: somebody },
      recipient_close_authority: { ...ofRecipients, closeAuthority: somebody },
    });
  });

  test('a close authority that can take nothing, or is the owner, is not', () => {
    const empty = { closeAuthority: address(somebody) };
    assert.deepEqual(said(ofSender(empty), ofRecipient(empty)), {});
    const own = { ...wrapped, closeAuthority: address(recipientOf(plainPlan).recipient) };
    assert.deepEqual(said(ofSender({ isNative: 1n }), ofRecipient(own)), {});
  });

  test('an owner is named for whom the sender sends', () => {
    const borrowed = ofSender({ delegate: address(plainPlan.sender), delegatedAmount: 9n }, tokenProgram, somebody);
    assert.deepEqual(said(borrowed, ofRecipient()), {
      sender_is_delegate: { ...ofSenders, owner: somebody },
    });
  });
});

test('Each recipient of a split is told about once, with its own token account', () => {
  const split = (recipient: Address) => paymentOf(plainPlan, { recipient, amount: 1n });
  const [one, other] = [freshAddress(), freshAddress()];
  const [first, second] = [split(one), split(other)];
  const splits = [first, split(one), second, split(recipientOf(plainPlan).recipient)];
  const controlled = (recipient: Address): Account => tokenAccount(plainPlan.mint, recipient, delegate);
  const paid = splits.map((each) => paidAccount(each, controlled(each.recipient)));
  assert.deepEqual(
    warnOfControls(plainPlan, stateOf(ofSender()), [
      paidAccount(recipientOf(plainPlan), ofRecipient(delegate)),
      ...paid,
    ]),
    [
      { code: 'recipient_delegate', context: { ...ofRecipients, ...lent } },
      { code: 'recipient_delegate', context: { tokenAccount: first.recipientTokenAccount, ...lent } },
      { code: 'recipient_delegate', context: { tokenAccount: second.recipientTokenAccount, ...lent } },
    ],
  );
  // Of the two splits only the second recipient's account has a delegate.
  const onlySecond = [
    paidAccount(recipientOf(plainPlan), null),
    paidAccount(first, tokenAccount(plainPlan.mint, one)),
    paidAccount(second, controlled(other)),
  ];
  assert.deepEqual(warnOfControls(plainPlan, undefined, onlySecond), [
    { code: 'recipient_delegate', context: { tokenAccount: second.recipientTokenAccount, ...lent } },
  ]);
});

test('A hook program is named with the accounts that it may write, each once', () => {
  const [hook, one, other] = [freshAddress(), freshAddress(), freshAddress()];
  assert.deepEqual(warnOfHook(plainPlan, undefined), []);
  const readOnly = changed(plainPlan, { hookAccounts: [role.readonly(one), role.readonly(hook)] });
  const called = { mint: plainPlan.mint, program: hook };
  assert.deepEqual(warnOfHook(readOnly, hook), [
    { code: 'transfer_hook', context: { ...called, writableAccounts: [] } },
  ]);
  const hookAccounts = [role.writable(one), role.readonly(other), role.writable(other), role.writable(one)];
  assert.deepEqual(warnOfHook(changed(plainPlan, { hookAccounts }), hook), [
    { code: 'transfer_hook', context: { ...called, writableAccounts: [one, other] } },
  ]);
});

test('A durable nonce is named, and a note says that nonces are to be removed', () => {
  const context = { nonceAccount: somebody };
  assert.deepEqual(warnOfNonce(somebody), [
    { code: 'durable_nonce', context },
    { code: 'durable_nonces_will_be_removed', context },
  ]);
});
