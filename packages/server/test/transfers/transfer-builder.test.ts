import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clockSysvar, rentSysvar } from '../../../core/src/accounts/sysvars.ts';
import { token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import { ReadBackError } from '../../../core/src/plan/read-back.ts';
import { changed, recipientOf, tokenAccountsOf } from '../../../core/test/fixtures.ts';
import { isAppError } from '../../src/problems.ts';
import { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

const never = Number.POSITIVE_INFINITY;

describe('the sysvars', () => {
  for (const [sysvar, length] of [
    [rentSysvar, 17],
    [clockSysvar, 40],
  ] as const) {
    const chainWith = (data: Uint8Array | undefined): FakeChain =>
      new FakeChain({
        changed: (accounts, addresses) =>
          accounts.map((account, index) => {
            if (addresses[index] !== sysvar || !account) return account;
            return data ? { ...account, data } : null;
          }),
      });

    test(`${sysvar} that is missing or too short is the upstream's fault, and one of ${length} bytes is whole`, async () => {
      const isFault = (error: unknown): boolean => isAppError(error, 'upstream_error');
      await assert.rejects(builderOf(chainWith(undefined)).build(sampleRequest, never), isFault);
      await assert.rejects(builderOf(chainWith(new Uint8Array(length - 1))).build(sampleRequest, never), isFault);
      const whole = new Uint8Array(length);
      // What one byte costs for a year, and two years: as on every cluster.
      new DataView(whole.buffer).setBigUint64(0, 3480n, true);
      new DataView(whole.buffer).setFloat64(8, 2, true);
      assert.ok((await builderOf(chainWith(whole)).build(sampleRequest, never)).bytes.length > 0);
    });
  }
});

test('a transaction that would pay another wallet’s token account is never handed out', async () => {
  const chain = new FakeChain();
  const builder = builderOf(chain);
  const { plan } = await builder.build(sampleRequest, never);
  const { recipient } = tokenAccountsOf(sampleRequest, tokenProgram);
  assert.equal(recipientOf(plan).recipientTokenAccount, recipient);
  // What a wrong derivation would make of the plan, before its bytes are made.
  const wrong = changed(plan, { recipientTokenAccount: plan.senderTokenAccount });
  assert.throws(() => buildTransaction(wrong, '1'.repeat(32)), ReadBackError);
});

test('what is built is reported with the moment that its blockhash was asked for, and without one for a nonce', async () => {
  const built: (number | undefined)[] = [];
  const observer = { built: (askedAt: number | undefined) => built.push(askedAt) };
  const builder = new TransferBuilder(new FakeChain(), { maxPriorityFeeLamports: 1_000_000n, observer });
  await builder.build(sampleRequest, never);
  assert.deepEqual(built, [0]);
});

test('a mint under Token-2022 is known under it the next time', async () => {
  const chain = new FakeChain();
  chain.mintProgram = token2022Program;
  const builder = builderOf(chain);
  await builder.build(sampleRequest, never);
  await builder.build(sampleRequest, never);
  const pair = tokenAccountsOf(sampleRequest, token2022Program);
  assert.ok(chain.accountReads[1]?.includes(pair.recipient));
  assert.deepEqual(
    chain.accountReads.map((addresses) => addresses.length),
    [10, 7],
  );
});
