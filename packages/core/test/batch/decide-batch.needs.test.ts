import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../src/addresses/derived-addresses.ts';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { batchTokenAccountsOf, deriveBatchTokenAccounts } from '../../src/batch/batch-facts.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { accountOf, freshWallet, mintAccount, walletAccount } from '../chain-accounts.ts';
import { hookEntry, hookListOf } from '../hook-lists.ts';
import { memoOf } from '../random-plans.ts';
import { type BatchScene, batchRequestOf, decideBatchIn, findingsIn, foundIn } from './batch-scene.ts';

const [one, other] = [freshWallet(), freshWallet()];
const request = batchRequestOf([{ to: one }, { to: other }], { feePayer: freshWallet() });
const { mint, from, feePayer } = request;

describe('what must be read before a batch is decided', () => {
  it('is whatever was not read of the mint, the wallets, the sysvars and the nonce account', async () => {
    const nonceAccount = freshWallet();
    const withNonce = { ...request, nonceAccount };
    const others = [[nonceAccount, walletAccount(1n)]] as const;
    for (const unread of [mint, from, feePayer, rentSysvar, clockSysvar, nonceAccount, one, other]) {
      assert.deepEqual(await decideBatchIn(withNonce, { others, unread: [unread] }), { needs: [unread] });
    }
    assert.deepEqual(await decideBatchIn(request, { unread: [other, mint] }), { needs: [mint, other] });
  });

  it('is nothing that helps where there is no such sysvar', async () => {
    for (const sysvar of [rentSysvar, clockSysvar]) {
      assert.deepEqual(await decideBatchIn(request, { others: [[sysvar, null]] }), { needs: [] });
    }
  });

  it('is then each token account that was not read', async () => {
    const accounts = batchTokenAccountsOf(deriveBatchTokenAccounts(request, tokenProgram));
    assert.equal(accounts.length, 3);
    for (const unread of accounts) {
      assert.deepEqual(await decideBatchIn(request, { unread: [unread] }), { needs: [unread] });
    }
    assert.deepEqual(await decideBatchIn(request, { unread: accounts.toReversed() }), { needs: accounts });
  });

  it('is the accounts of the hook for every transfer, each once', async () => {
    const hookProgram = freshWallet();
    // The first account is derived from the wallet that is paid; the address of the second stands in the data of the first.
    const list = hookListOf(hookEntry([1, 4, 2, 32, 32]), hookEntry([2, 2, 5, 0]));
    const [ofOne, ofOther] = [one, other].map(
      (owner) => findProgramDerivedAddress(hookProgram, [addressToBytes(owner)]).address,
    );
    assert.ok(ofOne && ofOther);
    const hooked = mintAccount({
      extensions: [extension('TransferHook', { authority: address(systemProgram), programId: address(hookProgram) })],
    });
    const sceneWith = (...read: readonly (readonly [Address, Account | null])[]): BatchScene => ({
      mint: hooked,
      others: [
        [hookProgram, accountOf(freshWallet(), [], true)],
        [hookValidationAddress(mint, hookProgram), accountOf(hookProgram, list)],
        ...read,
      ],
    });
    const twice = { ...request, transfers: [...request.transfers, ...request.transfers] };
    assert.deepEqual(await decideBatchIn(twice, sceneWith()), { needs: [ofOne, ofOther] });
    const pointing = accountOf(hookProgram, addressToBytes(freshWallet()));
    assert.deepEqual(await decideBatchIn(request, sceneWith([ofOne, pointing])), { needs: [ofOther] });
    assert.deepEqual(await findingsIn(request, sceneWith([ofOne, pointing], [ofOther, pointing])), []);
    assert.deepEqual(await findingsIn(request, sceneWith([ofOne, pointing], [ofOther, null])), [
      {
        code: 'transfer_hook_unresolvable',
        field: { transfer: 1, part: 'to' },
        context: { mint, fault: { kind: 'account_not_found', account: ofOther } },
      },
    ]);
  });

  it('is, for a level of priority fees, what others paid for the accounts that are written, of which 64 are asked for', async () => {
    const asked = { ...request, priorityFee: { level: 'low' } } as const;
    const accounts = batchTokenAccountsOf(deriveBatchTokenAccounts(request, tokenProgram));
    assert.deepEqual(await decideBatchIn(asked), { needsPricesFor: [feePayer, ...accounts] });
    assert.ok('transactions' in (await decideBatchIn(asked, { facts: { recentPrices: [] } })));
    const many = batchRequestOf(
      Array.from({ length: 70 }, () => ({})),
      { priorityFee: { level: 'low' } },
    );
    const all = [many.feePayer, ...batchTokenAccountsOf(deriveBatchTokenAccounts(many, tokenProgram))];
    assert.equal(all.length, 72);
    assert.deepEqual(await decideBatchIn(many), { needsPricesFor: all.slice(0, 64) });
  });

  it('is those prices also where a transfer fits into no transaction', async () => {
    const asked = batchRequestOf([{}, { memo: memoOf('a'.repeat(1_200)) }], { priorityFee: { level: 'low' } });
    assert.ok('needsPricesFor' in (await decideBatchIn(asked)));
    assert.deepEqual(await foundIn(asked, { facts: { recentPrices: [] } }), [
      ['transaction_too_large', { transfer: 1, part: 'memo' }],
    ]);
  });
});
