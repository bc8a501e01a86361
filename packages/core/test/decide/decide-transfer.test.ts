import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import { AccountState, extension } from '@solana-program/token-2022';
import type { Address } from '../../src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import {
  estimateComputeUnits,
  highestPrice,
  maxComputeUnits,
  measuredComputeUnits,
} from '../../src/plan/compute-budget.ts';
import { hookValidationAddress } from '../../src/plan/resolve-hook-accounts.ts';
import { neverUsedIn } from '../../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import {
  accountOf,
  contextIn,
  decidedIn,
  decideIn,
  demandingMemos,
  feeMint,
  foundIn,
  freshWallet,
  memoOf,
  mintAccount,
  multisigAccount,
  recipientOf,
  requestOf,
  type Scene,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';
import { hookEntry, hookedMint, hookScene, literalEntry } from '../hooks.ts';

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
      assert.deepEqual(
        [plan.feePayer, plan.sender, recipientOf(plan).recipient],
        [request.from, request.from, request.to],
      );
      assert.deepEqual([recipientOf(plan).memo, recipientOf(plan).createsRecipientTokenAccount], [request.memo, false]);
      const derived = (owner: string): string => {
        const seeds = [owner, program, request.mint].map((key) => new PublicKey(key).toBytes());
        const associated = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
        return PublicKey.findProgramAddressSync(seeds, associated)[0].toBase58();
      };
      assert.equal(plan.senderTokenAccount, derived(request.from));
      assert.equal(recipientOf(plan).recipientTokenAccount, derived(request.to));
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

  test('of all that the sender has', () => {
    const senderTokenAccount = tokenAccount(request.mint, request.from, { amount: request.amount });
    assert.deepEqual(foundIn(request, { senderTokenAccount }), []);
  });

  test('with the account made, whether it exists or not, and its rent only when it does not', () => {
    for (const [scene, rent] of [
      [{ recipientTokenAccount: null }, 2_039_280n],
      [{}, 0n],
    ] as const) {
      const { plan } = decidedIn(createRequest, scene);
      assert.deepEqual([recipientOf(plan).createsRecipientTokenAccount, recipientOf(plan).rent], [true, rent]);
    }
  });

  test('with what an address already holds taken off its rent', () => {
    const { plan } = decidedIn(createRequest, { recipientTokenAccount: walletAccount(39_280n) });
    assert.equal(recipientOf(plan).rent, 2_000_000n);
  });
});

describe('the mint', () => {
  test('that does not exist', () => {
    assert.deepEqual(foundIn(request, { mint: null }), ['mint_not_found mint']);
  });

  test('that is something else of a token program', () => {
    const uninitialized = mintAccount({ isInitialized: false });
    for (const mint of [
      uninitialized,
      mintAccount({ isInitialized: false }, token2022Program),
      tokenAccount(request.mint, request.from),
      tokenAccount(request.mint, request.from, {}, token2022Program),
      multisigAccount(tokenProgram),
      multisigAccount(token2022Program),
      accountOf(tokenProgram, new Uint8Array(82)),
      accountOf(tokenProgram, new Uint8Array(165).fill(1)),
      accountOf(tokenProgram, new Uint8Array(355).fill(1)),
      accountOf(token2022Program, new Uint8Array(165).fill(1)),
      accountOf(token2022Program, new Uint8Array(355).fill(1)),
      accountOf(token2022Program, []),
      accountOf(tokenProgram, new Uint8Array(200).fill(1)),
    ]) {
      assert.deepEqual(foundIn(request, { mint }), ['not_a_mint mint']);
      assert.deepEqual(contextIn(request, { mint }), { mint: request.mint, program: mint.owner });
    }
  });

  test('that belongs to another program', () => {
    const mint = { ...mintAccount(), owner: systemProgram };
    assert.deepEqual(foundIn(request, { mint }), ['not_a_mint mint']);
    assert.deepEqual(contextIn(request, { mint }), { mint: request.mint, program: systemProgram });
  });

  test('of Token-2022 that is paused', () => {
    assert.deepEqual(foundIn(request, { mint: mintAccount({ extensions: [paused] }) }), ['mint_paused mint']);
    const resumed = extension('PausableConfig', { authority: null, paused: false });
    assert.deepEqual(foundIn(request, { mint: mintAccount({ extensions: [resumed] }) }), []);
  });

  test('of Token-2022 that forbids transfers', () => {
    const mint = mintAccount({ extensions: [{ __kind: 'NonTransferable' }] });
    assert.deepEqual(foundIn(request, { mint }), ['mint_non_transferable mint']);
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

  test('of an absent mint and of a recipient that is not a wallet come together', () => {
    const scene: Scene = { mint: null, recipient: mintAccount(), senderTokenAccount: null };
    assert.deepEqual(foundIn(request, scene), ['mint_not_found mint', 'recipient_is_mint to']);
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

  test('is planned with them while they fit', () => {
    assert.equal(recipientOf(decidedIn(request, sceneFor(3)).plan).hookAccounts.length, 5);
  });

  test('is too large with a long memo, which is the field at fault', () => {
    const memo = memoOf('x'.repeat(900));
    assert.deepEqual(foundIn({ ...request, memo }, sceneFor(3)), ['transaction_too_large memo']);
  });

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
const validation = hookValidationAddress(request.mint, hookProgram);
const listed = (entries: readonly number[][]) => hookScene(request.mint, hookProgram, entries);
/** Extra accounts derived from one seed each, of which a hook runs with one more where no memo is demanded. */
const derivedEntries = (count: number) => Array.from({ length: count }, (_, index) => hookEntry([1, 1, 1, index]));

test('a hook of which nothing was read is needed with its list, and then what its list points to', () => {
  assert.deepEqual(decideIn(request, { mint: hookedMint(hookProgram) }), { needs: [hookProgram, validation] });
  const pointed = freshWallet();
  // The second account's address stands in the data of the first.
  const list = listed([literalEntry(pointed), hookEntry([2, 2, 5, 0])]);
  assert.deepEqual(decideIn(request, list), { needs: [pointed] });
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

test('the transfer fee is that of the epoch of the clock', () => {
  const feeFrom = (epoch: bigint): bigint => {
    const mint = feeMint(100, 200, { epoch, maximumFee: 1_000_000n });
    return recipientOf(decidedIn(request, { mint }).plan).transferFee;
  };
  // The clock of a scene is of epoch 700.
  assert.deepEqual([feeFrom(700n), feeFrom(701n)], [30_000n, 15_000n]);
});

test('a token account that is yet to be made demands no memo', () => {
  const missing = decidedIn(requestOf({ createTokenAccount: 'always' }), { recipientTokenAccount: null });
  assert.equal(missing.payments[0]?.tokenAccount.state, undefined);
  assert.equal(recipientOf(missing.plan).recipientTokenAccountExists, false);
  assert.equal(recipientOf(decidedIn(request).plan).recipientTokenAccountExists, true);
});

test('a mint of which a part was not read may have rules that nobody knows', () => {
  const scene = { mint: { ...mintAccount(), space: 600_000 } };
  assert.deepEqual(foundIn(request, scene), ['mint_too_large mint']);
  assert.deepEqual(contextIn(request, scene), { mint: request.mint, byteLength: 600_000, readByteLength: 82 });
});
