import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { AccountState } from '@solana-program/token';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram, tokenPrograms } from '../../src/addresses/programs.ts';
import {
  accountOf,
  contextIn,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  multisigAccount,
  requestOf,
  type Scene,
  strangeTokenAccounts,
  tokenAccount,
  tokenAccountsOf,
} from '../fixtures.ts';

const request = requestOf({ memo: memoOf('hello') });
const createRequest = requestOf({ createTokenAccount: 'always' });
const vault = toAddress(
  PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(freshWallet()))[0].toBase58(),
);

describe('a recipient that is not a wallet is refused by its kind', () => {
  test('a program, also of a token program', () => {
    for (const owner of [freshWallet(), tokenProgram]) {
      const recipient = accountOf(owner, mintAccount().data, true);
      assert.deepEqual(foundIn(request, { recipient }), ['recipient_is_program to']);
    }
  });

  test('a mint of either token program', () => {
    for (const program of [tokenProgram, token2022Program]) {
      const recipient = mintAccount({}, program);
      assert.deepEqual(foundIn(request, { recipient }), ['recipient_is_mint to']);
      assert.deepEqual(contextIn(request, { recipient }), { recipient: request.to, program });
    }
  });

  test('a token account, whose owner is named', () => {
    const owner = freshWallet();
    const recipient = tokenAccount(request.mint, owner);
    assert.deepEqual(foundIn(request, { recipient }), ['recipient_is_token_account to']);
    assert.partialDeepStrictEqual(contextIn(request, { recipient }), { recipient: request.to, owner });
  });

  test('a token account that is not initialized, which has no owner to name', () => {
    const recipient = accountOf(tokenProgram, new Uint8Array(165));
    assert.deepEqual(foundIn(request, { recipient }), ['recipient_is_token_account to']);
    assert.deepEqual(contextIn(request, { recipient }), {
      recipient: request.to,
      program: tokenProgram,
      owner: undefined,
    });
  });

  test('an account of any other program, unless its token account exists', () => {
    const recipient = accountOf(freshWallet(), new Uint8Array(82));
    const found = ['recipient_not_a_wallet to'];
    assert.deepEqual(foundIn(request, { recipient, recipientTokenAccount: null }), found);
    assert.deepEqual(foundIn(createRequest, { recipient, recipientTokenAccount: null }), found);
    assert.deepEqual(foundIn(request, { recipient }), []);
  });

  test('and nothing is said of its token account', () => {
    const scene: Scene = { recipient: mintAccount(), recipientTokenAccount: null };
    assert.deepEqual(foundIn(request, scene), ['recipient_is_mint to']);
  });
});

describe('a recipient off the curve', () => {
  const toVault = { ...request, to: vault };

  test('is refused, unless its token account exists and is not to be made', () => {
    const absent: Scene = { recipient: null, recipientTokenAccount: null };
    assert.deepEqual(foundIn(toVault, absent), ['recipient_off_curve to']);
    assert.deepEqual(foundIn({ ...createRequest, to: vault }, absent), ['recipient_off_curve to']);
    assert.deepEqual(foundIn({ ...createRequest, to: vault }, { recipient: null }), ['recipient_off_curve to']);
    assert.deepEqual(foundIn(toVault, { recipient: null }), []);
  });
});

describe('a multisig', () => {
  const mintOf = (program: Address): Account => mintAccount({}, program);

  test('of the token program of the mint is a wallet', () => {
    for (const program of tokenPrograms) {
      assert.deepEqual(foundIn(request, { mint: mintOf(program), recipient: multisigAccount(program) }), []);
    }
  });

  test('of the other token program is refused, whether it has a token account or not, and also without checks', () => {
    const unchecked = requestOf({ checks: 'none', createTokenAccount: 'if_missing' });
    for (const [program, other] of [tokenPrograms, tokenPrograms.toReversed()]) {
      assert.ok(program && other);
      const scene = { mint: mintOf(program), recipient: multisigAccount(other) };
      for (const asked of [request, createRequest, unchecked]) {
        assert.deepEqual(foundIn(asked, scene), ['recipient_multisig_of_other_program to']);
        const missing = { ...scene, recipientTokenAccount: null };
        assert.deepEqual(foundIn(asked, missing), ['recipient_multisig_of_other_program to']);
      }
      assert.deepEqual(contextIn(request, scene), {
        recipient: request.to,
        mint: request.mint,
        program: other,
        tokenProgram: program,
      });
    }
  });
});

test('a system account with data, such as a nonce account, is a wallet', () => {
  assert.deepEqual(foundIn(request, { recipient: accountOf(systemProgram, new Uint8Array(80)) }), []);
});

describe('the recipient’s token account', () => {
  const finding = (recipientTokenAccount: Account | null): string[] => foundIn(request, { recipientTokenAccount });

  test('that does not exist is refused with the operation that makes it, or made', () => {
    for (const absent of [null, accountOf(systemProgram)]) {
      assert.deepEqual(finding(absent), ['recipient_token_account_not_found to']);
    }
    assert.partialDeepStrictEqual(contextIn(request, { recipientTokenAccount: null }), {
      wallet: request.to,
      mint: request.mint,
      freezesNewAccounts: false,
    });
    assert.deepEqual(foundIn(createRequest, { recipientTokenAccount: null }), []);
  });

  test('that belongs to another owner is never paid', () => {
    const thief = freshWallet();
    const stolen = tokenAccount(request.mint, thief);
    assert.deepEqual(finding(stolen), ['recipient_token_account_not_owned to']);
    assert.partialDeepStrictEqual(contextIn(request, { recipientTokenAccount: stolen }), {
      fault: { kind: 'other_owner', owner: thief },
    });
    const found = foundIn(createRequest, { recipientTokenAccount: tokenAccount(createRequest.mint, thief) });
    assert.deepEqual(found, ['recipient_token_account_not_owned to']);
  });

  test('that is not of this mint, or in an unknown state, is not paid, with or without checks', () => {
    for (const recipientTokenAccount of strangeTokenAccounts(request.mint, request.to)) {
      assert.deepEqual(finding(recipientTokenAccount), ['recipient_token_account_not_owned to']);
      const scene: Scene = { recipientTokenAccount };
      assert.partialDeepStrictEqual(contextIn(request, scene), {
        fault: { kind: 'not_a_token_account', program: recipientTokenAccount.owner },
      });
      for (const asked of [request, { ...request, createTokenAccount: 'always', memo: undefined } as const]) {
        const found = foundIn({ ...asked, checks: 'none' }, scene);
        assert.deepEqual(found, ['recipient_token_account_not_owned to']);
      }
    }
  });

  test('that is frozen', () => {
    const frozen = tokenAccount(request.mint, request.to, { state: AccountState.Frozen });
    assert.deepEqual(finding(frozen), ['recipient_token_account_frozen to']);
  });

  test('that would be frozen from the start', () => {
    const mint = mintAccount({ extensions: [extension('DefaultAccountState', { state: AccountState.Frozen })] });
    const scene: Scene = { mint, recipientTokenAccount: null };
    assert.deepEqual(foundIn(createRequest, scene), ['new_token_account_would_be_frozen to']);
    assert.deepEqual(foundIn(request, scene), ['recipient_token_account_not_found to']);
  });

  test('that demands a memo gets one, or the transfer is refused', () => {
    const mint = mintAccount({}, token2022Program);
    const demanding = (required: boolean): Account | null =>
      tokenAccount(createRequest.mint, createRequest.to, {
        extensions: [extension('MemoTransfer', { requireIncomingTransferMemos: required })],
      });
    const found = ['recipient_requires_memo to'];
    assert.deepEqual(foundIn(createRequest, { mint, recipientTokenAccount: demanding(true) }), found);
    assert.deepEqual(foundIn(createRequest, { mint, recipientTokenAccount: demanding(false) }), []);
    const withMemo = { ...createRequest, memo: memoOf('hello'), createTokenAccount: 'never' } as const;
    assert.deepEqual(foundIn(withMemo, { mint, recipientTokenAccount: demanding(true) }), []);
  });
});

const plainRequest = requestOf();
const balance = new Uint8Array(64).fill(1);

/** A scene whose recipient takes transfers in the open, or confidential ones alone. */
function sceneWith(allowNonConfidentialCredits: boolean) {
  const confidential = extension('ConfidentialTransferAccount', {
    approved: true,
    elgamalPubkey: address(plainRequest.to),
    pendingBalanceLow: balance,
    pendingBalanceHigh: balance,
    availableBalance: balance,
    decryptableAvailableBalance: new Uint8Array(36).fill(1),
    allowConfidentialCredits: true,
    allowNonConfidentialCredits,
    pendingBalanceCreditCounter: 0n,
    maximumPendingBalanceCreditCounter: 1n,
    expectedPendingBalanceCreditCounter: 1n,
    actualPendingBalanceCreditCounter: 1n,
  });
  const recipientTokenAccount = tokenAccount(plainRequest.mint, plainRequest.to, { extensions: [confidential] });
  return { mint: mintAccount({}, token2022Program), recipientTokenAccount };
}

test('a recipient that takes confidential transfers only is not paid in the open', () => {
  assert.deepEqual(foundIn(plainRequest, sceneWith(true)), []);
  assert.deepEqual(foundIn(plainRequest, sceneWith(false)), ['recipient_refuses_public_credits to']);
  assert.deepEqual(contextIn(plainRequest, sceneWith(false)), {
    wallet: plainRequest.to,
    mint: plainRequest.mint,
    tokenAccount: tokenAccountsOf(plainRequest, token2022Program).recipient,
  });
});
