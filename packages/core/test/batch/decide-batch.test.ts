import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { address, lamports } from '@solana/kit';
import fc from 'fast-check';
import type { Address } from '../../src/addresses/address.ts';
import { systemProgram } from '../../src/addresses/programs.ts';
import type { BatchInputs } from '../../src/batch/validate-batch-request.ts';
import { freshWallet } from '../chain-accounts.ts';
import { type BatchStage, batchOf, decideBatchOn, landingBatch, openBatchStage } from './batch-on-ledger.ts';

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
    assert.deepEqual(
      decision.findings.map(({ code }) => code),
      ['nonce_for_several_transactions'],
    );
  });

  it('lands in any order, whichever of its transactions are sent, at random', async () => {
    const anyTransfer = fc.record({
      to: fc.nat(12),
      amount: fc.integer({ min: 1, max: 1000 }).map(String),
      memo: fc.option(fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme-ascii' }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTransfer, { minLength: 1, maxLength: 30 }),
        fc.constantFrom('legacy' as const, 0 as const, 1 as const),
        fc.constantFrom('USDC', 'PYUSD'),
        fc.infiniteStream(fc.nat()),
        async (drawn, transactionVersion, mintName, numbers) => {
          const wallets = Array.from({ length: 13 }, (_, index) => (index === 0 ? stage.bob : freshWallet()));
          const transfers = drawn.map((transfer) => ({ ...transfer, to: wallets[transfer.to] }));
          const shuffled = (count: number): number[] =>
            backwards(count)
              .map((index) => ({ index, at: numbers.next().value ?? 0 }))
              .sort((a, b) => a.at - b.at)
              .map(({ index }) => index);
          await landAll(inputsOf(transfers, { transactionVersion, mint: stage.mintOf(mintName) }), shuffled);
        },
      ),
      { numRuns: 25 },
    );
  });
});
