import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validateTransferRequest } from '../../src/decide/validate-transfer-request.ts';
import type { LayoutConflict } from '../../src/findings/finding-faults.ts';
import type { TransferInputs } from '../../src/request/parse-transfer-request.ts';
import {
  contextIn,
  decidedIn,
  demandingMemos,
  foundIn,
  freshWallet,
  goodInputs,
  memoOf,
  mintAccount,
  recipientOf,
  requestOf,
  type Scene,
  splitsOf,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';
import { hookEntry, hookedMint, hookScene } from '../hooks.ts';

const feePayer = freshWallet();
const inputs: TransferInputs = { ...goodInputs, layout: 'x402', feePayer, memo: 'order 1' };

function conflictsOf(parts: Partial<TransferInputs>): [field: unknown, conflict: LayoutConflict][] {
  const { request, findings } = validateTransferRequest({ ...inputs, ...parts });
  assert.equal(request === undefined, findings.length > 0);
  return findings.map((finding) => {
    assert.ok(finding.code === 'layout_conflict', finding.code);
    assert.equal(finding.context.layout, 'x402');
    return [finding.field, finding.context.conflict];
  });
}

describe('The x402 layout takes', () => {
  const taken: Readonly<Record<string, Partial<TransferInputs>>> = {
    'a fee payer that no instruction names': {},
    'no memo': { memo: undefined },
    'a memo of 256 bytes and ten references': {
      memo: 'é'.repeat(128),
      references: Array.from({ length: 10 }, freshWallet),
      transactionVersion: 0,
    },
    'a price of 5,000,000': { priorityFee: '5000000' },
    'a level': { priorityFee: 'high' },
    'version 0': { transactionVersion: 0 },
    // The facilitator may be the one who is paid: its token account is in the transfer, its wallet is not.
    'the recipient as fee payer': { feePayer: goodInputs.to },
    'an empty list of splits': { splits: [] },
  };
  for (const [name, parts] of Object.entries(taken)) {
    test(name, () => assert.deepEqual(conflictsOf(parts), []));
  }
});

describe('The x402 layout refuses', () => {
  const refused: Readonly<Record<string, [Partial<TransferInputs>, field: string, LayoutConflict]>> = {
    'a request without a fee payer': [{ feePayer: undefined }, 'feePayer', { kind: 'fee_payer_missing' }],
    'the sender as fee payer': [{ feePayer: goodInputs.from }, 'feePayer', { kind: 'fee_payer_used', as: 'sender' }],
    'the mint as fee payer': [{ feePayer: goodInputs.mint }, 'feePayer', { kind: 'fee_payer_used', as: 'mint' }],
    'the fee payer as a reference': [
      { references: [freshWallet(), feePayer] },
      'feePayer',
      { kind: 'fee_payer_used', as: 'reference' },
    ],
    'to create a token account always': [{ createTokenAccount: 'always' }, 'createTokenAccount', { kind: 'creation' }],
    'a nonce account': [{ nonceAccount: freshWallet() }, 'nonceAccount', { kind: 'nonce' }],
    splits: [{ splits: [{ to: freshWallet(), amount: '1' }] }, 'splits', { kind: 'splits' }],
    'version 1': [{ transactionVersion: 1 }, 'transactionVersion', { kind: 'version_1' }],
    'a memo of 257 bytes': [
      { memo: `${'é'.repeat(128)}x` },
      'memo',
      { kind: 'memo_too_long', byteLength: 257, maxByteLength: 256 },
    ],
    'a memo longer than any transaction, once': [
      { memo: 'x'.repeat(2000) },
      'memo',
      { kind: 'memo_too_long', byteLength: 2000, maxByteLength: 256 },
    ],
    'a price of 5,000,001': [
      { priorityFee: '5000001' },
      'priorityFee',
      { kind: 'price_too_high', price: 5_000_001n, maxPrice: 5_000_000n },
    ],
  };
  for (const [name, [parts, field, conflict]] of Object.entries(refused)) {
    test(name, () => {
      assert.deepEqual(conflictsOf(parts), [[field, conflict]]);
      assert.deepEqual(
        validateTransferRequest({ ...inputs, ...parts, layout: 'default' }).findings.filter(
          ({ code }) => code === 'layout_conflict',
        ),
        [],
      );
    });
  }

  test('all of them at once, each with its field', () => {
    const parts: Partial<TransferInputs> = {
      memo: 'x'.repeat(300),
      createTokenAccount: 'always',
      splits: [{ to: freshWallet(), amount: '1' }],
      feePayer: undefined,
      priorityFee: '6000000',
      nonceAccount: freshWallet(),
      transactionVersion: 1,
    };
    assert.deepEqual(
      conflictsOf(parts).map(([field]) => field),
      ['memo', 'createTokenAccount', 'splits', 'feePayer', 'priorityFee', 'nonceAccount', 'transactionVersion'],
    );
  });

  test('no fee payer that is no address beyond saying that', () => {
    const { findings } = validateTransferRequest({ ...inputs, feePayer: 'O' });
    assert.deepEqual(
      findings.map(({ code, field }) => [code, field]),
      [['invalid_address', 'feePayer']],
    );
  });
});

test('Creating where it is missing is never creating in the x402 layout', () => {
  const { request } = validateTransferRequest({ ...inputs, createTokenAccount: 'if_missing' });
  assert.equal(request?.createTokenAccount, 'never');
});

describe('Of what the chain says, the x402 layout refuses', () => {
  const request = requestOf({ layout: 'x402', feePayer, memo: memoOf('order 1') });
  const others: Scene['others'] = [[feePayer, walletAccount(1_000_000_000n)]];
  const program = freshWallet();
  const hooked = hookedMint(program);
  const requiringMemos = tokenAccount(request.mint, request.to, demandingMemos);

  for (const checks of ['full', 'none'] as const) {
    test(`a mint with a transfer hook, whose accounts it does not ask for, with checks "${checks}"`, () => {
      const asked = { ...request, checks };
      assert.deepEqual(foundIn(asked, { others, mint: hooked }), ['layout_not_possible mint']);
      const obstacle = { kind: 'transfer_hook', mint: request.mint, program };
      assert.deepEqual(contextIn(asked, { others, mint: hooked }), { layout: 'x402', obstacle });
    });

    test(`a recipient that requires memos, which it has after the transfer, with checks "${checks}"`, () => {
      const asked = { ...request, checks };
      const scene = { others, mint: mintAccount({ extensions: [] }), recipientTokenAccount: requiringMemos };
      assert.deepEqual(foundIn(asked, scene), ['layout_not_possible to']);
      const tokenAccountAddress = tokenAccountsOf(request, requiringMemos.owner).recipient;
      const obstacle = { kind: 'memo_required', wallet: request.to, tokenAccount: tokenAccountAddress };
      assert.deepEqual(contextIn(asked, scene), { layout: 'x402', obstacle });
    });
  }

  test('a recipient without a token account, and says that it is this layout that cannot create it', () => {
    const scene = { others, recipientTokenAccount: null };
    assert.deepEqual(foundIn(request, scene), ['recipient_token_account_not_found to']);
    const context = contextIn(request, scene);
    assert.ok('layout' in context && context.layout === 'x402');
  });

  test('nothing of an ordinary payment', () => assert.ok(decidedIn(request, { others }).plan));
});

describe('The MPP layout', () => {
  const mpp: TransferInputs = { ...goodInputs, layout: 'mpp', memo: 'order 1' };
  const split = { to: freshWallet(), amount: '1' };
  const conflictFields = (parts: Partial<TransferInputs>) =>
    validateTransferRequest({ ...mpp, ...parts }).findings.map(({ code, field }) => `${code} ${String(field)}`);

  test('takes splits, creation, a fee payer or none, references, a memo of 566 bytes and a price of 5,000,000', () => {
    for (const parts of [
      {},
      { memo: undefined, feePayer, createTokenAccount: 'always', splits: [split] },
      { memo: 'é'.repeat(283), references: [freshWallet()], priorityFee: '5000000', transactionVersion: 0 },
    ] as const) {
      assert.deepEqual(conflictFields(parts), []);
    }
  });

  test('refuses a nonce, version 1, a longer memo and a higher price, at once', () => {
    const parts = {
      memo: 'x'.repeat(567),
      priorityFee: '5000001',
      nonceAccount: freshWallet(),
      transactionVersion: 1,
    } as const;
    assert.deepEqual(
      conflictFields(parts),
      ['memo', 'priorityFee', 'nonceAccount', 'transactionVersion'].map((field) => `layout_conflict ${field}`),
    );
  });

  test('creates where it is missing only what the sender pays for', () => {
    const creationFor = (payer: string | undefined) =>
      validateTransferRequest({ ...mpp, createTokenAccount: 'if_missing', feePayer: payer }).request
        ?.createTokenAccount;
    assert.deepEqual([undefined, goodInputs.from, feePayer].map(creationFor), ['if_missing', 'if_missing', 'never']);
  });

  const request = requestOf({ layout: 'mpp', createTokenAccount: 'always', memo: memoOf('order 1') });

  test('never creates the token account of the recipient, and always has a limit, without units for guards', () => {
    const { plan } = decidedIn(request);
    assert.equal(recipientOf(plan).createsRecipientTokenAccount, false);
    assert.equal(plan.computeUnitLimit, 600 + 6_300 + 3_000 + memoOf('order 1').computeUnits);
    assert.equal(plan.computeUnitPrice, 0n);
    const missing = { recipientTokenAccount: null };
    assert.deepEqual(foundIn(request, missing), ['recipient_token_account_not_found to']);
    const context = contextIn(request, missing);
    assert.ok('layout' in context && context.layout === 'mpp');
  });

  test('pays a recipient whose token account a split creates', () => {
    const twice = { ...request, splits: [{ to: request.to, amount: 1n }] };
    const { plan } = decidedIn(twice, { recipientTokenAccount: null });
    assert.deepEqual(
      [splitsOf(plan)[0]?.createsRecipientTokenAccount, recipientOf(plan).createsRecipientTokenAccount],
      [true, false],
    );
  });

  test('is refused where it needs a compute limit above 200,000', () => {
    const memo = { ...memoOf('m'), computeUnits: 200_000 - 600 - 6_300 - 3_000 };
    assert.equal(decidedIn({ ...request, memo }).plan.computeUnitLimit, 200_000);
    const costly = { ...request, memo: { ...memo, computeUnits: memo.computeUnits + 1 } };
    assert.deepEqual(foundIn(costly), ['layout_not_possible memo']);
    const obstacle = { kind: 'compute_limit', mint: request.mint, computeUnitLimit: 200_001, max: 200_000 };
    assert.deepEqual(contextIn(costly, {}), { layout: 'mpp', obstacle });
    assert.deepEqual(foundIn({ ...costly, layout: 'default' }), []);
    const derived = Array.from({ length: 15 }, (_, index) => hookEntry([1, 1, 1, index]));
    const [scene, bare] = [hookScene(request.mint, freshWallet(), derived), { ...request, memo: undefined }];
    assert.deepEqual(foundIn(bare, scene), ['layout_not_possible mint']);
    const splits = [{ to: freshWallet(), amount: 1n }];
    assert.deepEqual(foundIn({ ...bare, splits }, scene), ['layout_not_possible splits']);
  });
});
