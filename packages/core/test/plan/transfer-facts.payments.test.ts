import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadAccounts } from '../../src/accounts/account.ts';
import { decodeMint } from '../../src/accounts/token-state.ts';
import { payeesOf, readPayment } from '../../src/plan/transfer-facts.ts';
import { freshWallet, mintAccount, requestOf, tokenAccount, walletAccount } from '../chain-accounts.ts';

test('a payment of which the wallet or the token account was not read needs both, and one of which there is none does not', () => {
  const request = requestOf();
  const mint = decodeMint(mintAccount());
  assert.ok(mint);
  const address = freshWallet();
  const [payee] = payeesOf(request, request.amount);
  const readWith = (read: ReadAccounts) =>
    readPayment({ request, mint, senderTokenAccount: freshWallet() }, payee, { address, bump: 254 }, read);
  const wallet = [request.to, walletAccount(1n)] as const;
  const account = [address, tokenAccount(request.mint, request.to)] as const;
  for (const read of [[], [wallet], [account]]) {
    assert.deepEqual(readWith(new Map(read)), { needs: [request.to, address] });
  }
  const known = readWith(new Map([wallet, account]));
  assert.ok('tokenAccount' in known && known.tokenAccount.state?.owner === request.to);
  const absent = readWith(
    new Map([
      [request.to, null],
      [address, null],
    ]),
  );
  assert.partialDeepStrictEqual(absent, {
    wallet: { account: null },
    tokenAccount: { state: undefined, lamports: 0n },
  });
});
