import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, type Address as KitAddress, some } from '@solana/kit';
import type { ExtensionArgs } from '@solana-program/token-2022';
import { decodeMint, type Mint } from '../../src/accounts/token-state.ts';
import { warnOfMint } from '../../src/decide/mint-warnings.ts';
import type { Warning } from '../../src/findings/warning.ts';
import { mintAccount } from '../chain-accounts.ts';
import { freshAddress, planWith } from '../random-plans.ts';

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
const transferFee: ExtensionArgs = {
  __kind: 'TransferFeeConfig',
  transferFeeConfigAuthority: authority,
  withdrawWithheldAuthority: authority,
  withheldAmount: 0n,
  olderTransferFee: fee,
  newerTransferFee: fee,
};
const interest: ExtensionArgs = {
  __kind: 'InterestBearingConfig',
  rateAuthority: authority,
  initializationTimestamp: 1n,
  preUpdateAverageRate: 500,
  lastUpdateTimestamp: 2n,
  currentRate: 500,
};
const scaled: ExtensionArgs = {
  __kind: 'ScaledUiAmountConfig',
  authority,
  multiplier: 2,
  newMultiplierEffectiveTimestamp: 1n,
  newMultiplier: 3,
};
const hookOf = (owner: KitAddress | null, program: KitAddress): ExtensionArgs => ({
  __kind: 'TransferHook',
  authority: owner ?? noKey,
  programId: program,
});

const plan = planWith({ transferFee: 15_000n });
const ofMint = { mint: plan.mint };

const table: readonly [name: string, mint: Mint, warnings: readonly Warning[]][] = [
  ['a plain mint without a freeze authority', mintWith([]), []],
  ['extensions that change nothing for payer and recipient', mintWith([pointer]), []],
  ['a freeze authority', mintWith([], { hasFreezeAuthority: true }), [{ code: 'freeze_authority', context: ofMint }]],
  [
    'a transfer fee',
    mintWith([transferFee]),
    [{ code: 'transfer_fee', context: { ...ofMint, transferFee: 15_000n, decimals: plan.decimals } }],
  ],
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
  ['interest', mintWith([interest]), [{ code: 'interest_bearing', context: ofMint }]],
  ['a scaled amount', mintWith([scaled]), [{ code: 'scaled_ui_amount', context: ofMint }]],
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
    assert.deepEqual(warnOfMint(plan, mint), warnings);
  });
}

test('All warnings of one mint come in a fixed order, whatever the order of its extensions', () => {
  const all: ExtensionArgs[] = [
    hookOf(authority, hookProgram),
    scaled,
    interest,
    { __kind: 'MintCloseAuthority', closeAuthority: authority },
    { __kind: 'PermanentDelegate', delegate: authority },
    transferFee,
  ];
  const expected = [
    'transfer_fee',
    'permanent_delegate',
    'mint_can_be_closed',
    'interest_bearing',
    'scaled_ui_amount',
    'mutable_transfer_hook',
    'freeze_authority',
    'unknown_extension',
  ];
  for (const extensions of [all, all.toReversed()]) {
    const mint = mintWith(extensions, { hasFreezeAuthority: true, trailing: [99, 0, 0, 0] });
    assert.deepEqual(
      warnOfMint(plan, mint).map(({ code }) => code),
      expected,
    );
  }
});
