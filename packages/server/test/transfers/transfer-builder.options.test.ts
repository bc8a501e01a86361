import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { summarizeTransaction } from '../../../core/src/transaction/summarize-transaction.ts';
import { recipientOf } from '../../../core/test/fixtures.ts';
import { isTransferRefused, SimulationFailed } from '../../src/transfers/transfer-refused.ts';
import { bob } from '../app/sample-bodies.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { initializedNonceAccount, nonce, nonceAccount } from './sample-nonce-account.ts';

const never = Number.POSITIVE_INFINITY;

function chainWith(address: Address, account: Account): FakeChain {
  return new FakeChain({
    changed: (accounts, addresses) => accounts.map((known, index) => (addresses[index] === address ? account : known)),
  });
}

test('A nonce takes the place of the blockhash, which is not even read', async () => {
  const chain = chainWith(nonceAccount, initializedNonceAccount());
  const built = await builderOf(chain).build({ ...sampleRequest, nonceAccount }, never);
  assert.equal(chain.blockhashReads, 0);
  assert.ok('nonce' in built.lifetime);
  assert.equal(built.lifetime.nonce, nonce);
  const summary = summarizeTransaction(built.bytes);
  assert.equal(summary.blockhash, nonce);
  assert.equal(summary.instructions[0]?.kind, 'advance_nonce_account');
  assert.deepEqual(
    chain.accountReads.map((addresses) => [addresses.length, addresses.includes(nonceAccount)]),
    [[11, true]],
  );
});

test('A fee payer is read with the other accounts, in the same round trip', async () => {
  const feePayer = toAddress(bob);
  const payer: Account = { owner: systemProgram, lamports: 5_000_000_000n, data: new Uint8Array(), executable: false };
  const chain = chainWith(feePayer, payer);
  const built = await builderOf(chain).build({ ...sampleRequest, feePayer }, never);
  assert.deepEqual(summarizeTransaction(built.bytes).signers, [feePayer, sampleRequest.from]);
  assert.equal(chain.accountReads.length, 1);
});

test('Recent prices', async (t) => {
  await t.test('are read for a level alone, and for the accounts that are written alone', async () => {
    const chain = new FakeChain();
    const builder = builderOf(chain);
    await builder.build(sampleRequest, never);
    await builder.build({ ...sampleRequest, priorityFee: { microLamportsPerComputeUnit: 5n } }, never);
    assert.deepEqual(chain.priceReads, []);
    const { plan } = await builder.build({ ...sampleRequest, priorityFee: { level: 'low' } }, never);
    assert.deepEqual(chain.priceReads, [
      [plan.feePayer, plan.senderTokenAccount, recipientOf(plan).recipientTokenAccount],
    ]);
  });

  await t.test('are read once for a transfer, after its accounts', async () => {
    const chain = new FakeChain();
    chain.prices = [3n, 1n, 2n];
    const { plan } = await builderOf(chain).build({ ...sampleRequest, priorityFee: { level: 'medium' } }, never);
    assert.deepEqual([plan.computeUnitPrice, chain.priceReads.length, chain.accountReads.length], [2n, 1, 1]);
  });
});

test('A simulation', async (t) => {
  await t.test(
    'is run when it is asked for, on the same transaction but for its blockhash, which the node replaces',
    async () => {
      const chain = new FakeChain();
      const builder = builderOf(chain);
      assert.equal((await builder.build(sampleRequest, never)).unitsConsumed, undefined);
      assert.equal(chain.simulated.length, 0);
      const built = await builder.build(sampleRequest, never, true);
      const [simulated] = chain.simulated;
      assert.ok(simulated);
      const { blockhash: _, ...says } = summarizeTransaction(simulated);
      const { blockhash: fresh, ...shouldSay } = summarizeTransaction(built.bytes);
      assert.deepEqual(says, shouldSay);
      assert.deepEqual(built.lifetime, { ...built.lifetime, blockhash: fresh });
      assert.equal(built.unitsConsumed, 4_321);
    },
  );

  await t.test('that fails is refused with what the node said and the instructions', async () => {
    const chain = new FakeChain();
    const error = { InstructionError: [0, { Custom: 1 }] };
    const logs = [`Program ${systemProgram} invoke [1]`, `Program ${systemProgram} failed: custom program error: 0x1`];
    chain.simulation = { error, logs, unitsConsumed: 150 };
    await assert.rejects(builderOf(chain).build(sampleRequest, never, true), (refusal) => {
      assert.ok(refusal instanceof SimulationFailed);
      assert.deepEqual([refusal.error, refusal.logs], [error, logs]);
      assert.equal(refusal.instructions[0]?.kind, 'create_associated_token_account_idempotent');
      return true;
    });
  });

  await t.test('is not run for a transfer that is refused anyway', async () => {
    const chain = new FakeChain();
    const build = builderOf(chain).build({ ...sampleRequest, amount: 2_000_001n }, never, true);
    await assert.rejects(build, (error) => isTransferRefused(error, 'insufficient_token_balance'));
    assert.equal(chain.simulated.length, 0);
  });
});
