import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Transaction, VersionedTransaction } from '@solana/web3.js';
import { Value } from 'typebox/value';
import { startTestService } from '../../../../test/setup/service.ts';
import { replySchemas } from '../../src/transfers/reply-schema.ts';
import { createBody, createPath, memoBody, memoPath, yidBody } from '../app/sample-bodies.ts';

test('A transfer that lands is answered with', async (t) => {
  const service = await startTestService(t);

  await t.test('operation 1: the bytes and the blockhash, in the order that clients parse', async () => {
    const response = await service.post(memoPath, memoBody);
    const body: unknown = await response.json();
    if (!Value.Check(replySchemas.memo_transfer, body)) assert.fail(JSON.stringify(body));
    const { transaction, latestBlockhash } = body.data;
    const status = 'token transfer with memo and blockhash created successfully';
    assert.equal(JSON.stringify(body), JSON.stringify({ data: { transaction, latestBlockhash }, status }));
    assert.equal(latestBlockhash, response.headers.get('solana-blockhash'));
    assertReply(response, transaction, 2);
  });

  await t.test('operation 2: the bytes as a plain array', async () => {
    const response = await service.post(memoPath, yidBody);
    const body: unknown = await response.json();
    if (!Value.Check(replySchemas.yid_transfer, body)) assert.fail(JSON.stringify(body));
    const expected = { data: body.data, status: 'SPL token transfer tx created successfully' };
    assert.equal(JSON.stringify(body), JSON.stringify(expected));
    assertReply(response, body.data, 2);
  });

  await t.test('operation 3: the bytes as a plain array', async () => {
    const response = await service.post(createPath, createBody);
    const body: unknown = await response.json();
    if (!Value.Check(replySchemas.create_transfer, body)) assert.fail(JSON.stringify(body));
    const status = 'transfer tx with create token account instruction created successfully';
    assert.equal(JSON.stringify(body), JSON.stringify({ data: body.data, status }));
    assertReply(response, body.data, 2);
  });

  await t.test('operation 3 with a memo, under either name: the same reply, with one more instruction', async () => {
    for (const memo of [{ memo: 'invoice 1001' }, { yid: 'invoice 1001' }]) {
      const response = await service.post(createPath, { ...createBody, ...memo });
      const body: unknown = await response.json();
      if (!Value.Check(replySchemas.create_transfer, body)) assert.fail(JSON.stringify(body));
      assert.deepEqual(Object.keys(body), ['data', 'status']);
      assertReply(response, body.data, 3);
      const [, second] = Transaction.from(asArray(body.data)).instructions;
      assert.equal(second?.data.toString('utf8'), 'invoice 1001');
    }
  });

  await t.test('the memo as it was sent, every character of it', async () => {
    const memo = ' Zoë\u0000 "quoted" \\ 支付 👩‍👩‍👧 \ufeff\r\n';
    const body: unknown = await (await service.post(memoPath, { ...memoBody, memo })).json();
    if (!Value.Check(replySchemas.memo_transfer, body)) assert.fail(JSON.stringify(body));
    const [first] = Transaction.from(asArray(body.data.transaction)).instructions;
    assert.equal(first?.data.toString('utf8'), memo);
  });

  await t.test('the same for a body in another order, with escapes, spaces and a byte order mark', async () => {
    const entries = Object.entries(yidBody).reverse();
    const text = `\ufeff \n${JSON.stringify(Object.fromEntries(entries), null, 3).replace('amount', '\\u0061mount')}\t`;
    assert.equal((await service.post(memoPath, text)).status, 200);
  });

  await t.test('every way to say JSON in UTF-8', async () => {
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON ; Charset="UTF-8"',
      'application/json; a=b',
    ]) {
      assert.equal((await service.post(memoPath, yidBody, { 'content-type': type })).status, 200, type);
    }
    assert.equal((await service.post(memoPath, yidBody, { 'content-encoding': 'identity' })).status, 200);
  });

  await t.test('the request id that the caller chose', async () => {
    for (const id of ['order-77', 'a.b_c:d', 'x'.repeat(128)]) {
      const response = await service.post(memoPath, yidBody, { 'x-request-id': id });
      assert.equal(response.headers.get('x-request-id'), id);
      assert.ok(service.log.some((line) => JSON.parse(line).request_id === id));
    }
  });

  await t.test('an id of its own in place of one that could do harm in a log or a header', async () => {
    for (const id of ['a b', '', '"}', 'x'.repeat(129), 'é', '<script>', '../..', "1';--", 'a\tb']) {
      const response = await service.post(memoPath, yidBody, { 'x-request-id': id });
      assert.equal(response.status, 200);
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, id);
    }
  });

  await t.test('a log line that holds no part of the request but its route', async () => {
    const before = service.log.length;
    await service.post(`${memoPath}?secret=1`, { ...memoBody, memo: 'private memo' });
    const lines = service.log.slice(before).map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ time: _, pid: __, hostname: ___, request_id: ____, milliseconds: _____, ...line }) => line),
      [{ level: 30, method: 'POST', route: memoPath, status: 200, msg: 'request' }],
    );
  });
});

function asArray(transaction: number[] | string): number[] {
  if (typeof transaction === 'string') assert.fail('the transaction is a string by default');
  return transaction;
}

function assertReply(response: Response, data: number[] | string, instructionCount: number): void {
  const bytes = asArray(data);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.match(response.headers.get('solana-last-valid-block-height') ?? '', /^[1-9][0-9]*$/);

  const transaction = Transaction.from(bytes);
  assert.equal(transaction.instructions.length, instructionCount);
  assert.equal(transaction.feePayer?.toBase58(), createBody.from_address);
  assert.equal(transaction.recentBlockhash, response.headers.get('solana-blockhash'));
  const { message, signatures } = VersionedTransaction.deserialize(Uint8Array.from(bytes));
  assert.equal(message.version, 'legacy');
  assert.deepEqual(
    signatures.map((signature) => Buffer.from(signature).toString('hex')),
    ['00'.repeat(64)],
  );
}
