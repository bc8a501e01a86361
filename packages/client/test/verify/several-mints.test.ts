import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sol } from '../../../core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { BuiltBatch } from '../../../core/src/batch/batch-summary.ts';
import { decideBatch } from '../../../core/src/batch/decide-batch.ts';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import { finish } from '../../../core/src/plan/steps.ts';
import { batchRequestOf, factsIn } from '../../../core/test/batch/batch-scene.ts';
import { freshWallet, mintAccount, tokenAccount } from '../../../core/test/fixtures.ts';
import { VerificationError } from '../../src/index.ts';
import { verifyBatch } from '../../src/verify/index.ts';

const other = freshWallet();
const blockhash = freshWallet();
const batch = batchRequestOf([{}, { mint: other }, { mint: sol, amount: 5n * 10n ** 8n }, {}]);
const read = [
  [other, mintAccount({ decimals: 2 })],
  [
    findAssociatedTokenAddress({ owner: batch.from, tokenProgram, mint: other }).address,
    tokenAccount(other, batch.from, { amount: 1_000n }),
  ],
  ...batch.transfers.map(
    ({ to }) => [findAssociatedTokenAddress({ owner: to, tokenProgram, mint: other }).address, null] as const,
  ),
] as const;
const decided = finish(decideBatch(batch, factsIn(batch, { others: read })));
if (!('transactions' in decided)) throw new Error('the batch is refused');
const { transactions }: Pick<BuiltBatch, 'transactions'> = decided;

const request = {
  from_address: batch.from,
  token_mint_address: batch.mint,
  transfers: batch.transfers.map(({ to, amount, mint }) => ({
    to_address: to,
    amount: String(amount),
    token_mint_address: mint,
  })),
};
const data = {
  transaction_version: 'legacy',
  lifetime: { blockhash, last_valid_block_height: '1000' },
  transactions: transactions.map(({ plan, transfers }) => ({
    transaction: Buffer.from(buildTransaction(plan, blockhash)).toString('base64'),
    signers: [batch.from],
    transfers,
  })),
};

const isRefused = (code: string) => (error: unknown) => error instanceof VerificationError && error.code === code;

describe('a verified batch of several mints', () => {
  it('sends what the request asks for of each, in one sentence', async () => {
    const { transactions: verified, sentence } = await verifyBatch(request, { data }, { decimals: 6 });
    assert.deepEqual(
      verified.map(({ mint, transfers, unknown }) => [mint, transfers, unknown]),
      [
        [batch.mint, [0, 3], ['token_program']],
        [other, [1], ['decimals', 'token_program']],
        ['SOL', [2], []],
      ],
    );
    assert.ok(
      sentence.startsWith(
        `${batch.from} sends 0.0002 tokens of the mint ${batch.mint} and 1 tokens of the mint ${other} and 0.5 SOL in 4 payments`,
      ),
      sentence,
    );
  });

  it('is none where a transfer is of another mint than the request says', async () => {
    for (const mint of [undefined, 'SOL', freshWallet()]) {
      const transfers = request.transfers.map((each, index) =>
        index === 1 ? { ...each, token_mint_address: mint } : each,
      );
      await assert.rejects(verifyBatch({ ...request, transfers }, { data }), VerificationError);
    }
  });

  it('is none where a transaction would pay two mints', async () => {
    const [first, second, ...others] = data.transactions;
    const merged = { ...data, transactions: [{ ...first, transfers: [0, 1, 3] }, ...others] };
    assert.ok(second);
    await assert.rejects(verifyBatch(request, { data: merged }), isRefused('wrong_transfers'));
  });
});
