import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { startWebhookReceiver } from '../../setup/webhook-receiver.ts';
import { freshTransfers } from '../batches/batch-service.ts';
import { slotsUntilDead } from '../idempotency/keyed-client.ts';
import { startOutcomeService } from '../outcomes/outcome-service.ts';

describe('what becomes of transfers under an Idempotency-Key is told', async () => {
  const { service, ledger, alice, bob, usdc, sign, land, ask } = await startOutcomeService({ after });
  const receiver = await startWebhookReceiver({ after });
  const post = async (path: string, body: object, key = '') => {
    const response = await service.post(path, body, key === '' ? {} : { 'idempotency-key': key });
    const json = Object(await response.json());
    assert.ok(response.ok, JSON.stringify(json));
    return json.data;
  };
  const fields = { from_address: alice.address, token_mint_address: usdc };
  const transfer = (key: string, more: object = {}) =>
    post('/v1/transfers', { ...fields, to_address: bob.address, amount: '700', memo: key, ...more }, key);
  const bytesOf = (built: { transaction: string }) => Buffer.from(built.transaction, 'base64');
  /** The payloads about a key at the receiver, once there are as many. */
  const told = (key: string, count: number) =>
    readUntil(
      () => receiver.payloads().filter(({ data }) => data.idempotency_key === key),
      (payloads) => payloads.length >= count,
    );
  await post('/v1/webhook-endpoints', { url: receiver.url });

  it('when one landed and when it is final, as the route of outcomes has it', async () => {
    const metadata = { order: '1001', shop: 'Tea "house"' };
    const { transaction, lifetime, ...built } = await transfer('order-1', { metadata });
    assert.deepEqual(built.metadata, metadata);
    const signature = land(await sign(Buffer.from(transaction, 'base64')));
    const payloads = await told('order-1', 2);
    assert.deepEqual(payloads.map(({ type }) => type).sort(), ['transfer.final', 'transfer.landed']);
    const final = payloads.find(({ type }) => type === 'transfer.final');
    const { message_hash: _, idempotency_key, path, transaction_index, metadata: ofRequest, ...verdict } = final.data;
    assert.deepEqual(ofRequest, metadata);
    for (const [pair, count] of [
      ['order:1001', 2],
      ['shop:Tea "house"', 2],
      ['order:100', 0],
      ['type:transfer.final', 0],
    ] as const) {
      const listed = await fetch(`${service.url}/v1/events?metadata=${encodeURIComponent(pair)}`, {
        headers: { authorization: `Bearer ${sandboxApiKey}` },
      });
      assert.equal(Object(await listed.json()).data.length, count, pair);
    }
    assert.deepEqual([idempotency_key, path, transaction_index], ['order-1', '/v1/transfers', 0]);
    assert.equal(verdict.signature, signature);
    const { last_valid_block_height } = lifetime;
    assert.deepEqual([verdict], await ask({ transaction, last_valid_block_height }));
  });

  it('when one is never submitted, and what becomes of the one that a retry builds', async () => {
    const first = await transfer('order-2');
    ledger.advanceSlots(slotsUntilDead);
    const [expired] = await told('order-2', 1);
    assert.equal(expired.type, 'transfer.expired');
    const second = await transfer('order-2');
    assert.notEqual(second.transaction, first.transaction);
    land(await sign(bytesOf(second)));
    const payloads = await told('order-2', 3);
    assert.deepEqual(payloads.map(({ type }) => type).sort(), [
      'transfer.expired',
      'transfer.final',
      'transfer.landed',
    ]);
    assert.equal(new Set(payloads.map(({ data }) => data.message_hash)).size, 2);
  });

  it('when one failed on chain, once it can land no more', async () => {
    const failing = await transfer('order-3', { amount: '500000000000' });
    const spending = await post('/v1/transfers', { ...fields, to_address: bob.address, amount: '600000000000' });
    land(await sign(bytesOf(spending)));
    const signature = land(await sign(bytesOf(failing)), true);
    ledger.advanceSlots(slotsUntilDead);
    const [failed] = await told('order-3', 1);
    assert.deepEqual([failed.type, failed.data.signature], ['transfer.failed', signature]);
  });

  it('of each transaction of a batch, with the transfers that it makes', async () => {
    const built = await post('/v1/transfers/batch', { ...fields, transfers: freshTransfers(20) }, 'payroll');
    assert.ok(built.transactions.length >= 2);
    const [landing, ...others] = built.transactions;
    land(await sign(bytesOf(landing)));
    await told('payroll', 2);
    ledger.advanceSlots(slotsUntilDead);
    const payloads = await told('payroll', 2 + others.length);
    const outcomes = payloads.map(({ type, data }) => `${type} ${data.transaction_index} ${data.transfers}`);
    const expected = [
      `transfer.landed 0 ${landing.transfers}`,
      `transfer.final 0 ${landing.transfers}`,
      ...others.map(
        (each: { transfers: number[] }, index: number) => `transfer.expired ${index + 1} ${each.transfers}`,
      ),
    ];
    assert.deepEqual(outcomes.sort(), expected.sort());
  });

  it('each once', () => {
    const told = receiver.payloads().map(({ type, data }) => `${type} ${data.message_hash}`);
    assert.deepEqual(told, [...new Set(told)]);
  });
});
