import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { Check } from 'typebox/schema';
import { SplwrightClient } from '../../../packages/client/src/index.ts';
import { VerificationError } from '../../../packages/client/src/verify/index.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import {
  type KeyRestrictions,
  sandboxApiKey,
  unrestricted,
} from '../../../packages/server/src/keys/authenticated-key.ts';
import { actionSchema } from '../../../packages/server/src/links/pay-schema.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { linksPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { createLimitedKey } from '../../../packages/server/test/keys/limited-key.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { requireMemo } from '../../setup/token-account-states.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { LinkClient, startLinkService } from './link-service.ts';

const canceled = 'This link was canceled. Ask the seller for a new one.';

describe('a payment link', async () => {
  const databaseUrl = `sqlite:${temporaryFolder({ after })}/keys.db`;
  const world = await startLinkService({ after }, { DATABASE_URL: databaseUrl });
  const { client, service, ledger, alice, bob, carol, dave, mintOf, body, land } = world;
  const store = await openKeyStore(databaseUrl);
  after(() => store.close());

  /** A key, and a client that has it. */
  async function newKey() {
    const { id, key } = await createLimitedKey(store);
    return { id, client: new LinkClient(service.url, key) };
  }

  it('of several tokens is found by its metadata, paid in one of them, and refunded once under a key', async () => {
    const { token_mint_address: _, amount: __, ...rest }: Record<string, unknown> = body;
    const [usdc, euro] = [mintOf('USDC'), mintOf('PYUSD')];
    const made = await client.create({
      ...{ ...rest, to_address: bob.address, metadata: { order: '1001' } },
      accepts: [
        { token_mint_address: usdc, amount: '5' },
        { token_mint_address: euro, amount_decimal: '1.5' },
      ],
    });
    const { transaction } = await client.pay(`${made.id}?mint=${euro}`, alice.address);
    const signature = await land(transaction, alice);
    const paid = await client.readUntil(made.id, ({ is_final: isFinal }) => isFinal);
    assert.deepEqual([paid.token_mint_address, paid.received_amount, paid.refunds], [euro, '1500000', []]);
    const found = await client.list({ metadata: 'order:1001', state: 'paid', reference: String(made.reference) });
    assert.deepEqual(
      found.data.map(({ id }) => id),
      [made.id],
    );
    assert.deepEqual((await client.list({ metadata: 'order:1001', state: 'open' })).data, []);

    const path = `${linksPath}/${made.id}/refund`;
    const refused = await client.send('POST', path, {});
    assert.deepEqual([refused.status, (await readProblem(refused)).code], [400, 'idempotency_key_required']);
    const shop = new SplwrightClient({ url: service.url, apiKey: sandboxApiKey });
    const expected = {
      from_address: bob.address,
      to_address: alice.address,
      token_mint_address: euro,
      amount: '500000',
    };
    const refund = () => shop.refundPaymentLink(made.id, { ...expected, signature }, { idempotencyKey: 'refund-1' });
    const [first, again] = [await refund(), await refund()];
    assert.deepEqual([first.isReplay, again.isReplay, again.transaction], [false, true, first.transaction]);
    const more = await client.send('POST', path, { amount: '1000001' }, { 'idempotency-key': 'refund-2' });
    assert.deepEqual([more.status, (await readProblem(more)).code], [409, 'refund_too_large']);
    const refunded = await land(Buffer.from(first.transaction).toString('base64'), bob);
    const listed = await client.readUntil(made.id, ({ refunds }) => refunds[0]?.state === 'finalized');
    assert.deepEqual(
      listed.refunds.map((each) => [each.signature, each.payment_signature, each.to_address, each.amount]),
      [[refunded, signature, alice.address, '500000']],
    );
    const wrong = { ...expected, to_address: carol.address, amount: '1000000' };
    await assert.rejects(shop.refundPaymentLink(made.id, wrong, { idempotencyKey: 'refund-3' }), VerificationError);
  });

  for (const { name, mintName, to, received } of [
    { name: 'of an SPL Token mint', mintName: 'USDC', to: 'bob', received: 1_500_000n },
    { name: 'of Token-2022, whose token account is created', mintName: 'PYUSD', to: 'carol', received: 1_500_000n },
    { name: 'of a mint that withholds a fee', mintName: 'TAXED', to: 'carol', received: 1_485_000n },
  ] as const) {
    it(`${name}: from the link to the payment, which is final`, async () => {
      const made = await client.create({
        ...body,
        to_address: world[to].address,
        token_mint_address: mintOf(mintName),
        memo: 'invoice 1001',
        message: 'Two cups',
      });
      assert.deepEqual(
        [made.state, made.is_final, made.url, made.payments],
        ['open', false, `${service.url}/pay/${made.id}`, []],
      );
      const shown = await fetch(made.url);
      const action: unknown = await shown.json();
      assert.deepEqual([shown.status, shown.headers.get('vary')], [200, 'Accept, User-Agent']);
      if (!Check(actionSchema, action)) assert.fail(JSON.stringify(action));
      assert.deepEqual([action.disabled, action.links.actions[0]?.href], [undefined, made.url]);

      const { transaction, message, headers } = await client.pay(made.id, alice.address);
      assert.match(message, mintName === 'TAXED' ? / receives 1\.485 \S+\.$/ : /^1\.50 \S+ to Tea house$/);
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
      const late = await readProblem(await client.askToPay(made.id, alice.address));
      assert.deepEqual([late.code, late.message], ['payment_link_closed', closed.error?.message]);
      const tooLate = await readProblem(await client.send('POST', `${linksPath}/${made.id}/cancel`));
      assert.equal(tooLate.code, 'payment_link_paid');
    });
  }

  it('with bounds is paid with the amount that the payer has chosen, and with no other', async () => {
    const { amount: _, ...others } = body;
    const made = await client.create({ ...others, amount_min: '1000000', amount_max: '5000000', single_use: false });
    for (const [query, code] of [
      ['', 'amount_out_of_bounds'],
      ['?amount=5.000001', 'amount_out_of_bounds'],
      ['?amount=1.0000001', 'invalid_amount'],
    ] as const) {
      const problem = await readProblem(await client.askToPay(made.id, alice.address, query));
      assert.deepEqual([problem.status, problem.code], [400, code], query);
      assert.match(problem.message ?? '', /^Choose an amount from 1\.00 \S+ to 5\.00 \S+\.$/);
    }
    for (const query of ['?amount=1', '?amount=2.50&source=dial.to']) {
      await land((await client.pay(made.id, alice.address, query)).transaction, alice);
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

  it('that was canceled hands out nothing, is paid all the same by what was handed out before, and says so', async () => {
    const { id } = await client.create(body);
    const { transaction } = await client.pay(id, alice.address);
    const cancelled = await client.cancel(id);
    assert.equal(cancelled.state, 'cancelled');
    const { status, code, message } = await readProblem(await client.askToPay(id, alice.address));
    assert.deepEqual([status, code, message], [410, 'payment_link_closed', canceled]);
    assert.deepEqual((await client.cancel(id)).cancelled_at, cancelled.cancelled_at, 'once more changes nothing');
    await land(transaction, alice);
    await client.readUntil(id, ({ state }) => state === 'paid');
  });

  it('is canceled with an empty body of any type, and with nothing that has something in it', async () => {
    const { id } = await client.create(body);
    const path = `${linksPath}/${id}/cancel`;
    assert.equal((await readProblem(await client.send('POST', path, { reason: 'x' }))).code, 'invalid_request');
    assert.equal((await client.read(id)).state, 'open');
    const empty = await client.send('POST', path, undefined, { 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(empty.status, 200);
  });

  it('whose recipient demands a memo is refused at its own memo, and made with one', async () => {
    const mint = mintOf('PYUSD');
    const owner = keypairFromName('splwright sandbox wallet bob');
    const [account] = await findAssociatedTokenPda({
      owner: owner.address,
      mint: address(mint),
      tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    });
    requireMemo({ ledger, owner, address: account });
    const asked = { ...body, to_address: bob.address, token_mint_address: mint };
    const { status, code, errors } = await readProblem(await client.send('POST', linksPath, asked));
    assert.deepEqual([status, code, errors?.[0]?.pointer], [422, 'recipient_requires_memo', '/memo']);
    assert.match(errors?.[0]?.detail ?? '', /and the link has none\. Set memo on the link\.$/);
    const { id } = await client.create({ ...asked, memo: 'order 7' });
    await land((await client.pay(id, alice.address)).transaction, alice);
    await client.readUntil(id, ({ state }) => state === 'paid');
  });

  it('tells a payer who cannot pay it so in words of his own, and its maker in others', async () => {
    const { id } = await client.create({ ...body, amount: '10000000' });
    for (const [account, status, code, message] of [
      [dave.address, 422, 'sender_token_account_not_found', 'You have no USDC. Get some first, or use another wallet.'],
      [bob.address, 400, 'same_wallet', 'This is the wallet being paid. Pay from another one.'],
      ['x', 400, 'invalid_address', undefined],
    ] as const) {
      const problem = await readProblem(await client.askToPay(id, account));
      assert.deepEqual([problem.status, problem.code], [status, code], account);
      assert.equal(problem.errors?.[0]?.pointer, '/account');
      if (message !== undefined) assert.equal(problem.message, message);
    }
    const refused = await readProblem(
      await client.send('POST', linksPath, { ...body, to_address: body.token_mint_address }),
    );
    assert.deepEqual([refused.status, refused.code, refused.message], [422, 'recipient_is_mint', undefined]);
  });

  it('belongs to the key that made it and to those that replace it, and to no other', async () => {
    const [owner, other] = [await newKey(), await newKey()];
    const link = await owner.client.create(body);
    for (const [method, path] of [
      ['GET', `${linksPath}/${link.id}`],
      ['POST', `${linksPath}/${link.id}/cancel`],
    ] as const) {
      const { request_id: _, ...theirs } = await readProblem(await other.client.send(method, path));
      const nowhere = path.replace(link.id, '1111111111111111');
      const { request_id: __, ...none } = await readProblem(await other.client.send(method, nowhere));
      assert.deepEqual([theirs.status, theirs], [404, none], 'as one that does not exist');
    }
    assert.deepEqual((await other.client.list()).data, []);

    const rotated = await store.rotate(owner.id);
    assert.ok(rotated);
    const successor = new LinkClient(owner.client.url, rotated.key);
    const newer = await successor.create({ ...body, label: 'newer' });
    const page = await successor.list({ limit: '1' });
    const rest = await successor.list({ limit: '1', cursor: page.next_cursor ?? '' });
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ id, state }) => [id, state]),
      [
        [newer.id, 'open'],
        [link.id, 'open'],
      ],
    );
    const { transaction } = await successor.pay(link.id, alice.address);
    await store.revoke(rotated.record.id);
    const closed = await readProblem(await successor.askToPay(link.id, alice.address));
    assert.deepEqual([closed.status, closed.code, closed.message], [410, 'payment_link_closed', canceled]);
    await land(transaction, alice);
  });

  it('follows the limits of today, and can always be canceled by its key', async () => {
    const { client: limited, id } = await newKey();
    const [link, other] = [await limited.create(body), await limited.create(body)];
    const limitTo = (restrictions: Partial<KeyRestrictions>) =>
      store.update(id, () => ({ restrictions: { ...unrestricted, ...restrictions } }));
    await limitTo({ toAddresses: new Set([carol.address]) });
    assert.equal((await limited.askToPay(link.id, alice.address)).status, 410);
    // Until the service has heard of this change, it may go by the one before.
    await waitUntil(async () => (await limited.send('POST', linksPath, body)).status === 403);
    await limitTo({ toAddresses: new Set([body.to_address]) });
    await limited.pay(link.id, alice.address);
    await limitTo({ operations: new Set(['transfer']) });
    assert.equal((await limited.cancel(other.id)).state, 'cancelled');
  });

  it('is the same with a slash at the end of its path, for wallets and browsers, with no redirect', async () => {
    const made = await client.create(body);
    const get = (url: string, accept: string) => fetch(url, { headers: { accept }, redirect: 'error' });
    for (const accept of ['application/json', 'text/html']) {
      const [plain, slashed] = await Promise.all([get(made.url, accept), get(`${made.url}/`, accept)]);
      assert.equal(await slashed.text(), await plain.text());
    }
    await client.pay(`${made.id}/`, alice.address, '?amount=1.5');
    assert.equal((await get(`${made.url}//`, 'application/json')).status, 404);
  });

  it('is open to pages of any origin, whatever it answers', async () => {
    const open = {
      'access-control-allow-origin': '*',
      'x-action-version': '2.4',
      'x-blockchain-ids': `solana:${ledger.genesisHash.slice(0, 32)}`,
    };
    const { id } = await client.create(body);
    for (const [method, path, status] of [
      ['GET', `/pay/${id}`, 200],
      ['POST', `/pay/${id}`, 400],
      ['DELETE', `/pay/${id}`, 405],
      ['OPTIONS', `/pay/${id}`, 204],
      ['GET', '/actions.json', 200],
      ['GET', '/pay/1111111111111111', 404],
      ['GET', '/pay/..%2F..', 404],
    ] as const) {
      const response = await fetch(service.url + path, { method, headers: { origin: 'https://dial.to' } });
      assert.equal(response.status, status, `${method} ${path}`);
      for (const [name, value] of Object.entries(open)) {
        assert.equal(response.headers.get(name), value, `${method} ${path}`);
      }
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
      if (status < 400) await response.body?.cancel();
      else assert.ok((await readProblem(response)).message);
    }
    const rules: unknown = await (await fetch(`${service.url}/actions.json`)).json();
    assert.deepEqual(rules, { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] });
    assert.deepEqual(rules, { rules: [{ pathPattern: '/pay/*', apiPath: '/pay/*' }] });
  });
});
