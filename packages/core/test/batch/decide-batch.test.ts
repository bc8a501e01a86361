import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { address, lamports } from '@solana/kit';
import { AccountState } from '@solana-program/token-2022';
import type { Address } from '../../src/addresses/address.ts';
import { systemProgram, tokenProgram } from '../../src/addresses/programs.ts';
import type { BatchInputs } from '../../src/batch/validate-batch-request.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { RequestedPayment } from '../../src/request/transfer-request.ts';
import {
  accountOf,
  codesOf,
  feeMint,
  freshWallet,
  memoOf,
  mintAccount,
  multisigAccount,
  tokenAccount,
  walletAccount,
} from '../fixtures.ts';
import { type BatchStage, batchOf, decideBatchOn, landingBatch, openBatchStage } from './batch-on-ledger.ts';
import { batchRequestOf, decideBatchIn, findingsIn, foundIn } from './batch-scene.ts';

const options = { createTokenAccount: 'if_missing' } as const;

describe('a batch', () => {
  let stage: BatchStage;
  before(async () => {
    stage = await openBatchStage();
  });

  const inputsOf = (transfers: BatchInputs['transfers'], more: Partial<BatchInputs> = {}): BatchInputs => ({
    ...options,
    from: stage.alice,
    mint: stage.mintOf('USDC'),
    transfers,
    ...more,
  });

  async function landAll(inputs: BatchInputs, order: (count: number) => number[]): Promise<number> {
    const request = await batchOf(inputs);
    const { ledger, balanceOf } = stage;
    const wallets = [...new Set(request.transfers.map(({ to }) => to))];
    const before = wallets.map((wallet) => balanceOf(wallet, request.mint));
    const batch = await landingBatch(ledger, request);
    for (const index of order(batch.transactions.length)) await stage.land(batch, index);
    const paid = new Map<Address, bigint>();
    for (const { to, amount } of request.transfers) paid.set(to, (paid.get(to) ?? 0n) + BigInt(String(amount)));
    for (const [index, wallet] of wallets.entries()) {
      assert.equal(balanceOf(wallet, request.mint) - (before[index] ?? 0n), paid.get(wallet));
    }
    return batch.transactions.length;
  }

  const backwards = (count: number): number[] => Array.from({ length: count }, (_, index) => count - 1 - index);

  for (const version of ['legacy', 0, 1] as const) {
    it(`pays 60 recipients in version ${version}, new ones, known ones and some twice, in any order of its transactions`, async () => {
      const known = [stage.bob];
      const transfers = Array.from({ length: 60 }, (_, index) => {
        const to = index % 7 === 3 ? stage.bob : freshWallet();
        known.push(to);
        return {
          to: index % 11 === 5 ? (known[index - 1] ?? to) : to,
          amount: String(index + 1),
          ...(index % 3 === 0 && { memo: `salary ${index}` }),
          ...(index % 13 === 0 && { references: [freshWallet()] }),
        };
      });
      const count = await landAll(inputsOf(transfers, { transactionVersion: version }), backwards);
      assert.ok(count > 1 && count < 30, String(count));
    });

    it(`creates as many token accounts in one transaction of version ${version} as it may run instructions`, async () => {
      const transfers = Array.from({ length: 30 }, () => ({ to: freshWallet(), amount: '1' }));
      await landAll(inputsOf(transfers, { transactionVersion: version, mint: stage.mintOf('PYUSD') }), backwards);
    });

    it(`asks for existing token accounts in version ${version}, which runs no further instructions`, async () => {
      const transfers = Array.from({ length: 30 }, (_, index) => ({
        to: stage.bob,
        amount: '1',
        memo: `part ${index}`,
      }));
      const others = Array.from({ length: 3 }, () => ({ to: freshWallet(), amount: '1' }));
      const request = { transactionVersion: version, createTokenAccount: 'always' } as const;
      await landAll(inputsOf([...transfers, ...others], request), backwards);
    });

    for (const [held, amount] of [
      ['lamports', 1_000_000n],
      ['their rent', 5_000_000n],
    ] as const) {
      it(`creates token accounts in version ${version} at addresses that hold ${held} already`, async () => {
        const transfers = Array.from({ length: 24 }, () => ({ to: freshWallet(), amount: '1' }));
        const inputs = inputsOf(transfers, { transactionVersion: version });
        const request = await batchOf(inputs);
        const batch = await landingBatch(stage.ledger, request);
        for (const { tokenAccount } of batch.payments) {
          stage.ledger.setAccount({
            address: address(tokenAccount.address),
            programAddress: address(systemProgram),
            lamports: lamports(amount),
            data: new Uint8Array(),
            executable: false,
            space: 0n,
          });
        }
        await landAll(inputs, backwards);
      });
    }
  }

  it('is in one transaction where that suffices, and reports no fewer than the fewest', async () => {
    const transfers = [
      { to: stage.bob, amount: '5' },
      { to: freshWallet(), amount: '7' },
    ];
    const batch = await landingBatch(stage.ledger, await batchOf(inputsOf(transfers)));
    assert.deepEqual(
      batch.transactions.map((transaction) => transaction.transfers),
      [[0, 1]],
    );
    assert.equal(batch.lowerBound, 1);
  });

  it('keeps the order of its transfers inside and across transactions where all are alike', async () => {
    const transfers = Array.from({ length: 100 }, () => ({ to: freshWallet(), amount: '1' }));
    const batch = await landingBatch(stage.ledger, await batchOf(inputsOf(transfers)));
    assert.deepEqual(
      batch.transactions.flatMap((transaction) => transaction.transfers),
      transfers.map((_, index) => index),
    );
  });

  it('is refused for every fault of every transfer and of the whole at once', async () => {
    const mint = stage.mintOf('USDC');
    const decision = await decideBatchOn(
      stage.ledger,
      await batchOf(
        inputsOf([
          { to: mint, amount: '1' },
          { to: stage.bob, amount: '18446744073709551615' },
          { to: systemProgram, amount: '1' },
        ]),
      ),
    );
    assert.ok('findings' in decision);
    assert.deepEqual(
      decision.findings.map(({ code, field }) => [code, field]),
      [
        ['insufficient_token_balance', 'transfers'],
        ['recipient_is_mint', { transfer: 0, part: 'to' }],
        ['recipient_is_program', { transfer: 2, part: 'to' }],
      ],
    );
  });

  it('takes a nonce account for one transaction, and not for several', async () => {
    const few = Array.from({ length: 3 }, () => ({ to: freshWallet(), amount: '1' }));
    const many = Array.from({ length: 40 }, () => ({ to: freshWallet(), amount: '1' }));
    const nonceAccount = 'gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU';
    const one = await landingBatch(stage.ledger, await batchOf(inputsOf(few, { nonceAccount })));
    await stage.land(one, 0);
    const decision = await decideBatchOn(stage.ledger, await batchOf(inputsOf(many, { nonceAccount })));
    assert.ok('findings' in decision);
    assert.deepEqual(codesOf(decision.findings), ['nonce_for_several_transactions']);
  });
});

const request = batchRequestOf([{}, {}]);
const { from, mint } = request;
const accounts = deriveTokenAccounts(request, tokenProgram);

/** A scene in which the sender's token account is this one. */
const withSender = (parts: Parameters<typeof tokenAccount>[2]) => ({
  others: [[accounts.sender.address, tokenAccount(mint, from, parts)]] as const,
});

// So long that each transfer has a transaction of its own.
const apart = { memo: memoOf('a'.repeat(700)) };
const transactionsOf = async (transfers: readonly Partial<RequestedPayment>[]): Promise<number> => {
  const decision = await decideBatchIn(batchRequestOf(transfers));
  assert.ok('transactions' in decision);
  return decision.transactions.length;
};

describe('a batch is refused', () => {
  it('for its mint alone where there is none', async () => {
    assert.deepEqual(await foundIn(request, { mint: null }), [['mint_not_found', 'mint']]);
  });

  it('where a fee payer is no wallet, without a word on its lamports', async () => {
    assert.deepEqual(await foundIn(request, { others: [[from, { ...accountOf(systemProgram, [1]), lamports: 0n }]] }), [
      ['sender_not_a_wallet', 'from'],
    ]);
  });

  it('where a sender for whom another pays is a multisig', async () => {
    const sponsored = { ...request, feePayer: freshWallet() };
    const others = [
      [sponsored.feePayer, walletAccount(10n ** 9n)],
      [from, multisigAccount(tokenProgram)],
    ] as const;
    assert.deepEqual(await foundIn(sponsored, { others }), [['sender_not_a_wallet', 'from']]);
    assert.deepEqual(await foundIn(sponsored), []);
  });

  it('where the fee payer keeps less than an empty account must hold', async () => {
    const others = (lamports: bigint) => ({ others: [[from, walletAccount(lamports)]] as const });
    assert.deepEqual(await foundIn(request, others(5_000n + 890_880n)), []);
    assert.deepEqual(await foundIn(request, others(5_000n + 890_879n)), [['insufficient_sol', 'from']]);
  });

  it('where its amounts come to more than the balance, of which an amount without base units counts as none', async () => {
    assert.deepEqual(await foundIn(request, withSender({ amount: 200n })), []);
    assert.deepEqual(await foundIn(request, withSender({ amount: 199n })), [
      ['insufficient_token_balance', 'transfers'],
    ]);
    const [first, second] = request.transfers;
    assert.ok(first && second);
    const finer = { ...second, amount: { digits: 1n, fractionDigits: 7 } };
    assert.deepEqual(await findingsIn({ ...request, transfers: [first, finer] }, withSender({ amount: 100n })), [
      {
        code: 'amount_not_representable',
        field: { transfer: 1, part: 'amountDecimal' },
        context: { mint, decimals: 6, fault: { kind: 'too_many_digits', fractionDigits: 7 } },
      },
    ]);
    const tokens = { ...second, amount: { digits: 1n, fractionDigits: 4 } };
    assert.deepEqual(await foundIn({ ...request, transfers: [first, tokens] }, withSender({ amount: 200n })), []);
  });

  it('for an amount without base units alone, which says nothing of what an own delegate may send', async () => {
    const delegation = { delegate: address(from), delegatedAmount: 100n };
    const equal = { ...batchRequestOf([{}, {}, {}]), from, feePayer: from, mint };
    const [first, second, third] = equal.transfers.map((each) => ({ ...each, ...apart }));
    assert.ok(first && second && third);
    const finer = { ...third, amount: { digits: 1n, fractionDigits: 7 } };
    const batch = { ...equal, transfers: [first, second, finer] };
    const own = deriveTokenAccounts(batch, tokenProgram).sender.address;
    const others = [[own, tokenAccount(mint, from, delegation)]] as const;
    assert.deepEqual(
      (await foundIn(batch, { others })).map(([code]) => code),
      ['amount_not_representable'],
    );
  });

  it('where its owner is its own delegate for less, in the one order there is, or in any', async () => {
    const delegation = { delegate: address(from), delegatedAmount: 150n };
    const transfers = [{ amount: 150n }, { amount: 30n }];
    assert.equal(await transactionsOf(transfers), 1);
    assert.equal(await transactionsOf(transfers.map((each) => ({ ...each, ...apart }))), 2);
    const batchOf = (parts: object) => ({
      ...request,
      transfers: request.transfers.map((each, index) => ({ ...each, ...transfers[index], ...parts })),
    });
    assert.deepEqual(await foundIn(batchOf({}), withSender(delegation)), []);
    assert.deepEqual(await foundIn(batchOf(apart), withSender(delegation)), [
      ['insufficient_token_balance', 'transfers'],
    ]);
  });

  it('for each recipient who cannot be paid', async () => {
    const [one, other] = request.transfers;
    const [, second] = accounts.recipients;
    assert.ok(one && other && second);
    const frozen = tokenAccount(mint, other.to, { state: AccountState.Frozen });
    assert.deepEqual(
      await foundIn(request, {
        others: [
          [one.to, mintAccount()],
          [second.address, frozen],
        ],
      }),
      [
        ['recipient_is_mint', { transfer: 0, part: 'to' }],
        ['recipient_token_account_frozen', { transfer: 1, part: 'to' }],
      ],
    );
  });

  it('where its nonce account cannot be used, or several transactions would need it', async () => {
    const nonceAccount = freshWallet();
    const others: readonly (readonly [Address, null])[] = [[nonceAccount, null]];
    const notFound = ['nonce_account_not_found', 'nonceAccount'];
    assert.deepEqual(await foundIn({ ...request, nonceAccount }, { others }), [notFound]);
    const two = { ...request, nonceAccount, transfers: request.transfers.map((each) => ({ ...each, ...apart })) };
    assert.deepEqual((await findingsIn(two, { others })).slice(1), [
      {
        code: 'nonce_for_several_transactions',
        field: 'nonceAccount',
        context: { nonceAccount, transactionCount: 2 },
      },
    ]);
  });

  it('where the priority fee of the dearest transaction is more than the operator allows', async () => {
    const dear = { ...request, priorityFee: { microLamportsPerComputeUnit: 10n ** 9n } };
    assert.deepEqual(await foundIn(dear), [['priority_fee_too_high', 'priorityFee']]);
    assert.deepEqual(await foundIn(dear, { facts: { maxPriorityFee: 10n ** 9n } }), []);
    assert.deepEqual(await foundIn(request, { facts: { maxPriorityFee: 0n } }), []);
  });
});

describe('a batch that lands', () => {
  it('withholds the transfer fee of the epoch of the clock', async () => {
    const feeFrom = async (epoch: bigint): Promise<readonly bigint[]> => {
      const mint = feeMint(100, 200, { epoch, maximumFee: 1_000_000n });
      const decision = await decideBatchIn(request, { mint });
      assert.ok('transactions' in decision);
      return decision.transactions.flatMap(({ plan }) => plan.payments.map(({ transferFee }) => transferFee));
    };
    // The clock of a scene is of epoch 700.
    assert.deepEqual(
      [await feeFrom(700n), await feeFrom(701n)],
      [
        [2n, 2n],
        [1n, 1n],
      ],
    );
  });

  it('comes with what was read of it', async () => {
    const { others } = withSender({ amount: 777n });
    const decision = await decideBatchIn(request, { others });
    assert.ok('transactions' in decision);
    assert.equal(decision.senderTokenAccount.state?.amount, 777n);
    assert.equal(decision.mint.decimals, 6);
    assert.deepEqual(
      decision.payments.map(({ to }) => to),
      request.transfers.map(({ to }) => to),
    );
  });
});
