import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { actionRulesSchema, actionSchema } from '../../packages/server/src/wire/schemas/action-schema.ts';
import { readProblem } from '../../packages/server/test/http/problem.ts';
import { startLinkService } from './link-service.ts';

const slotsToFinality = 33;
const { client, service, ledger, alice, bob, carol, dave, mintOf, usdc, body, land } = await startLinkService({
  after,
});

describe('a payment link', () => {
  const kinds = [
    { name: 'of an SPL Token mint', mint: 'USDC', to: bob, received: 1_500_000n },
    { name: 'of a Token-2022 mint, whose token account is created', mint: 'PYUSD', to: carol, received: 1_500_000n },
    { name: 'of a mint that withholds a fee', mint: 'TAXED', to: carol, received: 1_485_000n },
  ];
  for (const { name, mint, to, received } of kinds) {
    it(`${name}: from the link to the finalized payment`, async () => {
      const made = await client.create({
        ...body,
        to_address: to.address,
        token_mint_address: mintOf(mint),
        memo: 'invoice 1001',
        message: 'Two cups',
      });
      assert.deepEqual(
        [made.state, made.is_final, made.url, made.payments],
        ['open', false, `${service.url}/pay/${made.id}`, []],
      );
      const shown = await fetch(made.url);
      const action: unknown = await shown.json();
      assert.deepEqual([shown.status, shown.headers.get('vary')], [200, 'Accept']);
      if (!Check(actionSchema, action)) assert.fail(JSON.stringify(action));
      assert.deepEqual([action.disabled, action.links.actions[0]?.href], [undefined, made.url]);

      const { transaction, message, headers } = await client.pay(made.id, alice.address);
      assert.match(message, /^1\.50 \S+ to Tea house$/);
      assert.match(headers.get('solana-last-valid-block-height') ?? '', /^\d+$/);
      assert.equal((await client.read(made.id)).state, 'open', 'a transaction that was handed out is no payment');
      const signature = await land(transaction, alice);
      const paid = await client.readUntil(made.id, ({ state }) => state === 'paid');
      assert.deepEqual(
        [paid.signature, paid.payer, paid.received_amount, paid.is_final],
        [signature, alice.address, received.toString(), false],
      );
      assert.deepEqual(
        paid.payments.map((payment) => [payment.amount, payment.commitment, payment.counts, payment.flaw]),
        [['1500000', 'confirmed', true, undefined]],
      );
      ledger.advanceSlots(slotsToFinality);
      const final = await client.readUntil(made.id, ({ is_final }) => is_final);
      assert.deepEqual([final.state, final.payments[0]?.commitment], ['paid', 'finalized']);

      const closed: unknown = await (await fetch(made.url)).json();
      if (!Check(actionSchema, closed)) assert.fail(JSON.stringify(closed));
      assert.equal(closed.disabled, true);
      assert.equal(closed.error?.message, 'This link has been paid. Nothing more is to be paid.');
      const late = await readProblem(await client.askToPay(made.id, alice.address));
      assert.deepEqual([late.code, late.message], ['payment_link_closed', closed.error?.message]);
      assert.equal(
        (await readProblem(await client.send('POST', `/v1/payment-links/${made.id}/cancel`))).code,
        'payment_link_paid',
      );
    });
  }

  it('with bounds is paid with the amount that the payer has chosen, and with no other', async () => {
    const { amount: _, ...others } = body;
    const made = await client.create({ ...others, amount_min: '1000000', amount_max: '5000000', single_use: false });
    assert.deepEqual([made.amount, made.amount_min, made.amount_max], [undefined, '1000000', '5000000']);
    const bounds = /^Choose an amount from 1\.00 \S+ to 5\.00 \S+\.$/;
    for (const query of ['', '?amount=0.99', '?amount=5.000001']) {
      const { status, code, message } = await readProblem(await client.askToPay(made.id, alice.address, query));
      assert.deepEqual([status, code], [400, 'amount_out_of_bounds'], query);
      assert.match(message ?? '', bounds);
    }
    for (const query of ['?amount=', '?amount=x', '?amount=1.0000001', '?amount=-1', '?amount=2&amount=2']) {
      const { status, code, message } = await readProblem(await client.askToPay(made.id, alice.address, query));
      assert.deepEqual([status, code], [400, 'invalid_amount'], query);
      assert.match(message ?? '', bounds);
    }
    for (const query of ['?amount=1', '?amount=2.50&source=dial.to']) {
      const { transaction } = await client.pay(made.id, alice.address, query);
      await land(transaction, alice);
      // Of one slot, either may be the older one.
      ledger.advanceSlots(1);
    }
    const read = await client.readUntil(made.id, ({ payments }) => payments.length === 2);
    assert.equal(read.state, 'open', 'it can be paid again');
    assert.deepEqual(
      read.payments.map(({ amount, counts }) => [amount, counts]),
      [
        ['1000000', true],
        ['2500000', true],
      ],
    );
  });

  it('to a recipient that was never used is made with a warning to its maker, and with no other', async () => {
    const stranger = keypairFromName('never paid by a link').address;
    const { warnings, id } = await client.create({ ...body, to_address: stranger });
    assert.deepEqual(
      warnings?.map(({ code, level }) => `${code} ${level}`),
      ['recipient_never_used warning'],
    );
    assert.ok(warnings?.[0]?.detail.includes(stranger));
    assert.deepEqual((await client.create(body)).warnings, []);
    assert.equal((await client.read(id)).warnings, undefined);
  });

  it('with a fixed amount takes that amount, said or not', async () => {
    const { id } = await client.create(body);
    await client.pay(id, alice.address, '?amount=1.5');
    const { code, message } = await readProblem(await client.askToPay(id, alice.address, '?amount=1'));
    assert.equal(code, 'amount_out_of_bounds');
    assert.match(message ?? '', /^This payment is 1\.50 \S+\.$/);
  });

  it('that was canceled hands out nothing, is paid all the same by what was handed out before, and says so', async () => {
    const { id } = await client.create(body);
    const { transaction } = await client.pay(id, alice.address);
    const cancelled = await client.cancel(id);
    assert.equal(cancelled.state, 'cancelled');
    assert.match(cancelled.cancelled_at ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
    const { status, code, message } = await readProblem(await client.askToPay(id, alice.address));
    assert.deepEqual(
      [status, code, message],
      [410, 'payment_link_closed', 'The seller has canceled this link. Ask for a new one.'],
    );
    assert.deepEqual((await client.cancel(id)).cancelled_at, cancelled.cancelled_at, 'once more changes nothing');
    await land(transaction, alice);
    await client.readUntil(id, ({ state }) => state === 'paid');
  });

  it('is told to payers who cannot pay it in words of their own', async () => {
    const { id } = await client.create({ ...body, amount: '10000000' });
    const poor = 'You have no Gr6z…2tD1. Get some first, or use another wallet.';
    const cases = [
      [dave.address, 422, 'sender_token_account_not_found', poor],
      [bob.address, 400, 'same_wallet', 'This is the wallet that is to be paid. Pay from another one.'],
      [usdc.replace(/.$/, '2'), 422, undefined, undefined],
      [
        '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
        400,
        'sender_off_curve',
        'This address cannot sign. Pay with an ordinary wallet.',
      ],
    ] as const;
    for (const [account, status, code, message] of cases) {
      const problem = await readProblem(await client.askToPay(id, account));
      if (code === undefined) continue;
      assert.deepEqual([problem.status, problem.code, problem.message], [status, code, message], account);
      assert.deepEqual(problem.errors?.map(({ pointer }) => pointer)[0], '/account');
    }
    const toAlice = await client.create({ ...body, to_address: alice.address, amount: '10000000' });
    const gift = await client.create({ ...body, amount: '3200000' });
    await land((await client.pay(gift.id, alice.address)).transaction, alice);
    const short = await readProblem(await client.askToPay(toAlice.id, bob.address));
    assert.equal(short.code, 'insufficient_token_balance');
    assert.match(short.message ?? '', /^You have \d+\.\d\d Gr6z…2tD1; this payment needs 10\.00\.$/);
  });

  it('is answered to a wallet that sends nonsense with a fault of its own', async () => {
    const { id } = await client.create(body);
    for (const [account, pointer, code] of [
      [undefined, '/account', 'missing_field'],
      [7, '/account', 'wrong_type'],
      ['x', '/account', 'invalid_address'],
    ] as const) {
      const problem = await readProblem(await client.askToPay(id, account));
      assert.deepEqual([problem.status, problem.code], [400, code]);
      assert.deepEqual(
        problem.errors?.map((each) => [each.pointer, each.code]),
        [[pointer, code]],
      );
      assert.ok(problem.message);
    }
    const post = (sent: string | undefined, headers = {}): Promise<Response> =>
      fetch(`${service.url}/pay/${id}`, { method: 'POST', headers, ...(sent !== undefined && { body: sent }) });
    const json = { 'content-type': 'application/json' };
    assert.equal((await readProblem(await post('{', json))).code, 'invalid_json');
    assert.equal((await readProblem(await post(undefined, json))).code, 'invalid_json');
    assert.equal(
      (await readProblem(await post('account=x', { 'content-type': 'text/plain' }))).code,
      'unsupported_media_type',
    );
    assert.equal((await readProblem(await post(`"${'x'.repeat(20_000)}"`, json))).code, 'body_too_large');
  });
});

describe('a link that no wallet could pay is not made', () => {
  const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const tokenAccount = '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t';
  const cases = [
    [
      'of a mint that does not exist',
      { token_mint_address: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' },
      'mint_not_found',
    ],
    ['of what is no mint', { token_mint_address: alice.address }, 'not_a_mint'],
    ['to a mint', { to_address: usdc }, 'recipient_is_mint'],
    ['to a token account', { to_address: tokenAccount }, 'recipient_is_token_account'],
    ['to a program', { to_address: tokenProgram }, 'recipient_is_program'],
  ] as const;
  for (const [name, change, code] of cases) {
    it(name, async () => {
      const problem = await readProblem(await client.send('POST', '/v1/payment-links', { ...body, ...change }));
      assert.deepEqual([problem.status, problem.code], [422, code]);
      assert.equal(problem.errors?.[0]?.pointer, `/${Object.keys(change)[0]}`);
      assert.equal(problem.message, undefined, 'its maker is no payer');
    });
  }
});

describe('the paths of wallets', () => {
  const open = {
    'access-control-allow-origin': '*',
    'x-action-version': '2.4',
    'x-blockchain-ids': 'solana:EQegSYR7wBTLurjphib6pGy3xwedRDrN',
  };
  const headersOf = ({ headers }: Response): Record<string, string | null> =>
    Object.fromEntries(Object.keys(open).map((name) => [name, headers.get(name)]));

  it('are open to pages of any origin, whatever they answer', async () => {
    const { id } = await client.create(body);
    for (const [method, path, status] of [
      ['GET', `/pay/${id}`, 200],
      ['HEAD', `/pay/${id}`, 200],
      ['POST', `/pay/${id}`, 400],
      ['PUT', `/pay/${id}`, 405],
      ['DELETE', `/pay/${id}`, 405],
      ['GET', '/actions.json', 200],
      ['POST', '/actions.json', 405],
      ['GET', '/pay/1111111111111111', 404],
      ['POST', '/pay/1111111111111111', 400],
      ['GET', '/pay/', 404],
      ['GET', '/pay', 404],
      ['GET', `/pay/${id}/x/y`, 404],
    ] as const) {
      const response = await fetch(service.url + path, { method, headers: { origin: 'https://dial.to' } });
      assert.equal(response.status, status, `${method} ${path}`);
      assert.deepEqual(headersOf(response), open, `${method} ${path}`);
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
      if (status < 400 || method === 'HEAD') await response.body?.cancel();
      else assert.ok((await readProblem(response)).message);
    }
  });

  it('are open also where no router finds anything', async () => {
    for (const path of [`/pay/${'x'.repeat(300)}`, '/pay/%ff']) {
      const response = await fetch(service.url + path);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.ok((await readProblem(response)).message);
    }
  });

  it('answer every preflight', async () => {
    for (const path of ['/actions.json', '/pay/1111111111111111', '/pay', '/pay/a/b']) {
      const response = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://dial.to', 'access-control-request-method': 'POST' },
      });
      assert.equal(response.status, 204, path);
      assert.deepEqual(headersOf(response), open);
      assert.equal(response.headers.get('access-control-allow-methods'), 'GET,POST,PUT,OPTIONS');
      assert.match(response.headers.get('access-control-allow-headers') ?? '', /X-Accept-Blockchain-Ids/);
    }
  });

  it('say which of them are Actions', async () => {
    const rules: unknown = await (await fetch(`${service.url}/actions.json`)).json();
    assert.ok(Check(actionRulesSchema, rules));
    assert.deepEqual(rules, { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] });
  });

  it('have one answer for every id that was never made', async () => {
    const texts = new Set<string>();
    for (const id of [
      '1111111111111111',
      '8sXq2LtYvWm4DbRk',
      '0',
      'x'.repeat(90),
      '..%2F..',
      '%00',
      "'",
      '1111111111111110',
    ]) {
      const response = await fetch(`${service.url}/pay/${id}`);
      const { request_id: _, ...problem } = await readProblem(response);
      texts.add(JSON.stringify(problem));
      assert.equal(response.status, 404, id);
    }
    assert.equal(texts.size, 1, [...texts].join('\n'));
  });
});
