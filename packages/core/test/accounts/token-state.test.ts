import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, some } from '@solana/kit';
import { AccountState, type ExtensionArgs, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import {
  classifyTokenProgramAccount,
  decodeMint,
  decodeTokenAccount,
  isVacant,
  tokenAccountOwner,
} from '../../src/accounts/token-state.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { accountOf, freshWallet, mintAccount, multisigAccount, tokenAccount } from '../chain-accounts.ts';

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
    }
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

test('an account of a token program is classified by its length and type', () => {
  assert.equal(classifyTokenProgramAccount(mintAccount()), 'mint');
  assert.equal(classifyTokenProgramAccount(tokenAccount(freshWallet(), freshWallet())), 'token_account');
  assert.equal(classifyTokenProgramAccount(multisigAccount(token2022Program)), 'multisig');
});

test('where there is nothing, or lamports alone, a token account can be made', () => {
  assert.equal(isVacant(null), true);
  assert.equal(isVacant(accountOf(systemProgram)), true);
  assert.equal(isVacant(accountOf(systemProgram, [0])), false);
  assert.equal(isVacant(accountOf(tokenProgram)), false);
});
