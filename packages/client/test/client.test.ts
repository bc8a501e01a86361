import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ClientOptions, SplwrightClient, SplwrightError } from '../src/index.ts';
import { built, fakeService, refusal } from './fake-service.ts';

const request = { from_address: 'a', to_address: 'b', token_mint_address: 'm', amount: 2n ** 64n - 1n };

/** Runs a call on a clock that jumps to whatever is waited for. Returns how long it would have taken. */
async function hurry<T>(t: TestContext, call: () => Promise<T>): Promise<{ value: T; ms: number }> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const startedAt = Date.now();
  let isDone = false;
  const running = call().finally(() => {
    isDone = true;
  });
  running.catch(() => undefined);
  while (!isDone) {
    // All that can go on without the clock does.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    if (!isDone) t.mock.timers.tick(10);
  }
  return { value: await running, ms: Date.now() - startedAt };
}

// Three bytes are no transaction: what is verified has tests of its own.
const client = (options: ClientOptions, more: Partial<ClientOptions> = {}) =>
  new SplwrightClient({ ...options, verify: false, ...more });

describe('a call of the client', () => {
  it('posts the request with the key, amounts as text, and answers bytes', async () => {
    const { options, asked } = fakeService(built('AQID'));
    const transfer = await client(options).buildTransfer(request);
    assert.deepEqual(transfer.transaction, Uint8Array.of(1, 2, 3));
    assert.equal(transfer.isReplay, false);
    assert.equal(asked[0]?.url, 'https://service.example/v1/transfers');
    assert.equal(asked[0]?.headers.authorization, 'Bearer swk_test');
    assert.equal(asked[0]?.body?.amount, '18446744073709551615');
  });

  it('tries again under one Idempotency-Key when the answer is lost, so that there is one payment', async (t) => {
    const { options, asked } = fakeService(
      new Error('connection reset'),
      refusal('idempotency_in_progress', 409, {}, { 'retry-after': '1' }),
      { status: 502, body: '<html>bad gateway</html>' },
      built('AQID', { 'idempotency-replayed': 'true' }),
    );
    const { value } = await hurry(t, () => client(options).buildTransfer(request));
    assert.equal(value.isReplay, true);
    assert.equal(asked.length, 4);
    const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']));
    assert.equal(keys.size, 1);
    assert.match([...keys][0] ?? '', /^[0-9a-f]{32}$/);
  });

  it('has another key in each call, the one that the caller names, or none', async () => {
    const { options, asked } = fakeService(built('AQID'), built('AQID'), built('AQID'), built('AQID'));
    const its = client(options);
    await its.buildTransfer(request);
    await its.buildTransfer(request);
    await its.buildTransfer(request, { idempotencyKey: 'order-1001' });
    await its.buildTransfer(request, { idempotencyKey: false });
    const [first, second, third, fourth] = asked.map(({ headers }) => headers['idempotency-key']);
    assert.notEqual(first, second);
    assert.deepEqual([third, fourth], ['order-1001', undefined]);
  });

  it('waits as long as the service asks', async (t) => {
    const { options } = fakeService(refusal('rate_limited', 429, {}, { 'retry-after': '17' }), built('AQID'));
    const { ms } = await hurry(t, () => client(options).buildTransfer(request));
    assert.ok(ms >= 17_000 && ms < 17_500, `${ms} ms`);
  });

  it('leaves longer waits to the caller', async () => {
    const { options, asked } = fakeService(refusal('rate_limited', 429, {}, { 'retry-after': '60' }));
    await assert.rejects(client(options).buildTransfer(request), (error) => {
      assert.ok(error instanceof SplwrightError);
      assert.deepEqual([error.code, error.status, error.requestId], [error.problem.code, 429, '1']);
      assert.equal(error.retryAfterMs, 60_000);
      return error.problem.code === 'rate_limited';
    });
    assert.equal(asked.length, 1);
  });

  it('has a list of errors, which is empty where the problem has none', () => {
    assert.deepEqual(new SplwrightError({ code: 'no_answer', detail: 'x' }).errors, []);
  });

  it('does not repeat what no retry changes, and says all that is wrong', async () => {
    const errors = [{ pointer: '/amount', code: 'invalid_amount', detail: 'It is no number.' }];
    const { options, asked } = fakeService(refusal('invalid_request', 400, { errors }));
    await assert.rejects(client(options).buildTransfer(request), (error) => {
      assert.ok(error instanceof SplwrightError);
      assert.deepEqual(error.errors, errors);
      return error.message === 'invalid_request: because of invalid_request';
    });
    assert.equal(asked.length, 1);
  });

  it('names the transaction that has paid already', async () => {
    const landed = { signature: 's', slot: '7', block_time: null };
    const { options } = fakeService(refusal('already_landed', 409, { landed }));
    await assert.rejects(client(options).buildTransfer(request), (error) => {
      assert.ok(error instanceof SplwrightError && error.problem.code === 'already_landed');
      return error.problem.landed.signature === 's';
    });
  });

  it('gives up after its retries, and says that there was no answer', async (t) => {
    const { options, asked } = fakeService(...Array.from({ length: 9 }, () => new Error('refused')));
    const call = () => client(options, { maxRetries: 2 }).buildTransfer(request);
    await assert.rejects(hurry(t, call), { message: 'no_answer: the service was not reached' });
    assert.equal(asked.length, 3);
  });

  it('ends an attempt that takes too long, and tries again', async (t) => {
    const { options, asked } = fakeService('silence', built('AQID'));
    const { ms } = await hurry(t, () => client(options, { timeoutMs: 500 }).buildTransfer(request));
    assert.equal(asked.length, 2);
    assert.ok(ms >= 500 && ms < 1_000, `${ms} ms`);
  });

  it('ends with the reason of the signal: before, while it asks, and while it waits', async () => {
    const reason = new Error('the user left');
    const before = fakeService(built('AQID'));
    await assert.rejects(client(before.options).buildTransfer(request, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(before.asked.length, 0);

    const asking = fakeService('silence');
    const whileItAsks = new AbortController();
    const call = client(asking.options).buildTransfer(request, { signal: whileItAsks.signal });
    whileItAsks.abort(reason);
    await assert.rejects(call, reason);

    const waiting = fakeService(refusal('rate_limited', 429, {}, { 'retry-after': '20' }));
    const whileItWaits = new AbortController();
    const limited = client(waiting.options).buildTransfer(request, { signal: whileItWaits.signal });
    while (waiting.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    whileItWaits.abort(reason);
    await assert.rejects(limited, reason);
  });

  it('ends with an error of its own where signals have no reason, as in React Native', async () => {
    const { options, asked } = fakeService(refusal('rate_limited', 429, {}, { 'retry-after': '20' }));
    const signal = Object.assign(new EventTarget(), { aborted: false });
    const call = client(options).buildTransfer(request, Object({ signal }));
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    signal.aborted = true;
    signal.dispatchEvent(new Event('abort'));
    await assert.rejects(call, { name: 'AbortError' });
    await assert.rejects(client(options).buildTransfer(request, Object({ signal })), { name: 'AbortError' });
    assert.equal(asked.length, 1);
  });

  it('is refused by something that is not the service without a crash', async () => {
    for (const body of ['<html>', '{"oops":', '[]', 'null', '{"code":7}']) {
      const { options } = fakeService({ status: 404, body });
      const call = () => client(options, { maxRetries: 0 }).buildTransfer(request);
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof SplwrightError);
        assert.deepEqual([error.code, error.status, error.requestId], ['no_answer', undefined, undefined]);
        return true;
      });
    }
  });
});

describe('an operation of the client', () => {
  it('reads the bytes of the three operations, and their lifetime from the headers', async () => {
    const headers = { 'solana-blockhash': 'hash', 'solana-last-valid-block-height': '151' };
    const memo = {
      status: 200,
      body: { data: { transaction: 'AQID', latestBlockhash: 'hash' }, status: 'ok' },
      headers,
    };
    const create = { status: 200, body: { data: 'AQID', status: 'ok', summary: { size: 3 } }, headers };
    const { options, asked } = fakeService(memo, create, create);
    const its = client(options);
    const first = await its.buildTokenTransfer({ ...request, memo: 'invoice' });
    assert.deepEqual(first.lifetime, { blockhash: 'hash', last_valid_block_height: '151' });
    assert.deepEqual(first.transaction, Uint8Array.of(1, 2, 3));
    const second = await its.buildCreateTokenAccountTransfer({ ...request, nonce_account: 'n' });
    assert.deepEqual(second.lifetime, { nonce: 'hash', nonce_account: 'n' });
    assert.deepEqual(second.summary, { size: 3 });
    assert.deepEqual(
      asked.map(({ url, body }) => [new URL(url).pathname, body?.encoding]),
      [
        ['/v1/token-transfer-memo-hash', 'base64'],
        ['/v1/create-token-account-transfer', 'base64'],
      ],
    );
  });

  it('answers each transaction of a batch as bytes', async () => {
    const data = { transactions: [{ transaction: 'AQID', transfers: [0], signers: [] }], lifetime: {}, summary: {} };
    const { options } = fakeService({ status: 200, body: { data, status: 'ok' } });
    const transfers = [{ to_address: 'b', amount: 1n }];
    const batch = await client(options).buildBatch({ from_address: 'a', token_mint_address: 'm', transfers });
    assert.deepEqual(batch.transactions[0]?.transaction, Uint8Array.of(1, 2, 3));
  });

  it('asks for an outcome until it is final, and tells each answer', async (t) => {
    const outcome = (name: string, isFinal: boolean) => ({
      status: 200,
      body: { data: { outcome: name, is_final: isFinal, reason: '' }, status: 'ok' },
    });
    const { options, asked } = fakeService(
      outcome('pending', false),
      outcome('landed', false),
      outcome('landed', true),
    );
    const heard: string[] = [];
    const question = { transaction: Uint8Array.of(1, 2, 3), last_valid_block_height: 151n };
    const wait = () =>
      client(options).waitForOutcome(question, { onOutcome: (each) => heard.push(`${each.outcome} ${each.is_final}`) });
    const { value, ms } = await hurry(t, wait);
    assert.equal(value.is_final, true);
    assert.deepEqual(heard, ['pending false', 'landed false', 'landed true']);
    assert.ok(ms >= 4_000 && ms < 4_500, `${ms} ms`);
    assert.deepEqual(asked[0]?.body, { transaction: 'AQID', last_valid_block_height: '151' });
    assert.equal(asked[0]?.headers['idempotency-key'], undefined);
  });

  it('asks for several outcomes at once', async () => {
    const { options, asked } = fakeService({ status: 200, body: { data: [{ outcome: 'expired' }], status: 'ok' } });
    const [first] = await client(options).findOutcomes([{ transaction: Uint8Array.of(1) }]);
    assert.equal(first?.outcome, 'expired');
    assert.deepEqual(asked[0]?.body, { transactions: [{ transaction: 'AQ==' }] });
  });
});

describe('payment links of the client', () => {
  const link = (state: string, isFinal: boolean) => ({
    status: 200,
    body: { data: { id: 'abc', state, is_final: isFinal }, status: 'ok' },
  });

  it('are walked through over all pages', async () => {
    const page = (id: string, cursor?: string) => ({
      status: 200,
      body: { data: [{ id }], status: 'ok', ...(cursor !== undefined && { next_cursor: cursor }) },
    });
    const { options, asked } = fakeService(page('a', 'n+1'), page('b'));
    const ids: string[] = [];
    for await (const { id } of client(options).paymentLinks({ limit: 1 })) ids.push(id);
    assert.deepEqual(ids, ['a', 'b']);
    assert.deepEqual(
      asked.map(({ url }) => url.slice('https://service.example/v1/payment-links'.length)),
      ['?limit=1', '?limit=1&cursor=n%2B1'],
    );
  });

  it('are made under one key, read, listed page by page, and canceled', async () => {
    const list = { status: 200, body: { data: [{ id: 'abc' }], next_cursor: 'n+1', status: 'ok' } };
    const { options, asked } = fakeService(link('open', false), link('open', false), list, link('cancelled', false));
    const its = client(options);
    const made = await its.createPaymentLink({ to_address: 'b', token_mint_address: 'm', label: 'Shop', amount: 5n });
    assert.equal(made.id, 'abc');
    assert.equal((await its.readPaymentLink('abc')).state, 'open');
    assert.equal((await its.listPaymentLinks({ limit: 1, cursor: 'n+0' })).next_cursor, 'n+1');
    assert.equal((await its.cancelPaymentLink('abc')).state, 'cancelled');
    assert.deepEqual(
      asked.map(
        ({ method, url, body }) => `${method} ${url.slice('https://service.example'.length)} ${JSON.stringify(body)}`,
      ),
      [
        'POST /v1/payment-links {"to_address":"b","token_mint_address":"m","label":"Shop","amount":"5"}',
        'GET /v1/payment-links/abc undefined',
        'GET /v1/payment-links?limit=1&cursor=n%2B0 undefined',
        'POST /v1/payment-links/abc/cancel {}',
      ],
    );
    assert.deepEqual(
      asked.map(({ headers }) => typeof headers['idempotency-key']),
      ['string', 'undefined', 'undefined', 'undefined'],
    );
  });

  it('are read until their state is final', async (t) => {
    const { options, asked } = fakeService(link('open', false), link('paid', false), link('paid', true));
    const { value } = await hurry(t, () => client(options).waitForPayment('abc'));
    assert.deepEqual([value.state, value.is_final, asked.length], ['paid', true, 3]);
  });
});
