import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccountState, extension } from '@solana-program/token-2022';
import type { Address } from '../../src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  estimateComputeUnits,
  highestPrice,
  maxComputeUnits,
  measuredComputeUnits,
} from '../../src/plan/compute-budget.ts';
import { neverUsedIn } from '../../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import {
  contextIn,
  decidedIn,
  decideIn,
  demandingMemos,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  recipientOf,
  requestOf,
  type Scene,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';
import { hookEntry, hookScene, literalEntry } from '../hooks.ts';

const request = requestOf({ memo: memoOf('hello') });
const createRequest = requestOf({ createTokenAccount: 'always' });
const paused = extension('PausableConfig', { authority: null, paused: true });

describe('a transfer that would land is planned', () => {
  test('with the mint’s own decimals and token program', () => {
    for (const [program, decimals] of [
      [tokenProgram, 6],
      [token2022Program, 0],
      [token2022Program, 255],
    ] as const) {
      const { plan } = decidedIn(request, { mint: mintAccount({ decimals }, program) });
      assert.deepEqual([plan.tokenProgram, plan.decimals, recipientOf(plan).amount], [program, decimals, 1_500_000n]);
      assert.deepEqual([recipientOf(plan).memo, recipientOf(plan).createsRecipientTokenAccount], [request.memo, false]);
    }
  });

  test('to a wallet that was never funded', () => {
    assert.deepEqual(foundIn(request, { recipient: null }), []);
  });

  test('naming the recipients of whom the chain has neither a wallet nor a token account, each once', () => {
    const { to } = createRequest;
    const neverUsed = (scene: Scene, asked = createRequest): readonly Address[] =>
      neverUsedIn(decidedIn(asked, scene).payments);
    assert.deepEqual(neverUsed({ recipient: null, recipientTokenAccount: null }), [to]);
    // Whoever sends lamports to the address of a token account proves nothing of the wallet.
    assert.deepEqual(neverUsed({ recipient: null, recipientTokenAccount: walletAccount(1n) }), [to]);
    assert.deepEqual(neverUsed({ recipient: null }), []);
    assert.deepEqual(neverUsed({ recipientTokenAccount: null }), []);

    const [known, unknown] = [freshWallet(), freshWallet()];
    const splits = [known, unknown, to, unknown].map((each) => ({ to: each, amount: 1n, memo: undefined }));
    const split = { ...createRequest, splits };
    const pair = tokenAccountsOf(split, tokenProgram);
    const ofUnknown = pair.splits[1]?.address;
    assert.ok(ofUnknown);
    const others = [
      [unknown, null],
      [ofUnknown, null],
    ] as const;
    assert.deepEqual(neverUsed({ recipient: null, recipientTokenAccount: null, others }, split), [to, unknown]);
    assert.deepEqual(neverUsed({ others }, split), [unknown]);
  });
});

describe('the mint', () => {
  test('that does not exist', () => {
    assert.deepEqual(foundIn(request, { mint: null }), ['mint_not_found mint']);
  });

  test('that is something else of a token program', () => {
    const mint = mintAccount({ isInitialized: false });
    assert.deepEqual(foundIn(request, { mint }), ['not_a_mint mint']);
    assert.deepEqual(contextIn(request, { mint }), { mint: request.mint, program: mint.owner });
  });

  test('of Token-2022 that is paused', () => {
    assert.deepEqual(foundIn(request, { mint: mintAccount({ extensions: [paused] }) }), ['mint_paused mint']);
    const resumed = extension('PausableConfig', { authority: null, paused: false });
    assert.deepEqual(foundIn(request, { mint: mintAccount({ extensions: [resumed] }) }), []);
  });
});

describe('several findings', () => {
  test('come all at once, in a fixed order', () => {
    const scene: Scene = {
      mint: mintAccount({ extensions: [paused, { __kind: 'NonTransferable' }] }),
      sender: walletAccount(0n),
      senderTokenAccount: tokenAccount(
        request.mint,
        freshWallet(),
        { amount: 0n, state: AccountState.Frozen },
        token2022Program,
      ),
      recipientTokenAccount: tokenAccount(
        request.mint,
        freshWallet(),
        { state: AccountState.Frozen },
        token2022Program,
      ),
    };
    assert.deepEqual(foundIn(request, scene), [
      'mint_paused mint',
      'mint_non_transferable mint',
      'sender_token_account_not_owned from',
      'sender_token_account_frozen from',
      'insufficient_token_balance amount',
      'insufficient_sol from',
      'recipient_token_account_not_owned to',
      'recipient_token_account_frozen to',
    ]);
  });

  test('name next to an absent mint whatever is wrong with any mint', () => {
    const nonceAccount = freshWallet();
    const demanding: TransferRequest = {
      ...createRequest,
      to: tokenAccountsOf(createRequest, tokenProgram).recipient,
      nonceAccount,
      priorityFee: { microLamportsPerComputeUnit: 10n ** 12n },
    };
    const scene: Scene = { mint: null, sender: walletAccount(0n), recipient: null, others: [[nonceAccount, null]] };
    assert.deepEqual(foundIn(demanding, scene), [
      'mint_not_found mint',
      'insufficient_sol from',
      'recipient_off_curve to',
      'nonce_account_not_found nonceAccount',
      'priority_fee_too_high priorityFee',
    ]);
    assert.deepEqual(foundIn({ ...demanding, createTokenAccount: 'never', memo: memoOf('hello') }, scene), [
      'mint_not_found mint',
      'insufficient_sol from',
      'nonce_account_not_found nonceAccount',
      'priority_fee_too_high priorityFee',
    ]);
  });

  test('leave out the priority fee next to an absent mint where another mint could make it small enough', () => {
    // The dearer token program alone takes it above the maximum.
    const leastUnits = estimateComputeUnits({
      tokenProgram: token2022Program,
      extensionCount: 0,
      payments: [
        {
          createsRecipientTokenAccount: false,
          memo: request.memo,
          hookAccounts: [],
          recipientTokenAccountBump: 255,
          recipientTokenAccountExists: true,
        },
      ],
    });
    const price = highestPrice(1_000_000n, leastUnits);
    const atMaximum: TransferRequest = { ...request, priorityFee: { microLamportsPerComputeUnit: price } };
    assert.deepEqual(foundIn(atMaximum, { mint: null }), ['mint_not_found mint']);
    assert.deepEqual(foundIn(atMaximum), ['priority_fee_too_high priorityFee']);
    assert.partialDeepStrictEqual(contextIn(atMaximum, {}), { isLeast: false });
  });
});

describe('a mint whose transfer hook takes many accounts', () => {
  const hookProgram = freshWallet();
  const sceneFor = (count: number): Scene =>
    hookScene(
      request.mint,
      hookProgram,
      Array.from({ length: count }, () => literalEntry(freshWallet())),
    );

  test('is too large also by the advance of a nonce account that cannot be used', () => {
    const nonceAccount = freshWallet();
    const memo = memoOf('x'.repeat(700));
    const withNonce: TransferRequest = { ...request, memo, nonceAccount };
    const { others = [], ...scene } = sceneFor(3);
    assert.deepEqual(foundIn({ ...withNonce, nonceAccount: undefined }, sceneFor(3)), []);
    assert.deepEqual(foundIn(withNonce, { ...scene, others: [...others, [nonceAccount, walletAccount(1_000_000n)]] }), [
      'not_a_nonce_account nonceAccount',
      'transaction_too_large memo',
    ]);
  });
});

const hookProgram = freshWallet();
const listed = (entries: readonly number[][]) => hookScene(request.mint, hookProgram, entries);
/** Extra accounts derived from one seed each, of which a hook runs with one more where no memo is demanded. */
const derivedEntries = (count: number) => Array.from({ length: count }, (_, index) => hookEntry([1, 1, 1, index]));

test('a hook finds no signer among the references', () => {
  const references = [freshWallet(), request.from];
  const context = { mint: request.mint, signer: request.from };
  assert.deepEqual(contextIn({ ...request, references }, listed([])), context);
});

test('a hook that asks for another fee payer, such as a sponsor, is refused: it could spend what that signs for', () => {
  const feePayer = freshWallet();
  const hooked = listed([literalEntry(feePayer)]);
  const scene = { ...hooked, others: [...hooked.others, [feePayer, walletAccount(1_000_000_000n)]] } as const;
  assert.deepEqual(contextIn({ ...request, feePayer }, scene), { mint: request.mint, signer: feePayer });
  assert.deepEqual(foundIn(request, scene), []);
});

test('a memo counts against the memory of a hook only where the recipient demands it', () => {
  assert.equal(recipientOf(decidedIn(request, listed(derivedEntries(15))).plan).hookAccounts.length, 17);
  assert.deepEqual(contextIn(request, listed(derivedEntries(16))), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 16, max: 15, demandedMemoBytes: 0 },
  });
  const demanding = tokenAccount(request.mint, request.to, demandingMemos);
  const scene = { ...listed(derivedEntries(15)), recipientTokenAccount: demanding };
  assert.deepEqual(contextIn(request, scene), {
    mint: request.mint,
    fault: { kind: 'too_many_accounts', count: 15, max: 14, demandedMemoBytes: 5 },
  });
  const fewer = decidedIn(request, { ...listed(derivedEntries(14)), recipientTokenAccount: demanding });
  assert.ok(fewer.payments[0]?.tokenAccount.state?.requiresMemo);
});

test('a memo may take what the transfer leaves of the most compute units, with a hook and without one', () => {
  const scene = listed([]);
  const withoutMemo = decidedIn({ ...request, memo: undefined }, scene);
  const most = maxComputeUnits - measuredComputeUnits(withoutMemo.plan);
  const costing = (computeUnits: number) => ({ ...request, memo: { ...memoOf('hello'), computeUnits } });
  assert.ok('plan' in decideIn(costing(most), scene));
  assert.deepEqual(contextIn(costing(most + 1), scene), {
    mint: request.mint,
    fault: { kind: 'too_much_computation', computeUnits: 1_400_001, maxComputeUnits: 1_400_000 },
  });
  assert.deepEqual(contextIn(costing(2_000_000), {}), {
    computeUnits: 2_000_000 + 4 * 150 + 6_300,
    max: 1_400_000,
    hasMemo: true,
  });
});

test('a mint of which a part was not read may have rules that nobody knows', () => {
  const scene = { mint: { ...mintAccount(), space: 600_000 } };
  assert.deepEqual(foundIn(request, scene), ['mint_too_large mint']);
  assert.deepEqual(contextIn(request, scene), { mint: request.mint, byteLength: 600_000, readByteLength: 82 });
});
