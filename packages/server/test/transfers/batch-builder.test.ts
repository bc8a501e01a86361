import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { summarizeTransaction } from '../../../core/src/transaction/summarize-transaction.ts';
import { tokenAccountsOf } from '../../../core/test/fixtures.ts';
import { Work } from '../../src/app/work.ts';
import type { ChainReader } from '../../src/chain/chain-reader.ts';
import { isAppError } from '../../src/problems.ts';
import { BatchBuilder } from '../../src/transfers/batch-builder.ts';
import { MintHints } from '../../src/transfers/decide-from-chain.ts';
import { isTransferRefused } from '../../src/transfers/transfer-refused.ts';
import { bob } from '../app/sample-bodies.ts';
import type { FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { batchOf, richChain } from './sample-batch.ts';
import { initializedNonceAccount, nonce, nonceAccount } from './sample-nonce-account.ts';

function builderOf(chain: ChainReader, hints = new MintHints()): BatchBuilder {
  return new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints });
}

describe('a batch of 1,000', () => {
  it('is read at once, 100 accounts a call: in 21 calls for a mint that is known, and one blockhash', async () => {
    const chain = richChain();
    const builder = builderOf(chain);
    await builder.build(batchOf(1), new Work());
    chain.accountReads.length = 0;
    // None of them is answered before the last one is sent.
    const { promise: allSent, resolve } = Promise.withResolvers<void>();
    const { readAccounts } = chain;
    chain.readAccounts = async function held(this: FakeChain, addresses) {
      const answer = readAccounts.call(chain, addresses);
      if (chain.accountReads.length === 21) resolve();
      await allSent;
      return answer;
    };
    const before = chain.blockhashReads;
    const { bytes, parts } = await builder.build(batchOf(1_000), new Work());
    const addresses = chain.accountReads.flat();
    assert.equal(new Set(addresses).size, addresses.length, 'each account once');
    assert.ok(chain.accountReads.every(({ length }) => length <= 100));
    assert.deepEqual([chain.accountReads.length, chain.blockhashReads - before], [21, 1]);
    assert.deepEqual([parts[0]?.payments.length, bytes.length], [1_000, 100]);
  });
});

describe('a batch', () => {
  it('is read under both token programs while its mint is not known, and under one afterwards', async () => {
    const chain = richChain();
    const builder = builderOf(chain);
    await builder.build(batchOf(10), new Work());
    await builder.build(batchOf(10), new Work());
    assert.deepEqual(
      chain.accountReads.map(({ length }) => length),
      [4 + 10 + 2 * 11, 4 + 10 + 11],
    );
  });

  it('tells single transfers what it learned of a mint, and learns it from them', async () => {
    const hints = new MintHints();
    await builderOf(richChain(), hints).build(batchOf(1), new Work());
    assert.ok(hints.of(sampleRequest.mint));
  });

  it('is built as it was decided: each transaction pays its transfers, in their order, with the blockhash that was read', async () => {
    const chain = richChain();
    const request = {
      ...batchOf(25),
      transfers: batchOf(25).transfers.map((each, index) => ({ ...each, amount: BigInt(index + 1) })),
    };
    const built = await builderOf(chain).build(request, new Work());
    assert.ok('blockhash' in built.lifetime && built.transactions.length > 1);
    for (const [index, { transfers }] of built.transactions.entries()) {
      const { blockhash, instructions } = summarizeTransaction(built.bytes[index] ?? new Uint8Array());
      assert.equal(blockhash, built.lifetime.blockhash);
      const paid = instructions.flatMap((each) =>
        each.kind === 'transfer_checked' ? [[each.destination, each.amount]] : [],
      );
      const owed = transfers.map((transfer) => {
        const { to, amount } = request.transfers[transfer] ?? assert.fail();
        return [tokenAccountsOf({ ...sampleRequest, to }, tokenProgram).recipient, amount];
      });
      assert.deepEqual(paid, owed);
    }
  });

  it('lives by the nonce of its account, and no blockhash is read', async () => {
    const chain = richChain();
    const readAccounts = chain.readAccounts.bind(chain);
    chain.readAccounts = async (addresses) => {
      const { slot, accounts } = await readAccounts(addresses);
      return {
        slot,
        accounts: accounts.map((account, at) => (addresses[at] === nonceAccount ? initializedNonceAccount() : account)),
      };
    };
    const { lifetime, bytes } = await builderOf(chain).build({ ...batchOf(2), nonceAccount }, new Work());
    assert.ok('nonce' in lifetime);
    assert.deepEqual([lifetime.nonce, bytes.length], [nonce, 1]);
    assert.equal(summarizeTransaction(bytes[0] ?? new Uint8Array()).blockhash, nonce);
    assert.equal(chain.blockhashReads, 0);
  });

  it('pays the same when its mint is under another token program than before', async () => {
    const request = batchOf(60);
    const hints = new MintHints();
    hints.remember(request.mint, { tokenProgram: token2022Program, transferHookProgram: undefined });
    const built = await builderOf(richChain(), hints).build(request, new Work());
    assert.deepEqual(built.bytes, (await builderOf(richChain()).build(request, new Work())).bytes);
    assert.equal(hints.of(request.mint)?.tokenProgram, tokenProgram);
  });

  it('is refused with every reason, and not built', async () => {
    const mint = toAddress(sampleRequest.mint);
    const { transfers, ...batch } = batchOf(2, 10n ** 12n);
    const toMint = { to: mint, amount: 1n, memo: undefined, references: [] };
    const chain = richChain();
    await assert.rejects(
      builderOf(chain).build({ ...batch, transfers: [...transfers, toMint] }, new Work()),
      (error) => {
        assert.ok(isTransferRefused(error));
        const codes = error.findings.map(({ code }) => code);
        assert.deepEqual(codes, ['insufficient_token_balance', 'recipient_is_mint']);
        return true;
      },
    );
    assert.equal(chain.blockhashReads, 0);
  });

  it('fails as the chain fails', async () => {
    const chain = richChain();
    const fault = new Error('no answer');
    chain.readAccounts = () => Promise.reject(fault);
    await assert.rejects(
      builderOf(chain).build(batchOf(300), new Work()),
      (error) => error === fault && !isAppError(error),
    );
  });

  it('pays one recipient several times from one account read', async () => {
    const { transfers: _, ...batch } = batchOf(0);
    const toBob = { to: toAddress(bob), amount: 3n, memo: undefined, references: [] };
    const chain = richChain();
    const built = await builderOf(chain).build({ ...batch, transfers: [toBob, toBob, toBob] }, new Work());
    assert.deepEqual(
      built.transactions.map(({ transfers }) => transfers),
      [[0, 1, 2]],
    );
    assert.equal(chain.accountReads.flat().length, 4 + 1 + 2 * 2);
  });
});
