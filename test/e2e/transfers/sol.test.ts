import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address, generateKeyPairSigner } from '@solana/kit';
import { verifyBatch, verifyTransfer } from '../../../packages/client/src/verify/index.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { startTestService } from '../../setup/service.ts';
import { named, peopleOf } from '../../setup/wallets.ts';

const service = await startTestService({ after });
const { world, ledger } = service.sandbox;
const { alice, bob, carol } = peopleOf(world);
const lamportsOf = (wallet: string): bigint => BigInt(ledger.getAccount(address(wallet))?.lamports ?? 0);
const bodyOf = (more: object) => {
  return { from_address: alice.address, to_address: bob.address, token_mint_address: 'SOL', ...more };
};

async function ask(path: string, body: object): Promise<{ status: number; reply: Json }> {
  const response = await service.post(path, body);
  return { status: response.status, reply: await response.json() };
}

async function land(more: object): Promise<Json> {
  const { status, reply } = await ask('/v1/transfers', bodyOf(more));
  assert.equal(status, 200, JSON.stringify(reply));
  const { sentence } = await verifyTransfer(bodyOf(more), reply, { operation: '/v1/transfers' });
  assert.match(sentence, /, in SOL; /);
  await landInWorld(service.sandbox, reply.data.transaction, reply.data.signers);
  ledger.advanceSlots(1);
  return reply.data;
}

describe('SOL', () => {
  it('lands exactly as its summary says, with memo, references and splits, in every version', async () => {
    const fresh = (await generateKeyPairSigner()).address;
    for (const version of ['legacy', 0, 1]) {
      const before = [alice.address, bob.address, fresh].map(lamportsOf);
      const { summary } = await land({
        amount_decimal: '0.25',
        memo: 'order 7',
        references: [carol.address],
        splits: [{ to_address: fresh, amount: '1000000' }],
        transaction_version: version,
      });
      const { token_program, decimals, sender_token_account, recipient_token_account, amount, rent } = summary;
      assert.deepEqual(
        [token_program, decimals, sender_token_account, recipient_token_account, amount, rent],
        [null, 9, null, null, { base_units: '250000000', decimal: '0.25' }, '0'],
      );
      const fee = BigInt(summary.network_fee) + BigInt(summary.priority_fee);
      const changes = [alice.address, bob.address, fresh].map(
        (each, index) => lamportsOf(each) - (before[index] ?? 0n),
      );
      assert.deepEqual(changes, [-251_000_000n - fee, 250_000_000n, 1_000_000n]);
    }
  });

  it('is paid to many in a batch', async () => {
    const wallets = await Promise.all(Array.from({ length: 30 }, generateKeyPairSigner));
    const transfers = wallets.map((wallet) => ({ to_address: wallet.address, amount: '2000000', memo: 'salary' }));
    const body = { from_address: alice.address, token_mint_address: 'SOL', transfers };
    const { status, reply } = await ask('/v1/transfers/batch', body);
    assert.equal(status, 200, JSON.stringify(reply));
    const { transactions } = await verifyBatch(body, reply);
    assert.ok(transactions.length > 1);
    for (const { transaction, signers } of reply.data.transactions) {
      await landInWorld(service.sandbox, transaction, signers);
    }
    assert.ok(wallets.every((wallet) => lamportsOf(wallet.address) === 2_000_000n));
    assert.equal(reply.data.summary.tokens[0].amount.decimal, '0.06');
  });

  it('is paid as a tip after tokens, named by the reply and by whoever verifies it', async () => {
    const usdc = named(world.mints, 'USDC').address;
    const body = bodyOf({
      token_mint_address: usdc,
      amount: '7',
      memo: 'order 9',
      tip: { account: carol.address, lamports: '200000' },
    });
    const before = lamportsOf(carol.address);
    const { status, reply } = await ask('/v1/transfers', body);
    assert.equal(status, 200, JSON.stringify(reply));
    assert.deepEqual(reply.data.summary.tip, { account: carol.address, lamports: '200000' });
    const { sentence, tip } = await verifyTransfer(body, reply);
    assert.deepEqual(tip, { account: carol.address, lamports: 200_000n });
    assert.match(sentence, new RegExp(`pays a tip of 200000 lamports to ${carol.address}`));
    for (const other of [
      undefined,
      { account: carol.address, lamports: '200001' },
      { account: bob.address, lamports: '200000' },
    ]) {
      await assert.rejects(verifyTransfer({ ...body, tip: other }, reply));
    }
    await landInWorld(service.sandbox, reply.data.transaction, reply.data.signers);
    assert.equal(lamportsOf(carol.address) - before, 200_000n);
  });

  it('is refused where the payment would fail or be lost, and by the older operations', async () => {
    const refusal = async (more: object, path = '/v1/transfers') => {
      const { reply } = await ask(path, bodyOf({ amount: '1000000', ...more }));
      return reply.errors.map((each: Json) => `${each.code} ${each.pointer}`);
    };
    const fresh = (await generateKeyPairSigner()).address;
    assert.deepEqual(await refusal({ to_address: fresh, amount: '1' }), ['recipient_below_rent_minimum /to_address']);
    const incinerator = '1nc1nerator11111111111111111111111111111111';
    assert.deepEqual(await refusal({ to_address: incinerator }), ['recipient_is_reserved /to_address']);
    const mpp = { layout: 'mpp', fee_payer: carol.address };
    assert.deepEqual(await refusal(mpp), ['layout_conflict /token_mint_address']);
    const older = '/v1/create-token-account-transfer';
    assert.deepEqual(await refusal({}, older), ['invalid_address /token_mint_address']);
  });

  it('is sent whole by "max", which leaves the sender nothing', async () => {
    const before = [alice.address, bob.address].map(lamportsOf);
    const tip = { account: carol.address, lamports: '5' };
    const { summary } = await land({ amount: 'max', priority_fee: '1000', tip });
    const amount = BigInt(summary.amount.base_units);
    assert.equal(amount, (before[0] ?? 0n) - BigInt(summary.network_fee) - BigInt(summary.priority_fee) - 5n);
    assert.ok(summary.warnings.some(({ code }: Json) => code === 'amount_is_max'));
    assert.deepEqual([alice.address, bob.address].map(lamportsOf), [0n, (before[1] ?? 0n) + amount]);
  });
});
