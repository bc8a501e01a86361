import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { getNonceEncoder, NonceState, NonceVersion } from '@solana-program/system';
import fc from 'fast-check';
import type { Account } from '../../src/accounts/account.ts';
import { checkNonceAccount, readNonce } from '../../src/accounts/nonce-account.ts';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { isAddressOnCurve } from '../../src/addresses/known-addresses.ts';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { freshAddress, freshWallet } from '../fixtures.ts';
import { anyAddress } from '../random-plans.ts';

const at = freshAddress();
const sender = freshWallet();

interface NonceFields {
  version: NonceVersion;
  state: NonceState;
  authority: Address;
  nonce: Address;
}

/** A nonce account as the System program's own client encodes it. */
function nonceAccount(fields: Partial<NonceFields> = {}): Account {
  const { version, state, authority, nonce } = {
    version: NonceVersion.Current,
    state: NonceState.Initialized,
    authority: sender,
    nonce: freshAddress(),
    ...fields,
  };
  const data = getNonceEncoder().encode({
    version,
    state,
    authority: address(authority),
    blockhash: address(nonce),
    lamportsPerSignature: 5000n,
  });
  return { owner: systemProgram, lamports: 1_447_680n, data: Uint8Array.from(data), executable: false };
}

function refusalOf(account: Account | null): [code: string, context: object] {
  const judged = checkNonceAccount(at, account);
  if (!('finding' in judged)) assert.fail('it was not refused');
  assert.equal(judged.finding.field, 'nonceAccount');
  return [judged.finding.code, judged.finding.context];
}

test('The nonce and its authority are read as the System program writes them', () => {
  fc.assert(
    fc.property(anyAddress.filter(isAddressOnCurve), anyAddress, (authority, nonce) => {
      const judged = checkNonceAccount(at, nonceAccount({ authority, nonce }));
      assert.deepEqual(judged, { nonce: { account: at, authority, nonce } });
    }),
  );
});

test('An account that is absent, of another program or length, or not initialized is refused, and no nonce is read from it', () => {
  const { data, ...rest } = nonceAccount();
  const uninitialized = { nonceAccount: at, fault: 'not_initialized' };
  const notOne = (account: Account): [Account, string, object] => {
    const context = { program: account.owner, byteLength: account.data.length, expectedByteLength: 80 };
    return [account, 'not_a_nonce_account', { nonceAccount: at, ...context }];
  };
  for (const [account, ...refusal] of [
    [null, 'nonce_account_not_found', { nonceAccount: at }],
    notOne({ ...rest, data, owner: tokenProgram }),
    notOne({ ...rest, data: new Uint8Array() }),
    notOne({ ...rest, data: data.subarray(0, 79) }),
    notOne({ ...rest, data: Uint8Array.from([...data, 0]) }),
    [nonceAccount({ state: NonceState.Uninitialized }), 'nonce_account_not_initialized', uninitialized],
    [{ ...rest, data: new Uint8Array(80) }, 'nonce_account_not_initialized', uninitialized],
    [
      nonceAccount({ version: NonceVersion.Legacy }),
      'nonce_account_not_initialized',
      { nonceAccount: at, fault: 'old_version' },
    ],
  ] as const) {
    assert.deepEqual(refusalOf(account), refusal);
    assert.equal(readNonce(account), undefined);
  }
});

test('An authority for which no key can sign is refused', () => {
  const { address: authority } = findAssociatedTokenAddress({ owner: sender, tokenProgram, mint: at });
  assert.deepEqual(refusalOf(nonceAccount({ authority })), [
    'nonce_authority_not_a_signer',
    { nonceAccount: at, authority },
  ]);
});

test('The nonce of an account is read whoever signs', () => {
  const nonce = freshAddress();
  assert.equal(readNonce(nonceAccount({ nonce })), nonce);
});
