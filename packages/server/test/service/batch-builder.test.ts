import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import type { BatchRequest } from '../../../core/src/batch/batch-request.ts';
import { freshWallet } from '../../../core/test/chain-accounts.ts';
import type { ChainReader } from '../../src/chain/chain-reader.ts';
import { isAppError } from '../../src/errors.ts';
import { BatchBuilder } from '../../src/service/batch-builder.ts';
import { MintHints } from '../../src/service/mint-hints.ts';
import { isTransferRefused } from '../../src/service/transfer-refused.ts';
import { FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { bob } from '../http/sample-bodies.ts';

const never = Number.POSITIVE_INFINITY;

function batchOf(count: number, amount = 1n): BatchRequest {
  const { from, mint, feePayer, version, priorityFee, nonceAccount, checks, allowsOffCurveRecipient } = sampleRequest;
  const transfers = Array.from({ length: count }, () => ({
    to: freshWallet(),
    amount,
    memo: undefined,
    references: [],
  }));
  const options = { feePayer, version, priorityFee, nonceAccount, checks, allowsOffCurveRecipient };
  return { from, mint, ...options, createTokenAccount: 'if_missing', transfers };
}

function builderOf(chain: ChainReader, hints = new MintHints()): BatchBuilder {
  return new BatchBuilder(chain, { maxPriorityFeeLamports: 1_000_000n, hints });
}

/** A chain whose sender can pay for a thousand recipients. */
function richChain(): FakeChain {
  return new FakeChain({
    changed: (accounts) =>
      accounts.map((account) => {
        if (account?.data.length !== 165) return account && { ...account, lamports: 10n ** 12n };
        const data = Uint8Array.from(account.data);
        new DataView(data.buffer).setBigUint64(64, 10n ** 12n, true);
        return { ...account, data };
      }),
  });
}

describe('a batch of 1,000', () => {
  it('is read at once, 100 accounts a call: in 21 calls for a mint that is known, and one blockhash', async () => {
    const chain = richChain();
    const builder = builderOf(chain);
    await builder.build(batchOf(1), never);
    chain.accountReads.length = 0;
    let rounds = 0;
    const { readAccounts } = chain;
    let waiting = 0;
    chain.readAccounts = async function counted(this: FakeChain, addresses) {
      if (waiting++ === 0) rounds += 1;
      const answer = await readAccounts.call(chain, addresses);
      waiting -= 1;
      return answer;
    };
    const before = chain.blockhashReads;
    const { bytes, payments } = await builder.build(batchOf(1_000), never);
    const addresses = chain.accountReads.flat();
    assert.equal(new Set(addresses).size, addresses.length, 'each account once');
    assert.ok(chain.accountReads.every(({ length }) => length <= 100));
    assert.deepEqual([chain.accountReads.length, rounds, chain.blockhashReads - before], [21, 1, 1]);
    assert.deepEqual([payments.length, bytes.length], [1_000, 100]);
  });

  it('lets other work have a turn of the event loop again and again', async () => {
    const chain = richChain();
    const builder = builderOf(chain);
    await builder.build(batchOf(1), never);
    let turns = 0;
    let isBuilt = false;
    const count = (): void => {
      turns += 1;
      if (!isBuilt) setImmediate(count);
    };
    setImmediate(count);
    await builder.build(batchOf(1_000), never);
    isBuilt = true;
    // Ten of the derivations and twelve of the builds, in addition to those of the reads.
    assert.ok(turns >= 20, String(turns));
  });
});

describe('a batch', () => {
  it('is read under both token programs while its mint is not known, and under one afterwards', async () => {
    const chain = richChain();
    const builder = builderOf(chain);
    await builder.build(batchOf(10), never);
    await builder.build(batchOf(10), never);
    assert.deepEqual(
      chain.accountReads.map(({ length }) => length),
      [4 + 10 + 2 * 11, 4 + 10 + 11],
    );
  });

  it('tells single transfers what it learned of a mint, and learns it from them', async () => {
    const hints = new MintHints();
    await builderOf(richChain(), hints).build(batchOf(1), never);
    assert.ok(hints.of(sampleRequest.mint));
  });

  it('is refused with every reason, and not built', async () => {
    const mint = toAddress(sampleRequest.mint);
    const { transfers, ...batch } = batchOf(2, 10n ** 12n);
    const toMint = { to: mint, amount: 1n, memo: undefined, references: [] };
    const chain = richChain();
    await assert.rejects(builderOf(chain).build({ ...batch, transfers: [...transfers, toMint] }, never), (error) => {
      assert.ok(isTransferRefused(error));
      const codes = error.findings.map(({ code }) => code);
      assert.deepEqual(codes, ['insufficient_token_balance', 'recipient_is_mint']);
      return true;
    });
    assert.equal(chain.blockhashReads, 0);
  });

  it('fails as the chain fails', async () => {
    const chain = richChain();
    const fault = new Error('no answer');
    chain.readAccounts = () => Promise.reject(fault);
    await assert.rejects(builderOf(chain).build(batchOf(300), never), (error) => error === fault && !isAppError(error));
  });

  it('pays one recipient several times from one account read', async () => {
    const { transfers: _, ...batch } = batchOf(0);
    const toBob = { to: toAddress(bob), amount: 3n, memo: undefined, references: [] };
    const chain = richChain();
    const built = await builderOf(chain).build({ ...batch, transfers: [toBob, toBob, toBob] }, never);
    assert.deepEqual(
      built.transactions.map(({ transfers }) => transfers),
      [[0, 1, 2]],
    );
    assert.equal(chain.accountReads.flat().length, 4 + 1 + 2 * 2);
  });
});
