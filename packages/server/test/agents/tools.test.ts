import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOrder } from '../../src/agents/order-key.ts';
import { describeRefusal } from '../../src/agents/refusals.ts';
import { toolDescriptions } from '../../src/agents/tool-descriptions.ts';
import { type RouteRequest, tools } from '../../src/agents/tools.ts';
import { exampleTransactions } from '../../src/app/schema-parts.ts';

/** What a tool asks of the routes. */
async function requestsOf(name: string, given: Record<string, unknown>): Promise<readonly RouteRequest[]> {
  const requests: RouteRequest[] = [];
  await tools[name]?.(given, async (request) => {
    requests.push(request);
    return { isError: false, value: {} };
  });
  return requests;
}

describe('an order', () => {
  it('has one key in any case and spacing, and another key for another name', () => {
    const key = readOrder('Invoice  7')?.idempotencyKey;
    assert.match(key ?? '', /^order-[\da-f]{64}$/);
    for (const same of [' invoice 7\n', 'INVOICE 7', 'Invoice\u00a07'])
      assert.equal(readOrder(same)?.idempotencyKey, key);
    for (const other of ['invoice 8', 'invoice7', 'invoice 7.']) assert.notEqual(readOrder(other)?.idempotencyKey, key);
  });

  it('is a text of 1 to 200 characters', () => {
    for (const none of [undefined, null, 7, '', ' \n', 'x'.repeat(201), {}]) assert.equal(readOrder(none), undefined);
  });
});

describe('the tools for agents', () => {
  it('are all described', () => assert.deepEqual(Object.keys(toolDescriptions), Object.keys(tools)));

  it('ask one path under one key for an order, whichever of them builds it and whatever the amount is', async () => {
    const transfer = { to_address: 'b', amount_decimal: '1' };
    const [one] = await requestsOf('build_transfer', { order: 'A', from_address: 'a', ...transfer });
    const [other] = await requestsOf('build_batch', { order: 'a', transfers: [{ ...transfer, amount_decimal: '2' }] });
    assert.deepEqual(one?.body, {
      from_address: 'a',
      token_mint_address: undefined,
      transfers: [transfer],
      metadata: { order: 'a' },
    });
    assert.deepEqual([one?.url, one?.idempotencyKey], ['/v1/transfers/batch', readOrder('a')?.idempotencyKey]);
    assert.deepEqual([other?.url, other?.idempotencyKey], [one?.url, one?.idempotencyKey]);
  });

  it('ask nothing without an order', async () => {
    for (const name of ['build_transfer', 'build_batch', 'create_payment_link'])
      assert.deepEqual(await requestsOf(name, { to_address: 'b' }), [], name);
  });

  it('keep an id of a link in its place of the path', async () => {
    assert.equal((await requestsOf('payment_link', { id: '../key?x' }))[0]?.url, '/v1/payment-links/..%2Fkey%3Fx');
  });

  it('say in words what bytes do, and of others that they are none', async () => {
    const ask = () => assert.fail('no route is asked');
    const known = await tools.inspect_transaction?.({ transaction: exampleTransactions.memo_transfer }, ask);
    assert.match(JSON.stringify(known), /"isError":false.*invoice 1001/);
    assert.equal((await tools.inspect_transaction?.({ transaction: 'AQ==' }, ask))?.isError, true);
  });

  it('tell no model to take another key for the same order', () => {
    const reused = { code: 'idempotency_key_reused', detail: 'Send this one with a key of its own.' };
    assert.match(JSON.stringify(describeRefusal(reused)), /Do not build it again/);
    assert.deepEqual(describeRefusal({ code: 'rate_limited', detail: 'Wait.' }), {
      code: 'rate_limited',
      detail: 'Wait.',
    });
  });
});
