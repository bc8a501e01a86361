import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { bob, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import type { Json } from '../../setup/json.ts';
import { land, slotsUntilDead } from '../idempotency/keyed-client.ts';
import {
  assertContract,
  balanceOf,
  batchOf,
  freshTransfers,
  path,
  startBatchService,
  untilDecided,
  untilLanded,
  untilStatus,
} from './batch-service.ts';

describe('a batch under an Idempotency-Key, of which a part has landed', () => {
  it('is built for the rest once that is dead, again and again, until all have landed', async (t) => {
    const { sandbox, post } = await startBatchService(t);
    const transfers = freshTransfers(60);
    const retry = () => untilDecided(() => post(path, batchOf(transfers), 'payroll'));
    const landed: Json[] = [];
    let built = await post(path, batchOf(transfers), 'payroll');
    assert.equal(built.json.data.landed_transactions, undefined);
    for (let round = 0; built.status === 200; round++) {
      assert.ok(round < 10);
      const { transactions, summary, landed_transactions: named = [] } = built.json.data;
      assert.deepEqual(named, landed);
      assertContract(built, 'application/json');
      const all = [...named, ...transactions].flatMap((each: Json) => each.transfers).sort((a, b) => a - b);
      assert.deepEqual(all, [...transfers.keys()], 'each transfer is paid, or has a transaction');
      assert.equal(summary.transfer_count, transactions.flatMap((each: Json) => each.transfers).length);
      assert.deepEqual((await post(path, batchOf(transfers), 'payroll')).json, built.json, 'a retry gets it again');
      // One more of them each time, the last ones first.
      const sent = transactions.slice(-1 - round);
      for (const { transaction, transfers } of sent) {
        const { signature } = await land(sandbox, transaction);
        landed.push({ transfers, signature });
      }
      sandbox.ledger.advanceSlots(slotsUntilDead);
      built = await retry();
    }
    assert.deepEqual([built.status, built.json.code], [409, 'already_landed']);
    assert.deepEqual(built.json.landed_transactions, landed);
    assertContract(built, 'application/problem+json');
    for (const { to_address, amount } of transfers) assert.equal(balanceOf(sandbox, to_address), BigInt(amount));
  });

  it('names transfers by their indices in the request when the rest is refused, and is built once it can be', async (t) => {
    const { sandbox, post } = await startBatchService(t);
    const body = batchOf([
      ...freshTransfers(30),
      ...Array.from({ length: 2 }, () => ({ to_address: bob, amount: '1' })),
    ]);
    const built = await post(path, body, 'payroll');
    const [first] = built.json.data.transactions;
    await land(sandbox, first.transaction);
    sandbox.ledger.advanceSlots(slotsUntilDead);
    const bobs = findAssociatedTokenAddress({ owner: toAddress(bob), mint: toAddress(usdc), tokenProgram }).address;
    const account = sandbox.ledger.getAccount(address(bobs));
    assert.ok(account);
    const frozen = Uint8Array.from(account.data);
    frozen[108] = 2;
    sandbox.ledger.setAccount({ ...account, data: frozen });
    const refused = await untilStatus(422, () => post(path, body, 'payroll'));
    assert.deepEqual(
      refused.json.errors.map(({ pointer }: Json) => pointer),
      ['/transfers/30/to_address', '/transfers/31/to_address'],
    );
    const landed = refused.json.landed_transactions;
    assert.deepEqual(
      landed.map(({ transfers }: Json) => transfers),
      [first.transfers],
    );
    assertContract(refused, 'application/problem+json');
    const others = await post(path, { ...body, skip_refused: true }, 'payroll');
    assertContract(others, 'application/json');
    assert.deepEqual(others.json.data.landed_transactions, landed);
    assert.deepEqual(
      others.json.data.refused.map(({ index }: Json) => index),
      [30, 31],
    );
    for (const { transaction } of others.json.data.transactions) await land(sandbox, transaction);
    const other = await post(path, batchOf(freshTransfers(1)), 'payroll');
    assert.equal(other.json.code, 'idempotency_key_reused', 'something of the first body was paid');
    sandbox.ledger.setAccount(account);
    sandbox.ledger.advanceSlots(2);
    const rest = await untilStatus(200, () => post(path, body, 'payroll'));
    assert.deepEqual(rest.json.data.transactions[0].transfers, [30, 31]);
    await untilLanded(1 + others.json.data.transactions.length, () => post(path, body, 'payroll'));
    const warned = rest.json.data.summary.warnings.find(({ code }: Json) => code === 'repeated_recipient');
    assert.match(warned.detail, /30.*31/);
  });

  it('counts towards a daily limit when it is built, and its rest when that is built again', async (t) => {
    const { sandbox, post, limitPerDay, builtToday } = await startBatchService(t);
    const transfers = freshTransfers(30);
    await limitPerDay(465n + 100n);
    const built = await post(path, batchOf(transfers), 'payroll');
    assert.equal((await post(path, batchOf(transfers), 'payroll')).isReplay, true);
    assert.equal(await builtToday(), 465n);
    const sum = (indices: readonly number[]): bigint => indices.reduce((all, index) => all + BigInt(index + 1), 0n);
    const { transactions } = built.json.data;
    const rest = transactions.at(0).transfers;
    for (const { transaction } of transactions.slice(1)) await land(sandbox, transaction);
    sandbox.ledger.advanceSlots(slotsUntilDead);
    const rebuilt = await untilDecided(() => post(path, batchOf(transfers), 'payroll'));
    assert.deepEqual(
      rebuilt.json.data.transactions.flatMap((each: Json) => each.transfers),
      rest,
    );
    assert.equal(await builtToday(), 465n + sum(rest));
    const refused = await post(path, batchOf(freshTransfers(30)), 'payroll-2');
    assert.equal(refused.json.code, 'daily_limit_reached');
  });
});
