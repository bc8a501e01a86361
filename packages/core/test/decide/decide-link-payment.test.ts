import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { metaplexMetadataAddress } from '../../src/accounts/token-metadata.ts';
import type { Address } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { memoRoom } from '../../src/decide/check-memo.ts';
import {
  decideLinkPayment,
  type LinkPaymentDecision,
  type WantedPayment,
} from '../../src/decide/decide-link-payment.ts';
import type { Warning } from '../../src/findings/warning.ts';
import {
  accountOf,
  clockAccount,
  codesOf,
  demandingMemos,
  feeMint,
  freshWallet,
  memoOf,
  mintAccount,
  multisigAccount,
  rentAccount,
  requestOf,
  type Scene,
  tokenAccount,
  walletAccount,
} from '../fixtures.ts';
import { hookEntry, hookScene, literalEntry } from '../hooks.ts';

function wantedWith(parts: Partial<WantedPayment> = {}): WantedPayment {
  return {
    to: freshWallet(),
    mint: freshWallet(),
    minAmount: 2n ** 64n - 1n,
    amount: 2n ** 64n - 1n,
    memo: undefined,
    references: [freshWallet()],
    allowsOffCurveRecipient: false,
    ...parts,
  };
}

const usual = (account: Account | null | undefined, otherwise: Account): Account | null =>
  account === undefined ? otherwise : account;

/** Decides in a scene, reading what is asked for, until nothing more is; what a scene leaves out is as it must be. */
function decideLinkPaymentIn(
  wanted: WantedPayment,
  scene: Scene = {},
): { decision: LinkPaymentDecision; reads: Address[][] } {
  const mint = usual(scene.mint, mintAccount());
  const program = mint?.owner === token2022Program ? token2022Program : tokenProgram;
  const { address: ata } = findAssociatedTokenAddress({ owner: wanted.to, tokenProgram: program, mint: wanted.mint });
  const chain = new Map<Address, Account | null>([
    [rentSysvar, rentAccount],
    [clockSysvar, clockAccount],
    [wanted.mint, mint],
    [wanted.to, usual(scene.recipient, walletAccount(1n))],
    [ata, usual(scene.recipientTokenAccount, tokenAccount(wanted.mint, wanted.to, {}, program))],
    ...(scene.others ?? []),
  ]);
  const read = new Map<Address, Account | null>();
  const reads: Address[][] = [];
  for (;;) {
    const decision = decideLinkPayment(wanted, read);
    if (!('needs' in decision)) return { decision, reads };
    assert.ok(
      decision.needs.length > 0 && decision.needs.every((each) => !read.has(each)),
      'it asks for something new',
    );
    reads.push([...decision.needs]);
    for (const each of decision.needs) read.set(each, chain.get(each) ?? null);
  }
}

function payeeFoundIn(wanted: WantedPayment, scene: Scene = {}): string[] {
  const { decision } = decideLinkPaymentIn(wanted, scene);
  return 'findings' in decision ? decision.findings.map(({ code, field }) => `${code} ${String(field)}`) : [];
}

const hookProgram = freshWallet();

describe('a payment by somebody who is not known yet', () => {
  test('is possible where a payer has enough of everything, whether its token account is there or not', () => {
    for (const [mint, program] of [
      [mintAccount(), tokenProgram],
      [mintAccount({ extensions: [] }), token2022Program],
    ] as const) {
      for (const recipient of [undefined, null]) {
        const wanted = wantedWith({ memo: memoOf('order 7') });
        const { decision } = decideLinkPaymentIn(wanted, {
          mint,
          recipientTokenAccount: null,
          ...(recipient === null && { recipient }),
        });
        assert.ok('mint' in decision);
        assert.equal(decision.mint.tokenProgram, program);
        const expected = findAssociatedTokenAddress({ owner: wanted.to, tokenProgram: program, mint: wanted.mint });
        assert.equal(decision.tokenAccount, expected.address);
      }
    }
  });

  test('tells its maker of a recipient that was never used, or whose account somebody else may empty', () => {
    const wanted = wantedWith();
    const warningsIn = (scene: Scene): readonly Warning[] => {
      const { decision } = decideLinkPaymentIn(wanted, scene);
      assert.ok('mint' in decision);
      return decision.warnings;
    };
    assert.deepEqual(warningsIn({ recipient: null, recipientTokenAccount: null }), [
      { code: 'recipient_never_used', context: { recipients: [wanted.to], offCurve: [] } },
    ]);
    assert.deepEqual(warningsIn({ recipientTokenAccount: null }), []);
    const delegated = { delegate: address(freshWallet()), delegatedAmount: 3n };
    const recipientTokenAccount = tokenAccount(wanted.mint, wanted.to, delegated);
    assert.deepEqual(codesOf(warningsIn({ recipientTokenAccount })), ['recipient_delegate']);
  });

  test('is decided from one reading, in which no payer is looked for', () => {
    const wanted = wantedWith();
    const { reads } = decideLinkPaymentIn(wanted);
    const [first, ...others] = reads;
    assert.deepEqual(others, []);
    const tokenAccounts = [tokenProgram, token2022Program].map(
      (program) => findAssociatedTokenAddress({ owner: wanted.to, tokenProgram: program, mint: wanted.mint }).address,
    );
    const expected = [wanted.mint, wanted.to, rentSysvar, clockSysvar, ...tokenAccounts];
    assert.deepEqual(new Set(first), new Set([...expected, metaplexMetadataAddress(wanted.mint)]));
  });

  test('of a decimal number of tokens has the base units of its mint, and none where the mint has fewer decimals', () => {
    const amount = { digits: 15n, fractionDigits: 1 };
    const { decision } = decideLinkPaymentIn(wantedWith({ minAmount: amount, amount }), {
      mint: mintAccount({ decimals: 6 }),
    });
    assert.ok('mint' in decision);
    assert.deepEqual([decision.minAmount, decision.amount], [1_500_000n, 1_500_000n]);
    const scene = { mint: mintAccount({ decimals: 0 }) };
    const found = payeeFoundIn(wantedWith({ minAmount: amount, amount }), scene);
    assert.deepEqual(found, ['amount_not_representable amountDecimal']);
  });

  test('is refused for what no payer can change, by the codes of transfers', () => {
    const to = freshWallet();
    const mint = freshWallet();
    const frozen = tokenAccount(mint, to, { state: 2 });
    const demanding = tokenAccount(mint, to, demandingMemos);
    const paused = mintAccount({ extensions: [extension('PausableConfig', { authority: null, paused: true })] });
    const freezing = mintAccount({ extensions: [extension('DefaultAccountState', { state: 2 })] });
    const cases: readonly (readonly [Scene, string])[] = [
      [{ mint: null }, 'mint_not_found mint'],
      [{ mint: walletAccount(1n) }, 'not_a_mint mint'],
      [{ mint: paused }, 'mint_paused mint'],
      [{ mint: mintAccount({ extensions: [{ __kind: 'NonTransferable' }] }) }, 'mint_non_transferable mint'],
      [{ mint: freezing, recipientTokenAccount: null }, 'new_token_account_would_be_frozen to'],
      [{ recipient: mintAccount() }, 'recipient_is_mint to'],
      [{ recipient: tokenAccount(mint, to) }, 'recipient_is_token_account to'],
      [{ recipient: accountOf(freshWallet(), [], true) }, 'recipient_is_program to'],
      [{ recipient: accountOf(freshWallet(), [1]), recipientTokenAccount: null }, 'recipient_not_a_wallet to'],
      [{ recipientTokenAccount: frozen }, 'recipient_token_account_frozen to'],
      [{ recipientTokenAccount: tokenAccount(mint, freshWallet()) }, 'recipient_token_account_not_owned to'],
      [{ mint: mintAccount({ extensions: [] }), recipientTokenAccount: demanding }, 'recipient_requires_memo to'],
    ];
    for (const [scene, expected] of cases) {
      assert.deepEqual(payeeFoundIn(wantedWith({ to, mint }), scene), [expected]);
    }
    assert.deepEqual(payeeFoundIn(wantedWith(), { recipient: multisigAccount(tokenProgram) }), []);
    assert.deepEqual(payeeFoundIn(wantedWith(), { recipient: multisigAccount(token2022Program) }), [
      'recipient_multisig_of_other_program to',
    ]);
  });

  test('is refused to an address off the curve, unless it is allowed', () => {
    const { address: to } = findAssociatedTokenAddress({ owner: freshWallet(), tokenProgram, mint: freshWallet() });
    const scene = { recipient: null, recipientTokenAccount: null };
    assert.deepEqual(payeeFoundIn(wantedWith({ to }), scene), ['recipient_off_curve to']);
    assert.deepEqual(payeeFoundIn(wantedWith({ to, allowsOffCurveRecipient: true }), scene), []);
  });

  test('says everything that is wrong at once', () => {
    const { address: to } = findAssociatedTokenAddress({ owner: freshWallet(), tokenProgram, mint: freshWallet() });
    const wanted = wantedWith({ to, memo: memoOf('x'.repeat(1200)) });
    const mint = mintAccount({ extensions: [{ __kind: 'NonTransferable' }] });
    assert.deepEqual(payeeFoundIn(wanted, { mint, recipient: null, recipientTokenAccount: null }), [
      'memo_too_long memo',
      'mint_non_transferable mint',
      'recipient_off_curve to',
    ]);
  });

  test('has a memo for which there is room when the token account must be created, though it is there now', () => {
    // Exactly the memos that fit into a payer's transaction.
    const asked = requestOf({ references: [freshWallet()], createTokenAccount: 'always' });
    const room = memoRoom(asked, false);
    for (const scene of [{}, { recipientTokenAccount: null }]) {
      const found = (length: number) => payeeFoundIn(wantedWith({ memo: memoOf('x'.repeat(length)) }), scene);
      assert.deepEqual([found(room), found(room + 1)], [[], ['memo_too_long memo']]);
    }
  });

  test('in a mint with a hook is refused where the hook itself is broken, not for what depends on the payer', () => {
    const wanted = wantedWith();
    const { mint } = wanted;
    assert.deepEqual(payeeFoundIn(wanted, hookScene(mint, hookProgram, null)), ['transfer_hook_unresolvable mint']);
    const listed = (...entries: readonly number[][]) => hookScene(mint, hookProgram, entries);
    assert.deepEqual(payeeFoundIn(wanted, listed()), []);
    // Data of an account that is derived from the sender: there for those who are allowed.
    const ofSender = hookEntry([1, 3, 3]);
    const byItsData = hookEntry([1, 4, 5, 0, 1]);
    assert.deepEqual(payeeFoundIn(wanted, listed(ofSender, byItsData)), []);
    assert.deepEqual(payeeFoundIn(wanted, listed(...Array.from({ length: 40 }, () => literalEntry(freshWallet())))), [
      'transfer_hook_unresolvable mint',
    ]);
  });
});

describe('a payment in a mint with a transfer fee', () => {
  test('has the fee in force, and the one that its schedule has next', () => {
    const feesOf = (mint: Account): unknown => {
      const { decision } = decideLinkPaymentIn(wantedWith(), { mint });
      assert.ok('mint' in decision);
      return decision.transferFees.map(({ basisPoints }) => basisPoints);
    };
    assert.deepEqual(feesOf(feeMint(269)), [269]);
    assert.deepEqual(feesOf(feeMint(269, 500)), [269, 500]);
    assert.deepEqual(feesOf(feeMint(0)), []);
    assert.deepEqual(feesOf(mintAccount()), []);
  });

  test('is refused where nothing of the least amount would arrive, by the fee of now or the next one', () => {
    const fixed = wantedWith({ minAmount: 1n, amount: 1n });
    assert.deepEqual(payeeFoundIn(fixed, { mint: feeMint(269) }), ['nothing_received amount']);
    assert.deepEqual(payeeFoundIn(fixed, { mint: feeMint(0, 269) }), ['nothing_received amount']);
    assert.deepEqual(payeeFoundIn({ ...fixed, amount: 9n }, { mint: feeMint(269) }), ['nothing_received amountMin']);
    assert.deepEqual(payeeFoundIn({ ...fixed, amount: 2n, minAmount: 2n }, { mint: feeMint(269) }), []);
    const whole = wantedWith();
    assert.deepEqual(payeeFoundIn(whole, { mint: feeMint(10_000) }), ['nothing_received amount']);
    assert.deepEqual(payeeFoundIn(whole, { mint: feeMint(10_000, 10_000, { maximumFee: 5n }) }), []);
    const all = { ...wantedWith({ minAmount: 1n }), to: whole.mint };
    assert.ok(payeeFoundIn(all, { mint: feeMint(269) }).includes('nothing_received amountMin'));
  });
});
