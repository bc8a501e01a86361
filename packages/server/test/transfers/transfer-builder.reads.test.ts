import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { addressToBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { Lifetime } from '../../../core/src/transaction/lifetime.ts';
import { tokenAccountsOf } from '../../../core/test/fixtures.ts';
import type { FreshBlockhash } from '../../src/chain/chain-reader.ts';
import { tooSlow } from '../../src/chain/upstream-faults.ts';
import { AppError, isAppError } from '../../src/problems.ts';
import { isTransferRefused } from '../../src/transfers/transfer-refused.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

const never = Number.POSITIVE_INFINITY;

const carol = toAddress('2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC');

function assertBlockhash(lifetime: Lifetime, blockhash: string, lastValidBlockHeight: bigint): void {
  assert.ok('blockhash' in lifetime);
  assert.deepEqual([lifetime.blockhash, lifetime.lastValidBlockHeight], [blockhash, lastValidBlockHeight]);
}

test('A transfer is built from one read of its accounts', async (t) => {
  await t.test(
    '10 addresses for a mint not seen before, that of its name among them, 7 for one seen, the two sysvars among them, each once',
    async () => {
      for (const program of [tokenProgram, token2022Program]) {
        const chain = new FakeChain();
        chain.mintProgram = program;
        const builder = builderOf(chain);
        await builder.build(sampleRequest, never);
        await builder.build(sampleRequest, never);
        await builder.build({ ...sampleRequest, to: carol }, never);
        assert.deepEqual(
          chain.accountReads.map((addresses) => addresses.length),
          [10, 7, 7],
        );
        for (const addresses of chain.accountReads) assert.equal(new Set(addresses).size, addresses.length);
        const [first, second] = chain.accountReads;
        assert.ok(second?.every((address) => first?.includes(address)));
      }
    },
  );

  await t.test('10 addresses again for a mint that did not exist', async () => {
    const chain = new FakeChain({ changed: ([, ...others]) => [null, ...others] });
    const builder = builderOf(chain);
    for (const _ of [1, 2]) {
      await assert.rejects(builder.build(sampleRequest, never), (error) => isTransferRefused(error, 'mint_not_found'));
    }
    assert.deepEqual(
      chain.accountReads.map((addresses) => addresses.length),
      [10, 10],
    );
  });

  await t.test('and a second one when the mint has moved to the other token program', async () => {
    const chain = new FakeChain();
    const builder = builderOf(chain);
    const before = await builder.build(sampleRequest, never);
    chain.mintProgram = token2022Program;
    const after = await builder.build(sampleRequest, never);
    await builder.build(sampleRequest, never);
    assert.deepEqual(
      chain.accountReads.map((addresses) => addresses.length),
      [10, 7, 2, 7],
    );
    assert.notDeepEqual(before.bytes, after.bytes);
  });
});

test('The blockhash of a transfer', async (t) => {
  await t.test('is asked for before the accounts are read, so that it is there when they are', async () => {
    const chain = new FakeChain({ whileReading: (self) => assert.equal(self.blockhashReads, 1) });
    const built = await builderOf(chain).build(sampleRequest, never);
    assertBlockhash(built.lifetime, '1'.repeat(32), 1n);
  });

  await t.test('is the newest one when the transfer is built, not the one of when the request came', async () => {
    const chain = new FakeChain({
      whileReading: (self) => {
        self.height = 2;
      },
    });
    const built = await builderOf(chain).build(sampleRequest, never);
    assertBlockhash(built.lifetime, `${'1'.repeat(31)}2`, 2n);
    assert.ok(Buffer.from(built.bytes).includes(Buffer.from([...new Uint8Array(31), 1])));
  });

  await t.test('is awaited when there is none yet', async () => {
    class SlowBlockhash extends FakeChain {
      override async readBlockhash(): Promise<FreshBlockhash> {
        await new Promise((resolve) => setImmediate(resolve));
        return super.readBlockhash();
      }
    }
    const built = await builderOf(new SlowBlockhash()).build(sampleRequest, never);
    assertBlockhash(built.lifetime, '1'.repeat(32), 1n);
  });

  await t.test('is the fault of a transfer that would land, and not of one that would not', async () => {
    class NoBlockhash extends FakeChain {
      override async readBlockhash(): Promise<FreshBlockhash> {
        throw new AppError('upstream_unavailable', 'no blockhash');
      }
    }
    const lands = builderOf(new NoBlockhash()).build(sampleRequest, never);
    await assert.rejects(lands, (error) => isAppError(error, 'upstream_unavailable'));
    const fails = builderOf(new NoBlockhash()).build({ ...sampleRequest, amount: 2_000_001n }, never);
    await assert.rejects(fails, (error) => isTransferRefused(error, 'insufficient_token_balance'));
  });
});

test('A fault of the chain is passed on as it is, and no transfer is refused for it', async () => {
  class NoAccounts extends FakeChain {
    override readAccounts(): Promise<never> {
      return Promise.reject(new AppError('upstream_timeout', 'too slow'));
    }
  }
  const build = builderOf(new NoAccounts()).build(sampleRequest, never);
  await assert.rejects(build, (error) => isAppError(error, 'upstream_timeout'));
});

test('Only a sender who has nothing where its tokens belong is looked for elsewhere, in one call that may fail', async () => {
  const { from, mint } = sampleRequest;
  const holding = (amount: bigint): Account => {
    const data = Buffer.alloc(165);
    data.set(addressToBytes(mint), 0);
    data.set(addressToBytes(from), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = 1;
    return { owner: tokenProgram, lamports: 1n, data, executable: false };
  };
  const other = carol;
  const elsewhere = { tokenAccount: other, amount: 7n };
  const { sender } = tokenAccountsOf(sampleRequest, tokenProgram);
  const refusedBy = async (own: Account | null, more: Partial<FakeChain> = {}) => {
    const chain = new FakeChain({
      changed: (accounts, addresses) => accounts.map((account, i) => (addresses[i] === sender ? own : account)),
    });
    chain.tokenAccounts = new Map([[other, holding(7n)]]);
    Object.assign(chain, more);
    const error = await builderOf(chain)
      .build(sampleRequest, never)
      .catch((reason: unknown) => reason);
    assert.ok(isTransferRefused(error));
    const [{ code, context }] = error.findings;
    return [code, 'elsewhere' in context ? context.elsewhere : undefined, chain.tokenAccountReads];
  };
  const asked = [[from, mint]];
  assert.deepEqual(await refusedBy(null), ['sender_token_account_not_found', elsewhere, asked]);
  assert.deepEqual(await refusedBy(holding(0n)), ['insufficient_token_balance', elsewhere, asked]);
  assert.deepEqual(await refusedBy(holding(1n)), ['insufficient_token_balance', undefined, []]);
  assert.deepEqual(await refusedBy(null, { tokenAccounts: new Map() }), [
    'sender_token_account_not_found',
    undefined,
    asked,
  ]);
  const readTokenAccounts = () => Promise.reject(tooSlow());
  assert.deepEqual(await refusedBy(null, { readTokenAccounts }), ['sender_token_account_not_found', undefined, []]);
  const chain = new FakeChain();
  await builderOf(chain).build(sampleRequest, never);
  assert.deepEqual(chain.tokenAccountReads, []);
});
