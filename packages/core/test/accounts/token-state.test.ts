import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, none, some } from '@solana/kit';
import { AccountState, type ExtensionArgs, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import {
  classifyTokenProgramAccount,
  decodeMint,
  decodeTokenAccount,
  isVacant,
  type Mint,
  tokenAccountOwner,
} from '../../src/accounts/token-state.ts';
import { systemProgram, token2022Program, tokenProgram, tokenProgramName } from '../../src/addresses/programs.ts';
import { accountOf, freshWallet, mintAccount, multisigAccount, tokenAccount } from '../fixtures.ts';

const key = address(freshWallet());
const fee = { epoch: 1n, maximumFee: 10n, transferFeeBasisPoints: 100 };

function lengthWith(...extensions: ExtensionArgs[]): number | undefined {
  return decodeMint(mintAccount({ extensions }))?.tokenAccountLength;
}

describe('the length of the token account that a mint needs', () => {
  // A token account of 165 bytes, the account type, and the header of ImmutableOwner.
  const plain = 165 + 1 + 4;
  const feeConfig = extension('TransferFeeConfig', {
    transferFeeConfigAuthority: key,
    withdrawWithheldAuthority: key,
    withheldAmount: 0n,
    olderTransferFee: fee,
    newerTransferFee: fee,
  });
  const hook = extension('TransferHook', { authority: key, programId: key });
  const pausable = extension('PausableConfig', { authority: some(key), paused: false });
  const closable = extension('MintCloseAuthority', { closeAuthority: key });

  test('is 165 bytes under SPL Token, and 170 under Token-2022', () => {
    assert.equal(decodeMint(mintAccount())?.tokenAccountLength, 165);
    assert.equal(decodeMint(mintAccount({}, token2022Program))?.tokenAccountLength, plain);
    assert.equal(lengthWith(closable), plain);
  });

  test('holds what each extension of the mint puts into it', () => {
    assert.equal(lengthWith(feeConfig), plain + 4 + 8);
    assert.equal(lengthWith(hook), plain + 4 + 1);
    assert.equal(lengthWith(pausable), plain + 4);
    assert.equal(lengthWith(extension('NonTransferable', {})), plain + 4);
    assert.equal(lengthWith(feeConfig, hook, pausable, closable), plain + 12 + 5 + 4);
  });
});

describe('a token account', () => {
  const [mint, owner] = [freshWallet(), freshWallet()];
  const read = (account = tokenAccount(mint, owner)) =>
    decodeTokenAccount(account, { mint, tokenProgram, likelyOwner: owner });

  test('is read as it stands there', () => {
    assert.deepEqual(read(), {
      tokenProgram,
      owner,
      amount: 5_000_000n,
      isFrozen: false,
      delegate: undefined,
      closeAuthority: undefined,
      isNative: false,
      requiresMemo: false,
      refusesPublicCredits: false,
    });
    assert.equal(read(tokenAccount(mint, owner, { state: AccountState.Frozen }))?.isFrozen, true);
    const delegate = freshWallet();
    const delegated = tokenAccount(mint, owner, { delegate: address(delegate), delegatedAmount: 7n });
    assert.deepEqual(read(delegated)?.delegate, { address: delegate, amount: 7n });
    const other = freshWallet();
    assert.equal(read(tokenAccount(mint, other))?.owner, other);
  });

  test('says who may close it and whether it holds wrapped SOL, under each token program and in each state', () => {
    const [delegate, closer] = [freshWallet(), freshWallet()];
    const parts = { delegate: address(delegate), delegatedAmount: 7n, closeAuthority: address(closer), isNative: 1n };
    for (const program of [tokenProgram, token2022Program]) {
      for (const state of [AccountState.Initialized, AccountState.Frozen]) {
        const account = tokenAccount(mint, owner, { ...parts, state }, program);
        const expected = { owner, delegate: { address: delegate, amount: 7n }, closeAuthority: closer, isNative: true };
        assert.partialDeepStrictEqual(
          decodeTokenAccount(account, { mint, tokenProgram: program, likelyOwner: owner }),
          expected,
        );
      }
    }
  });

  test('is undefined when it is of another mint, under another program, or not initialized', () => {
    assert.equal(read(tokenAccount(freshWallet(), owner)), undefined);
    assert.equal(read(tokenAccount(mint, owner, {}, token2022Program)), undefined);
    assert.equal(read(tokenAccount(mint, owner, { state: AccountState.Uninitialized })), undefined);
    assert.equal(read(mintAccount()), undefined);
    assert.equal(read(multisigAccount(tokenProgram)), undefined);
  });
});

describe('an account that is no mint', () => {
  // What says in a mint that it is initialized stands inside the owner of a token account.
  const withByte45 = (account: Account): Account => ({ ...account, data: account.data.with(45, 1) });
  const [mint, owner] = [freshWallet(), freshWallet()];

  test('is not read as one, whatever its bytes', () => {
    for (const program of [tokenProgram, token2022Program]) {
      assert.ok(decodeMint(mintAccount({}, program)));
      assert.equal(decodeMint(withByte45(tokenAccount(mint, owner, {}, program))), undefined);
      assert.equal(decodeMint(withByte45(multisigAccount(program))), undefined);
      assert.equal(decodeMint(mintAccount({ isInitialized: false }, program)), undefined);
      for (const length of [0, 165, 355]) {
        assert.equal(decodeMint(accountOf(program, new Uint8Array(length).fill(1))), undefined);
      }
    }
    assert.equal(decodeMint(accountOf(tokenProgram, new Uint8Array(82))), undefined);
    assert.equal(decodeMint(accountOf(tokenProgram, new Uint8Array(200).fill(1))), undefined);
    for (const program of [systemProgram, freshWallet()]) {
      assert.equal(decodeMint({ ...mintAccount(), owner: program }), undefined);
    }
  });
});

describe('the owner of a token account', () => {
  const [mint, owner] = [freshWallet(), freshWallet()];

  test('is told of every mint, initialized or frozen', () => {
    for (const state of [AccountState.Initialized, AccountState.Frozen]) {
      for (const program of [tokenProgram, token2022Program]) {
        const account = tokenAccount(mint, owner, { state }, program);
        assert.equal(tokenAccountOwner(account), owner);
      }
    }
  });

  test('is undefined where nothing says that the account can hold tokens', () => {
    const account = tokenAccount(mint, owner);
    const multisig = multisigAccount(tokenProgram);
    for (const other of [
      tokenAccount(mint, owner, { state: AccountState.Uninitialized }),
      { ...account, data: account.data.with(108, 3) },
      { ...account, owner: systemProgram },
      { ...account, owner: freshWallet() },
      mintAccount(),
      // The byte of the state is that of an initialized account.
      { ...multisig, data: multisig.data.with(108, 1) },
    ]) {
      assert.equal(tokenAccountOwner(other), undefined);
    }
  });
});

test('where there is nothing, or lamports alone, a token account can be made', () => {
  assert.equal(isVacant(null), true);
  assert.equal(isVacant(accountOf(systemProgram)), true);
  assert.equal(isVacant(accountOf(systemProgram, [0])), false);
  assert.equal(isVacant(accountOf(tokenProgram)), false);
});

const [one, other] = [freshWallet(), freshWallet()];
const feeOfNow = { epoch: 700n, maximumFee: 10n, transferFeeBasisPoints: 100 };

describe('a mint', () => {
  const plain: Mint = {
    tokenProgram: token2022Program,
    decimals: 6,
    isPaused: false,
    pauseAuthority: undefined,
    isNonTransferable: false,
    freezesNewAccounts: false,
    thawAuthority: undefined,
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
    extensionCount: 0,
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

  test('that freezes new accounts says who may thaw them', () => {
    const frozen = extension('DefaultAccountState', { state: AccountState.Frozen });
    assert.deepEqual(decodeMint(mintAccount({ freezeAuthority: some(address(one)), extensions: [frozen] })), {
      ...plain,
      extensionCount: 1,
      freezesNewAccounts: true,
      hasFreezeAuthority: true,
      thawAuthority: one,
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
        olderTransferFee: feeOfNow,
        newerTransferFee: { ...feeOfNow, maximumFee: 11n },
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
      const { tokenAccountLength: __, ...wanted } = { ...plain, extensionCount: 1, ...expected };
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

test('an account of a token program is classified by its length, and with extensions by its type byte, which only Token-2022 writes', () => {
  assert.equal(classifyTokenProgramAccount(mintAccount()), 'mint');
  assert.equal(classifyTokenProgramAccount(tokenAccount(one, other)), 'token_account');
  assert.equal(classifyTokenProgramAccount(multisigAccount(token2022Program)), 'multisig');
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
