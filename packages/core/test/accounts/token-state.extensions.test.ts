import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, none, some } from '@solana/kit';
import { AccountState, type ExtensionArgs, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import {
  classifyTokenProgramAccount,
  decodeMint,
  decodeTokenAccount,
  type Mint,
} from '../../src/accounts/token-state.ts';
import { systemProgram, token2022Program, tokenProgram, tokenProgramName } from '../../src/addresses/programs.ts';
import { accountOf, freshWallet, mintAccount, tokenAccount } from '../chain-accounts.ts';

const [one, other] = [freshWallet(), freshWallet()];
const fee = { epoch: 700n, maximumFee: 10n, transferFeeBasisPoints: 100 };

describe('a mint', () => {
  const plain: Mint = {
    tokenProgram: token2022Program,
    decimals: 6,
    isPaused: false,
    pauseAuthority: undefined,
    isNonTransferable: false,
    freezesNewAccounts: false,
    transferFeeConfig: undefined,
    transferFeeAuthority: undefined,
    transferHookProgram: undefined,
    transferHookAuthority: undefined,
    hasFreezeAuthority: false,
    permanentDelegate: undefined,
    hasCloseAuthority: false,
    isInterestBearing: false,
    hasScaledUiAmount: false,
    uiAmountConfig: undefined,
    unknownExtensions: [],
    tokenAccountLength: 170,
  };

  test('without extensions has nothing but its decimals and its freeze authority', () => {
    assert.deepEqual(decodeMint(mintAccount({}, token2022Program)), plain);
    assert.deepEqual(decodeMint(mintAccount({ decimals: 9, freezeAuthority: some(address(one)) }, token2022Program)), {
      ...plain,
      decimals: 9,
      hasFreezeAuthority: true,
    });
  });

  const cases: readonly (readonly [ExtensionArgs, Partial<Mint>])[] = [
    [
      extension('PausableConfig', { authority: some(address(one)), paused: true }),
      { isPaused: true, pauseAuthority: one },
    ],
    [extension('PausableConfig', { authority: some(address(one)), paused: false }), { pauseAuthority: one }],
    [extension('PausableConfig', { authority: none(), paused: true }), { isPaused: true }],
    [extension('NonTransferable', {}), { isNonTransferable: true }],
    [extension('DefaultAccountState', { state: AccountState.Frozen }), { freezesNewAccounts: true }],
    [extension('DefaultAccountState', { state: AccountState.Initialized }), {}],
    [
      extension('TransferHook', { authority: address(one), programId: address(other) }),
      { transferHookAuthority: one, transferHookProgram: other },
    ],
    [extension('TransferHook', { authority: address(systemProgram), programId: address(systemProgram) }), {}],
    [extension('PermanentDelegate', { delegate: address(one) }), { permanentDelegate: one }],
    [extension('MintCloseAuthority', { closeAuthority: address(one) }), { hasCloseAuthority: true }],
    [extension('MintCloseAuthority', { closeAuthority: address(systemProgram) }), {}],
    [
      extension('InterestBearingConfig', {
        rateAuthority: address(one),
        initializationTimestamp: 1n,
        preUpdateAverageRate: 2,
        lastUpdateTimestamp: 3n,
        currentRate: 4,
      }),
      {
        isInterestBearing: true,
        uiAmountConfig: { kind: 'interest', initializedAt: 1n, averageRate: 2, updatedAt: 3n, rate: 4 },
      },
    ],
    [
      extension('ScaledUiAmountConfig', {
        authority: address(one),
        multiplier: 1,
        newMultiplierEffectiveTimestamp: 3n,
        newMultiplier: 2,
      }),
      {
        hasScaledUiAmount: true,
        uiAmountConfig: { kind: 'scaled', multiplier: 1, newMultiplier: 2, newMultiplierFrom: 3n },
      },
    ],
    [
      extension('TransferFeeConfig', {
        transferFeeConfigAuthority: address(one),
        withdrawWithheldAuthority: address(other),
        withheldAmount: 1n,
        olderTransferFee: fee,
        newerTransferFee: { ...fee, maximumFee: 11n },
      }),
      {
        transferFeeAuthority: one,
        transferFeeConfig: {
          older: { epoch: 700n, maximumFee: 10n, basisPoints: 100 },
          newer: { epoch: 700n, maximumFee: 11n, basisPoints: 100 },
        },
      },
    ],
  ];
  for (const [given, expected] of cases) {
    test(`with ${given.__kind} has ${Object.keys(expected).join(' and ') || 'nothing more'}`, () => {
      const { tokenAccountLength: _, ...mint } = decodeMint(mintAccount({ extensions: [given] })) ?? plain;
      const { tokenAccountLength: __, ...wanted } = { ...plain, ...expected };
      assert.deepEqual(mint, wanted);
    });
  }

  test('lists the extensions that are newer than 28, and those alone', () => {
    const withType = (type: number): Account => {
      const { data } = mintAccount({ extensions: [extension('NonTransferable', {})] });
      return accountOf(token2022Program, data.with(166, type));
    };
    assert.deepEqual(decodeMint(withType(28))?.unknownExtensions, []);
    assert.deepEqual(decodeMint(withType(29))?.unknownExtensions, [29]);
  });

  test('is undefined with an extension of a size that no token program writes', () => {
    const { data } = mintAccount({ extensions: [extension('MintCloseAuthority', { closeAuthority: address(one) })] });
    assert.equal(decodeMint(accountOf(token2022Program, data.with(168, 31))), undefined);
    assert.equal(decodeMint(accountOf(token2022Program, data))?.hasCloseAuthority, true);
  });

  test('is undefined with a pausable extension that has no room for its flag', () => {
    const pausable = extension('PausableConfig', { authority: some(address(one)), paused: true });
    const { data } = mintAccount({ extensions: [pausable] });
    assert.equal(decodeMint(accountOf(token2022Program, data.with(168, 32))), undefined);
    assert.equal(decodeMint(accountOf(token2022Program, data.with(168, 31))), undefined);
  });

  test('is undefined before it is initialized', () => {
    assert.equal(decodeMint(mintAccount({ isInitialized: false })), undefined);
    assert.equal(decodeMint(tokenAccount(one, other)), undefined);
  });
});

describe('a token account', () => {
  const read = (given: ExtensionArgs): ReturnType<typeof decodeTokenAccount> =>
    decodeTokenAccount(tokenAccount(one, other, { extensions: [given] }), {
      mint: one,
      tokenProgram: token2022Program,
      likelyOwner: other,
    });
  const balance = new Uint8Array(64).fill(1);
  const confidential = (allowNonConfidentialCredits: boolean): ExtensionArgs =>
    extension('ConfidentialTransferAccount', {
      approved: allowNonConfidentialCredits,
      elgamalPubkey: address(one),
      pendingBalanceLow: balance,
      pendingBalanceHigh: balance,
      availableBalance: balance,
      decryptableAvailableBalance: new Uint8Array(36).fill(1),
      // The flags and the counter next to it say the opposite.
      allowConfidentialCredits: !allowNonConfidentialCredits,
      allowNonConfidentialCredits,
      pendingBalanceCreditCounter: allowNonConfidentialCredits ? 0n : 1n,
      maximumPendingBalanceCreditCounter: 1n,
      expectedPendingBalanceCreditCounter: 1n,
      actualPendingBalanceCreditCounter: 1n,
    });

  test('refuses public credits when its owner said so', () => {
    assert.equal(read(confidential(false))?.refusesPublicCredits, true);
    assert.equal(read(confidential(true))?.refusesPublicCredits, false);
  });

  test('requires a memo when its owner said so', () => {
    assert.equal(read(extension('MemoTransfer', { requireIncomingTransferMemos: true }))?.requiresMemo, true);
    assert.equal(read(extension('MemoTransfer', { requireIncomingTransferMemos: false }))?.requiresMemo, false);
  });
});

test('an account with extensions is classified by its type byte, which only Token-2022 writes', () => {
  const mint = mintAccount({ extensions: [extension('NonTransferable', {})] });
  const holding = tokenAccount(one, other, { extensions: [extension('ImmutableOwner', {})] });
  assert.equal(classifyTokenProgramAccount(mint), 'mint');
  assert.equal(classifyTokenProgramAccount(holding), 'token_account');
  assert.equal(classifyTokenProgramAccount({ ...mint, owner: tokenProgram }), 'unknown');
  assert.equal(classifyTokenProgramAccount({ ...mint, owner: one }), undefined);
  assert.equal(classifyTokenProgramAccount({ ...mint, data: mint.data.with(165, 0) }), 'unknown');
  for (const length of [0, 81, 83, 164]) {
    assert.equal(classifyTokenProgramAccount(accountOf(token2022Program, new Uint8Array(length).fill(1))), 'unknown');
  }
});

test('a token program is called by its name, and another program by its address', () => {
  assert.equal(tokenProgramName(tokenProgram), 'SPL Token');
  assert.equal(tokenProgramName(token2022Program), 'Token-2022');
  assert.equal(tokenProgramName(one), one);
});
