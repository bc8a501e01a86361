import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { getNonceEncoder, NonceState, NonceVersion } from '@solana-program/system';
import fc from 'fast-check';
import type { Account } from '../../src/core/account.ts';
import type { Address } from '../../src/core/address.ts';
import { judgeNonceAccount } from '../../src/core/nonce-account.ts';
import { systemProgram, tokenProgram } from '../../src/core/programs.ts';
import { anyAddress, freshAddress } from './random-plans.ts';

const at = freshAddress();
const sender = freshAddress();
const feePayer = freshAddress();

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

function refusalOf(account: Account | null, signers: readonly Address[] = [sender]): [code: string, detail: string] {
  const judged = judgeNonceAccount(at, account, signers);
  if (!('finding' in judged)) assert.fail('it was not refused');
  assert.equal(judged.finding.pointer, '/nonce_account');
  return [judged.finding.code, judged.finding.detail];
}

test('The nonce and its authority are read as the System program writes them', () => {
  fc.assert(
    fc.property(anyAddress, anyAddress, (authority, nonce) => {
      const judged = judgeNonceAccount(at, nonceAccount({ authority, nonce }), [feePayer, authority]);
      assert.deepEqual(judged, { nonce: { account: at, authority, nonce } });
    }),
  );
});

test('The authority is any one of the signers', () => {
  for (const authority of [feePayer, sender]) {
    assert.ok('nonce' in judgeNonceAccount(at, nonceAccount({ authority }), [feePayer, sender]));
  }
});

test('No account is no nonce account', () => {
  assert.deepEqual(refusalOf(null), [
    'nonce_account_not_found',
    `There is no account at ${at}. Create the nonce account first.`,
  ]);
});

test('An account of another program or of another length is no nonce account, whatever it holds', () => {
  const { data } = nonceAccount();
  const others: readonly Account[] = [
    { ...nonceAccount(), owner: tokenProgram },
    { ...nonceAccount(), data: new Uint8Array() },
    { ...nonceAccount(), data: data.subarray(0, 79) },
    { ...nonceAccount(), data: Uint8Array.from([...data, 0]) },
  ];
  for (const account of others) {
    const [code, detail] = refusalOf(account);
    assert.equal(code, 'not_a_nonce_account');
    assert.ok(detail.includes(`${at} is an account of the program ${account.owner} with ${account.data.length} bytes`));
  }
});

test('An account that is not initialized is told apart from one of an old version', () => {
  const uninitialized = nonceAccount({ state: NonceState.Uninitialized });
  assert.deepEqual(refusalOf(uninitialized), [
    'nonce_account_not_initialized',
    `The nonce account ${at} is not initialized. Initialize it first.`,
  ]);
  const zeros = { ...nonceAccount(), data: new Uint8Array(80) };
  assert.deepEqual(refusalOf(zeros), refusalOf(uninitialized));
  const [code, detail] = refusalOf(nonceAccount({ version: NonceVersion.Legacy }));
  assert.equal(code, 'nonce_account_not_initialized');
  assert.match(detail, /is of a version that no transaction may use any more\. Upgrade it first\.$/);
});

test('An authority that does not sign is named beside those who do', () => {
  const authority = freshAddress();
  for (const signers of [[sender], [feePayer, sender]]) {
    assert.deepEqual(refusalOf(nonceAccount({ authority }), signers), [
      'nonce_authority_not_a_signer',
      `The authority of the nonce account ${at} is ${authority}, who does not sign this transaction ` +
        `(${signers.join(' and ')} would). Use a nonce account of a signer.`,
    ]);
  }
});
