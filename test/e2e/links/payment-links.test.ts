import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { Check } from 'typebox/schema';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { actionRulesSchema, actionSchema } from '../../../packages/server/src/wire/schemas/pay-schema.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { requireMemo } from '../../setup/token-account-states.ts';
import { named } from '../../setup/wallets.ts';
import { startLinkService } from './link-service.ts';

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
    it(`${name}: from the link to the payment, which is final`, async () => {
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
      assert.match(message, mint === 'TAXED' ? / the seller receives 1\.485 \S+\.$/ : /^1\.50 \S+ to Tea house$/);
      assert.match(headers.get('solana-last-valid-block-height') ?? '', /^\d+$/);
      assert.equal((await client.read(made.id)).state, 'open', 'a transaction that was handed out is no payment');
      const signature = await land(transaction, alice);
      const paid = await client.readUntil(made.id, ({ state }) => state === 'paid');
      assert.deepEqual(
        [paid.signature, paid.payer, paid.received_amount, paid.is_final],
        [signature, alice.address, received.toString(), true],
      );
      assert.deepEqual(
        paid.payments.map((payment) => [payment.amount, payment.commitment, payment.counts, payment.flaw]),
        [['1500000', 'finalized', true, undefined]],
      );

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

  it('of whole tokens is made of their base units, and refused with more digits than the mint has', async () => {
    const { amount: _, ...others } = body;
    const link = await client.create({ ...others, amount_decimal: '1.5' });
    assert.equal(link.amount, '1500000');
    const { status, errors } = await readProblem(
      await client.send('POST', '/v1/payment-links', { ...others, amount_decimal: '0.0000001' }),
    );
    assert.equal(status, 422);
    assert.deepEqual(
      errors?.map(({ pointer, code }) => [pointer, code]),
      [['/amount_decimal', 'amount_not_representable']],
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
      [410, 'payment_link_closed', 'This link was canceled. Ask the seller for a new one.'],
    );
    assert.deepEqual((await client.cancel(id)).cancelled_at, cancelled.cancelled_at, 'once more changes nothing');
    await land(transaction, alice);
    await client.readUntil(id, ({ state }) => state === 'paid');
  });

  it('is the same with a slash at the end of its path, for wallets and browsers, with no redirect', async () => {
    const made = await client.create(body);
    const get = (url: string, accept: string) => fetch(url, { headers: { accept }, redirect: 'error' });
    for (const accept of ['application/json', 'text/html']) {
      const [plain, slashed] = await Promise.all([get(made.url, accept), get(`${made.url}/`, accept)]);
      assert.deepEqual([slashed.status, slashed.headers.get('content-type')], [200, plain.headers.get('content-type')]);
      assert.equal(await slashed.text(), await plain.text());
    }
    const preflight = await fetch(`${made.url}/`, { method: 'OPTIONS' });
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*']);
    await client.pay(`${made.id}/`, alice.address);
    await client.pay(`${made.id}/`, alice.address, '?amount=1.5');
    assert.equal((await get(`${made.url}//`, 'application/json')).status, 404);
    const { status, code } = await readProblem(await fetch(`${made.url}/`, { method: 'DELETE' }));
    assert.deepEqual([status, code], [405, 'method_not_allowed']);
    const missing = await get(`${service.url}/pay/${'1'.repeat(16)}/`, 'text/html');
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  });

  it('is canceled with an empty body of any type, and with nothing that has something in it', async () => {
    const { id } = await client.create(body);
    const cancel = (sent: string | undefined, type?: string): Promise<Response> =>
      fetch(`${service.url}/v1/payment-links/${id}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandboxApiKey}`, ...(type !== undefined && { 'content-type': type }) },
        ...(sent !== undefined && { body: sent }),
      });
    for (const [sent, type, status, code] of [
      ['x', 'application/json', 400, 'invalid_json'],
      [' ', 'application/json', 400, 'invalid_json'],
      ['{"reason":"x"}', 'application/json', 400, 'invalid_request'],
      ['[]', 'application/json', 400, 'invalid_request'],
      ['a=b', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
      ['{}', 'text/plain', 415, 'unsupported_media_type'],
    ] as const) {
      const problem = await readProblem(await cancel(sent, type));
      assert.deepEqual([problem.status, problem.code], [status, code], `${type} ${sent}`);
    }
    assert.equal((await client.read(id)).state, 'open');
    for (const [sent, type] of [
      ['', 'application/json'],
      ['', 'application/json; charset=utf-8'],
      ['', 'application/x-www-form-urlencoded'],
      [undefined, 'application/json'],
      [undefined, undefined],
      ['{}', 'application/json'],
    ] as const) {
      assert.equal((await cancel(sent, type)).status, 200, `${type} ${sent}`);
    }
    assert.equal((await client.read(id)).state, 'cancelled');
  });

  it('is told to payers who cannot pay it in words of their own', async () => {
    const { id } = await client.create({ ...body, amount: '10000000' });
    const poor = 'You have no USDC. Get some first, or use another wallet.';
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
    assert.match(short.message ?? '', /^You have \d+\.\d\d USDC; this payment needs 10\.00\.$/);
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

it('a link whose recipient demands a memo is refused at its own memo, and made with one', async () => {
  const { world } = service.sandbox;
  const mint = named(world.mints, 'PYUSD');
  const owner = keypairFromName('splwright sandbox wallet bob');
  assert.equal(owner.address, bob.address);
  const [account] = await findAssociatedTokenPda({
    owner: owner.address,
    mint: address(mint.address),
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
  });
  requireMemo({ ledger, owner, address: account });
  const asked = { ...body, to_address: bob.address, token_mint_address: mint.address };
  const { status, code, errors } = await readProblem(await client.send('POST', '/v1/payment-links', asked));
  assert.deepEqual([status, code, errors?.[0]?.pointer], [422, 'recipient_requires_memo', '/memo']);
  assert.match(
    errors?.[0]?.detail ?? '',
    /demands a memo directly before each transfer, and the link has none\. Set memo on the link\.$/,
  );
  const { id } = await client.create({ ...asked, memo: 'order 7' });
  const { transaction } = await client.pay(id, alice.address);
  await land(transaction, alice);
  await client.readUntil(id, ({ state }) => state === 'paid');
});

describe('the paths of wallets', () => {
  const open = {
    'access-control-allow-origin': '*',
    'x-action-version': '2.4',
    'x-blockchain-ids': `solana:${ledger.genesisHash.slice(0, 32)}`,
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
