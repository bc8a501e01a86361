import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, type Address as KitAddress, some } from '@solana/kit';
import type { ExtensionArgs } from '@solana-program/token-2022';
import { decodeMint, type Mint } from '../../src/accounts/token-state.ts';
import { warnOfMint } from '../../src/decide/transfer-warnings.ts';
import { sortWarnings, type Warning, warningLevels } from '../../src/findings/warning.ts';
import { mintAccount } from '../chain-accounts.ts';
import { freshAddress, paymentOf, planWith } from '../random-plans.ts';

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
const withholds: Warning = {
  code: 'transfer_fee',
  context: { ...ofMint, transferFee: 15_000n, receivedAmount: 1_485_000n, decimals },
};
const grows: Warning = { code: 'interest_bearing', context: ofMint };
const multiplies: Warning = { code: 'scaled_ui_amount', context: ofMint };
const mutable: Warning = { code: 'mutable_transfer_fee', context: { ...ofMint, authority: issuer } };

const table: readonly [name: string, mint: Mint, warnings: readonly Warning[]][] = [
  ['a plain mint without a freeze authority', mintWith([]), []],
  ['extensions that change nothing for payer and recipient', mintWith([pointer]), []],
  ['a freeze authority', mintWith([], { hasFreezeAuthority: true }), [{ code: 'freeze_authority', context: ofMint }]],
  ['a transfer fee that nobody can change', mintWith([feeOf(noKey)]), [withholds]],
  ['a transfer fee that somebody can change', mintWith([feeOf(authority)]), [withholds, mutable]],
  [
    'a transfer fee that is higher from a later epoch on, which nobody can change',
    mintWith([feeOf(noKey, fee, doubledLater)]),
    [
      withholds,
      { code: 'scheduled_transfer_fee', context: { ...ofMint, epoch: 702n, transferFee: 30_000n, decimals } },
    ],
  ],
  [
    'a transfer fee that ends with a later epoch',
    mintWith([feeOf(noKey, fee, { ...noFee, epoch: epoch + 1n })]),
    [withholds, { code: 'scheduled_transfer_fee', context: { ...ofMint, epoch: 701n, transferFee: 0n, decimals } }],
  ],
  ['a transfer fee set again to the same', mintWith([feeOf(noKey, fee, { ...fee, epoch: epoch + 1n })]), [withholds]],
  ['a transfer fee that counts from this epoch on', mintWith([feeOf(noKey, noFee, { ...fee, epoch })]), [withholds]],
  [
    'a mint that can be paused',
    mintWith([pausableBy(authority)]),
    [{ code: 'mint_can_be_paused', context: { ...ofMint, authority: issuer } }],
  ],
  ['a mint that nobody can pause any more', mintWith([pausableBy(null)]), []],
  [
    'a permanent delegate',
    mintWith([{ __kind: 'PermanentDelegate', delegate: authority }]),
    [{ code: 'permanent_delegate', context: { ...ofMint, delegate: issuer } }],
  ],
  ['a permanent delegate that is nobody', mintWith([{ __kind: 'PermanentDelegate', delegate: noKey }]), []],
  [
    'a close authority',
    mintWith([{ __kind: 'MintCloseAuthority', closeAuthority: authority }]),
    [{ code: 'mint_can_be_closed', context: ofMint }],
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
    [{ code: 'mutable_transfer_hook', context: { ...ofMint, authority: issuer } }],
  ],
  [
    'no hook yet, that somebody may set',
    mintWith([hookOf(authority, noKey)]),
    [{ code: 'mutable_transfer_hook', context: { ...ofMint, authority: issuer } }],
  ],
  ['a hook that nobody can change', mintWith([hookOf(null, hookProgram)]), []],
  [
    'extensions of a time to come',
    mintWith([pointer], { trailing: [99, 0, 2, 0, 1, 2, 41, 0, 0, 0] }),
    [{ code: 'unknown_extension', context: { ...ofMint, extensionTypes: [99, 41] } }],
  ],
];

for (const [name, mint, warnings] of table) {
  test(`The payer hears of ${name}: ${warnings.map(({ code }) => code).join() || 'nothing'}`, () => {
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
    { code: 'scheduled_transfer_fee', context: { ...warned, epoch: 702n, transferFee: 30_000n, decimals } },
  ]);
});

test('What is withheld of the splits, now and later, is in the same warnings', () => {
  const split = paymentOf(plan, { recipient: freshAddress(), amount: 500_000n, transferFee: 5_000n });
  const warnings = warnOfMint({ ...plan, splits: [split] }, mintWith([feeOf(noKey, fee, doubledLater)]), clock);
  assert.deepEqual(
    warnings.map(({ context }) => context),
    [
      { ...ofMint, transferFee: 20_000n, receivedAmount: 1_980_000n, decimals },
      { ...ofMint, epoch: 702n, transferFee: 40_000n, decimals },
    ],
  );
});

test('All warnings of one mint come in the order of their table, whatever the order of its extensions', () => {
  const all: ExtensionArgs[] = [
    hookOf(authority, hookProgram),
    pausableBy(authority),
    scaled,
    interest,
    { __kind: 'MintCloseAuthority', closeAuthority: authority },
    { __kind: 'PermanentDelegate', delegate: authority },
    feeOf(authority, fee, doubledLater),
  ];
  const expected = [
    'transfer_fee',
    'scheduled_transfer_fee',
    'permanent_delegate',
    'unknown_extension',
    'scaled_ui_amount',
    'interest_bearing',
    'mutable_transfer_fee',
    'mutable_transfer_hook',
    'freeze_authority',
    'mint_can_be_paused',
    'mint_can_be_closed',
  ];
  for (const extensions of [all, all.toReversed()]) {
    const mint = mintWith(extensions, { hasFreezeAuthority: true, trailing: [99, 0, 0, 0] });
    assert.deepEqual(
      sortWarnings(warnOfMint(plan, mint, clock)).map(({ code }) => code),
      expected,
    );
  }
});

test('Every warning comes before every note', () => {
  const levels = Object.values(warningLevels);
  assert.deepEqual(levels, levels.toSorted().reverse());
  assert.ok(levels.includes('note'));
});
