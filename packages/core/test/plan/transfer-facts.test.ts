import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { address } from '@solana/kit';
import { AccountState, extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress, findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { systemProgram, token2022Program, tokenAclProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { accountsToRead, decodeFacts, deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { DecimalAmount } from '../../src/request/amount.ts';
import type { PaymentsRequest } from '../../src/request/transfer-request.ts';
import { batchRequestOf, factsIn } from '../batch/batch-scene.ts';
import { accountOf, clockAccount, freshAddress, memoOf, mintAccount, rentAccount, requestOf } from '../fixtures.ts';

const [one, other, nonceAccount, feePayer] = [freshAddress(), freshAddress(), freshAddress(), freshAddress()];
const single = requestOf({
  splits: [
    { to: one, amount: 1n },
    { to: other, amount: 2n },
  ],
});
// The second recipient is paid twice.
const batch = batchRequestOf([{ to: one }, { to: other }, { to: other }], { feePayer, nonceAccount });

const accountsUnder = (program: Address, mint: Address, ...owners: readonly Address[]) =>
  owners.map((owner) => findAssociatedTokenAddress({ owner, mint, tokenProgram: program }));

/** What is needed of a request of which nothing was read. */
function neededOf(request: PaymentsRequest): readonly Address[] {
  const facts = decodeFacts(request, new Map());
  return 'needs' in facts ? facts.needs : [];
}

describe('the accounts of a request', () => {
  it('are those of its sender and of each payment, in their order', () => {
    for (const program of [tokenProgram, token2022Program]) {
      const [sender, ...recipients] = accountsUnder(program, single.mint, single.from, single.to, one, other);
      assert.deepEqual(deriveTokenAccounts(single, program), { sender, recipients });
      const ofBatch = accountsUnder(program, batch.mint, batch.from, one, other, other);
      const derived = deriveTokenAccounts(batch, program);
      assert.deepEqual([derived.sender, ...derived.recipients], ofBatch);
    }
  });

  it('without which nothing is decided are the mint, the sysvars and every wallet once', () => {
    const { from, mint, to } = single;
    assert.deepEqual(neededOf(single), [mint, from, rentSysvar, clockSysvar, to, one, other]);
    const always = [batch.mint, batch.from, feePayer, rentSysvar, clockSysvar];
    assert.deepEqual(neededOf(batch), [...always, nonceAccount, one, other]);
  });

  it('are read under both token programs while the mint is not known, and then under its own, with its hook', () => {
    const wallets = neededOf(batch);
    const under = (program: Address) =>
      accountsUnder(program, batch.mint, batch.from, one, other).map(({ address }) => address);
    assert.deepEqual(accountsToRead(batch, undefined), [
      ...wallets,
      ...under(tokenProgram),
      ...under(token2022Program),
    ]);
    const plain = { tokenProgram, transferHookProgram: undefined };
    assert.deepEqual(accountsToRead(batch, plain), [...wallets, ...under(tokenProgram)]);
    const hook = freshAddress();
    assert.deepEqual(accountsToRead(batch, { tokenProgram: token2022Program, transferHookProgram: hook }), [
      ...wallets,
      ...under(token2022Program),
      hook,
      hookValidationAddress(batch.mint, hook),
    ]);
  });
});

function paymentsWith(amounts: readonly (bigint | DecimalAmount)[]) {
  const request = batchRequestOf(amounts.map((amount) => ({ amount, memo: memoOf('its own'), references: [one] })));
  const facts = decodeFacts(request, factsIn(request).read);
  assert.ok('payments' in facts && facts.mint);
  for (const [index, { to, field, memo, references }] of facts.payments.entries()) {
    assert.deepEqual([to, field], [request.transfers[index]?.to, { transfer: index, part: 'to' }]);
    assert.deepEqual([memo?.text, references], ['its own', [one]]);
  }
  return facts.payments.map(({ amount, amountFault }) => amountFault ?? amount);
}

test('the base units of a payment are those that are given, or those of a decimal amount in the mint', () => {
  const oneAndAHalf = { digits: 15n, fractionDigits: 1 };
  const finer = { digits: 1n, fractionDigits: 7 };
  const tooLarge = { digits: 10n ** 19n, fractionDigits: 0 };
  assert.deepEqual(paymentsWith([7n, oneAndAHalf, finer, tooLarge]), [
    7n,
    1_500_000n,
    { kind: 'too_many_digits', fractionDigits: 7 },
    { kind: 'too_large', max: 2n ** 64n - 1n },
  ]);
});

test('an account that was not read is needed, and one of which there is none is not', () => {
  const request = batchRequestOf([{ to: one }, { to: other }], { nonceAccount });
  const { read } = factsIn(request, { others: [[nonceAccount, null]] });
  for (const unread of accountsToRead(request, { tokenProgram, transferHookProgram: undefined })) {
    const known = new Map(read);
    known.delete(unread);
    assert.deepEqual(decodeFacts(request, known), { needs: [unread] });
  }
  const absent = decodeFacts(request, new Map([...read, [one, null]]));
  assert.ok('payments' in absent);
  assert.equal(absent.clock.epoch, 700n);
  assert.equal(absent.payments[0]?.wallet.account, null);
});

test('a nonce that can be used is that of its account, and one of the same size stands in for another', () => {
  const request = batchRequestOf([{}], { nonceAccount });
  const nonce = freshAddress();
  // Version and state, the authority, the nonce, and what a signature cost.
  const data = [1, 0, 0, 0, 1, 0, 0, 0, ...addressToBytes(request.from), ...addressToBytes(nonce), ...Array(8).fill(0)];
  const factsWith = (account: Account | null) =>
    decodeFacts(request, factsIn(request, { others: [[nonceAccount, account]] }).read);
  const [usable, missing] = [factsWith(accountOf(systemProgram, data)), factsWith(null)];
  assert.ok('nonce' in usable && 'nonce' in missing);
  const { from: authority } = request;
  assert.deepEqual([usable.nonce, usable.nonceFinding], [{ account: nonceAccount, authority, nonce }, undefined]);
  assert.deepEqual(missing.nonce, { account: nonceAccount, authority, nonce: systemProgram });
  assert.equal(missing.nonceFinding?.code, 'nonce_account_not_found');
});

test('of a mint that freezes new accounts it is read who may thaw them, for a single transfer alone', () => {
  const [request, ofBatch] = [requestOf({ createTokenAccount: 'if_missing' }), batchRequestOf([{ to: one }])];
  const frozen = extension('DefaultAccountState', { state: AccountState.Frozen });
  const configurationOf = (mint: Address) =>
    findProgramDerivedAddress(tokenAclProgram, [Buffer.from('MINT_CONFIG'), addressToBytes(mint)]).address;
  const factsOf = (asked: PaymentsRequest, mint: Address, ...others: readonly (readonly [Address, null])[]) => {
    const account = mintAccount({ freezeAuthority: address(configurationOf(mint)), extensions: [frozen] });
    const known = accountsToRead(asked, { tokenProgram: token2022Program, transferHookProgram: undefined });
    const absent = known.map((each): [Address, Account | null] => [each, null]);
    const sysvars = [
      [rentSysvar, rentAccount],
      [clockSysvar, clockAccount],
    ] as const;
    return decodeFacts(asked, new Map<Address, Account | null>([...absent, ...sysvars, [mint, account], ...others]));
  };
  const needed = factsOf(request, request.mint);
  assert.ok('needs' in needed && needed.needs.length === 2 && needed.needs[0] === configurationOf(request.mint));
  const read = factsOf(request, request.mint, ...needed.needs.map((each): [Address, null] => [each, null]));
  assert.ok('payments' in read && read.payments.length === 1);
  assert.ok('payments' in factsOf(ofBatch, ofBatch.mint));
});
