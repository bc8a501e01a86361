import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { Message, PublicKey, SystemProgram } from '@solana/web3.js';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, sol, toAddress } from '../../src/addresses/address.ts';
import { encodeBase58 } from '../../src/addresses/base58.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import { decideTransfer } from '../../src/decide/decide-transfer.ts';
import { validateTransferRequest } from '../../src/decide/validate-transfer-request.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { accountsToRead } from '../../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import {
  accountOf,
  clockAccount,
  freshWallet,
  goodInputs,
  memoOf,
  emptyAccountRent as minimum,
  multisigAccount,
  rentAccount,
  requestOf,
  tokenAccount,
  walletAccount,
} from '../fixtures.ts';

const [from, to, payer] = [freshWallet(), freshWallet(), freshWallet()];
const fee = 5_000n;
const request = requestOf({ from, to, mint: sol, amount: minimum });

function decide(asked: TransferRequest, accounts: Readonly<Record<Address, Account | null>>) {
  const read = new Map(accountsToRead(asked, undefined).map((address) => [address, accounts[address] ?? null]));
  read.set(rentSysvar, rentAccount).set(clockSysvar, clockAccount);
  const decision = decideTransfer(asked, { read, recentPrices: undefined, maxPriorityFee: 0n });
  return 'plan' in decision || 'findings' in decision ? decision : assert.fail('the wallets are enough');
}

function found(asked: TransferRequest, accounts: Readonly<Record<Address, Account | null>>): string[] {
  const decision = decide(asked, accounts);
  return 'plan' in decision ? [] : decision.findings.map(({ code, field }) => `${code} ${JSON.stringify(field)}`);
}

const rich = { [from]: walletAccount(10n ** 9n) };

describe('All SOL, "max",', () => {
  const all: TransferRequest = { ...request, amount: 'max' };
  const held = 3n * minimum;
  const sent = (asked: TransferRequest, accounts: Parameters<typeof decide>[1]): bigint | undefined => {
    const decision = decide(asked, accounts);
    assert.ok('plan' in decision, inspect(decision));
    assert.equal(decision.max?.left, 0n);
    return decision.plan.payments.at(-1)?.amount;
  };

  test('is what the fees, the splits and the tip leave', () => {
    const accounts = { [from]: walletAccount(held), [to]: walletAccount(minimum) };
    assert.equal(sent(all, accounts), held - fee);
    const tip = { account: to, lamports: 7n };
    assert.equal(sent({ ...all, tip, splits: [{ to, amount: 11n }] }, accounts), held - fee - 18n);
  });

  test('is all that the sender holds where another pays the fee', () => {
    const accounts = { [from]: walletAccount(7n), [to]: walletAccount(minimum), [payer]: walletAccount(held) };
    assert.equal(sent({ ...all, feePayer: payer }, accounts), 7n);
  });

  test('is refused where the fee is all there is, or leaves less than the fee payer must hold until the end', () => {
    for (const balance of [0n, fee, fee + 1n, fee + minimum - 1n]) {
      assert.ok(found(all, { [from]: walletAccount(balance) }).includes('insufficient_sol "from"'), `${balance}`);
    }
    assert.equal(sent(all, { [from]: walletAccount(fee + minimum) }), minimum);
  });
});

describe('SOL is refused', () => {
  test('where the sender would keep more than nothing and less than an account must hold', () => {
    const keeping = (left: bigint) => found(request, { [from]: walletAccount(minimum + fee + left) });
    assert.deepEqual([keeping(0n), keeping(minimum), keeping(10n ** 9n)], [[], [], []]);
    for (const left of [-1n, 1n, minimum - 1n]) assert.deepEqual(keeping(left), ['insufficient_sol "from"']);
  });

  test('where another wallet pays the fee, of either by itself', () => {
    const sponsored = { ...request, feePayer: payer };
    const of = (sent: bigint, paid: bigint) =>
      found(sponsored, { [from]: walletAccount(minimum + sent), [payer]: walletAccount(2n * fee + paid) });
    assert.deepEqual([of(0n, 0n), of(minimum, minimum)], [[], []]);
    assert.deepEqual(of(1n, minimum), ['insufficient_sol "from"']);
    assert.deepEqual(of(-1n, 1n), ['insufficient_sol "feePayer"', 'insufficient_sol "from"']);
  });

  test('where a recipient would hold less than an account must', () => {
    const paid = (amount: bigint, held: bigint) =>
      found({ ...request, amount }, { ...rich, [to]: held === 0n ? null : walletAccount(held) });
    assert.deepEqual([paid(minimum, 0n), paid(1n, minimum), paid(1n, minimum - 1n)], [[], [], []]);
    assert.deepEqual(paid(minimum - 1n, 0n), ['recipient_below_rent_minimum "to"']);
    assert.deepEqual(paid(1n, minimum - 2n), ['recipient_below_rent_minimum "to"']);
  });

  test('not where several payments together bring a recipient above that, or the fee payer is paid', () => {
    const half = minimum / 2n;
    assert.deepEqual(found({ ...request, amount: half, splits: [{ to, amount: half }] }, rich), []);
    const splits = [{ to: payer, amount: 1n }];
    const sponsored = { ...request, feePayer: payer, splits };
    assert.deepEqual(found(sponsored, { ...rich, [payer]: walletAccount(2n * fee + minimum) }), []);
    assert.deepEqual(found(sponsored, { ...rich, [payer]: walletAccount(2n * fee) }), ['insufficient_sol "feePayer"']);
  });

  test('for recipients that are no wallets, or that nobody has a key for', () => {
    const reserved = toAddress('Sysvar1nstructions1111111111111111111111111');
    assert.deepEqual(found({ ...request, to: reserved }, rich), ['recipient_is_reserved "to"']);
    const kinds: Readonly<Record<string, Account>> = {
      recipient_is_program: accountOf(systemProgram, [], true),
      recipient_is_token_account: tokenAccount(freshWallet(), freshWallet()),
      recipient_not_a_wallet: accountOf(freshWallet()),
    };
    for (const [code, account] of Object.entries(kinds)) {
      assert.deepEqual(found(request, { ...rich, [to]: account }), [`${code} "to"`]);
    }
    for (const account of [multisigAccount(tokenProgram), accountOf(systemProgram, new Uint8Array(80))]) {
      assert.deepEqual(found(request, { ...rich, [to]: account }), ['recipient_not_a_wallet "to"']);
    }
    const vault = findAssociatedTokenAddress({ owner: to, tokenProgram, mint: from }).address;
    assert.deepEqual(found({ ...request, to: vault }, rich), ['recipient_off_curve "to"']);
    assert.deepEqual(found({ ...request, to: vault, allowsOffCurveRecipient: true }, rich), []);
  });

  test('where its sender only signs and is no wallet, which for tokens would do', () => {
    const sponsored = { ...request, feePayer: payer };
    const accounts = { [from]: accountOf(freshWallet()), [payer]: walletAccount(10n ** 9n) };
    assert.deepEqual(found(sponsored, accounts), ['sender_not_a_wallet "from"']);
  });
});

describe('A tip', () => {
  const [account, lamports] = [freshWallet(), 200_000n];
  const tipped = { ...request, tip: { account, lamports } };
  const there = { ...rich, [account]: walletAccount(minimum) };

  test('is the last instruction, and paid by the fee payer, who must have it', () => {
    const sponsored = { ...tipped, feePayer: payer };
    const decided = decide(sponsored, { ...there, [payer]: walletAccount(minimum + 2n * fee + lamports) });
    assert.ok('plan' in decided);
    const message = Message.from(buildTransaction(decided.plan, freshWallet()).subarray(1 + 2 * 64));
    const last = message.instructions.at(-1);
    const [fromPubkey, toPubkey] = [new PublicKey(payer), new PublicKey(account)];
    const expected = SystemProgram.transfer({ fromPubkey, toPubkey, lamports });
    assert.equal(last?.data, encodeBase58(expected.data));
    assert.deepEqual(
      last?.accounts.map((index) => message.accountKeys[index]?.toBase58()),
      [payer, account],
    );
    const poor = { ...there, [payer]: walletAccount(minimum + 2n * fee + lamports - 1n) };
    assert.deepEqual(found(sponsored, poor), ['insufficient_sol "feePayer"']);
  });

  test('comes after the payments: to their sender, who must have them all, and may keep it alone', () => {
    const keeping = (left: bigint, lamports: bigint) =>
      found(
        { ...request, feePayer: payer, tip: { account: from, lamports } },
        { [from]: walletAccount(minimum + left), [payer]: walletAccount(10n ** 9n) },
      );
    assert.deepEqual([keeping(0n, minimum), keeping(1n, minimum - 1n)], [[], []]);
    assert.deepEqual(keeping(0n, minimum - 1n), ['insufficient_sol "from"']);
    assert.deepEqual(keeping(-1n, minimum + 1n), ['insufficient_sol "from"']);
  });

  test('goes only to an account that is there and can keep it', () => {
    const faultOf = (tip: Address, held: Account | null) => {
      const decision = decide({ ...request, tip: { account: tip, lamports } }, { ...rich, [tip]: held });
      const [finding] = 'plan' in decision ? [] : decision.findings;
      return finding?.code === 'tip_account_not_payable' ? finding.context.fault : finding?.code;
    };
    assert.equal(faultOf(account, walletAccount(minimum)), undefined);
    assert.equal(faultOf(account, accountOf(freshWallet(), new Uint8Array(8))), undefined);
    assert.equal(faultOf(account, null), 'not_found');
    assert.equal(faultOf(account, walletAccount(minimum - lamports - 1n)), 'below_minimum');
    assert.equal(faultOf(account, accountOf(systemProgram, [], true)), 'program');
    assert.equal(faultOf(account, tokenAccount(freshWallet(), freshWallet())), 'of_token_program');
    assert.equal(faultOf(toAddress('1nc1nerator11111111111111111111111111111111'), walletAccount(minimum)), 'reserved');
    assert.equal(faultOf(from, walletAccount(10n ** 9n)), 'payer');
  });
});

test('The transfer is the one of the System program, with its references, directly after its memo', () => {
  const reference = freshWallet();
  const decided = decide({ ...request, memo: memoOf('order 7'), references: [reference] }, rich);
  assert.ok('plan' in decided);
  const message = Message.from(buildTransaction(decided.plan, freshWallet()).subarray(65));
  const [memo, transfer, ...others] = message.instructions;
  assert.ok(memo && transfer && others.length === 0);
  const [fromPubkey, toPubkey] = [new PublicKey(from), new PublicKey(to)];
  const expected = SystemProgram.transfer({ fromPubkey, toPubkey, lamports: minimum });
  const keys = transfer.accounts.map((index) => message.accountKeys[index]?.toBase58());
  assert.deepEqual(keys, [from, to, reference]);
  assert.equal(message.accountKeys[transfer.programIdIndex]?.toBase58(), systemProgram);
  assert.equal(transfer.data, encodeBase58(expected.data));
});

test('SOL is a mint only where it is accepted, and in the default layout', () => {
  const codes = (more: object) =>
    validateTransferRequest({ ...goodInputs, mint: 'SOL', ...more }).findings.map(
      ({ code, field }) => `${code} ${field}`,
    );
  assert.deepEqual(codes({}), ['invalid_address mint']);
  assert.deepEqual(codes({ acceptsSol: true }), []);
  assert.deepEqual(codes({ acceptsSol: true, layout: 'mpp' }), ['layout_conflict mint']);
});
