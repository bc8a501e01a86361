import assert from 'node:assert/strict';
import { describe, it, type TestContext, test } from 'node:test';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { linkBody } from '../../../packages/server/test/http/sample-bodies.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';
import { startLinkService } from './link-service.ts';

/** A client behind a proxy, by its address. */
function from(address: string): RequestInit {
  return { headers: { 'x-forwarded-for': address } };
}

describe('requests of payers', () => {
  async function start(t: TestContext) {
    const world = await startLinkService(t, { PAY_RATE_LIMIT_PER_MINUTE: '3', TRUST_PROXY: 'true' });
    const statusOf = async (url: string, address: string): Promise<number> => {
      const response = await fetch(url, from(address));
      await response.body?.cancel();
      return response.status;
    };
    return { ...world, statusOf };
  }

  it('are limited by the network of the client, whichever link they are for', async (t) => {
    const { client, service, statusOf } = await start(t);
    const { url } = await client.create(linkBody);
    const nowhere = `${service.url}/pay/1111111111111111`;
    assert.deepEqual(
      [
        await statusOf(url, '2001:db8::1'),
        await statusOf(nowhere, '2001:db8::2'),
        await statusOf(url, '2001:db8:0:0:9::3'),
      ],
      [200, 404, 200],
    );
    const refused = await fetch(url, from('2001:db8::4'));
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    const { status, code, message } = await readProblem(refused);
    assert.deepEqual(
      [status, code, message],
      [429, 'rate_limited', 'Too many requests. Wait a minute, then try again.'],
    );
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    assert.equal(await statusOf(url, '2001:db8:0:1::1'), 200, 'another network');
    assert.equal((await client.read(url.split('/').at(-1) ?? '')).state, 'open', 'the key has a limit of its own');
  });

  it('are limited for each link, ten times as high, whoever asks', async (t) => {
    const { client, statusOf } = await start(t);
    const [one, other] = [await client.create(linkBody), await client.create(linkBody)];
    const statuses: number[] = [];
    for (let index = 0; index < 31; index += 1) statuses.push(await statusOf(one.url, `192.0.2.${index}`));
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 429]);
    assert.equal(await statusOf(other.url, '192.0.2.99'), 200);
  });

  it('that are refused by address do not use up what a link has', async (t) => {
    const { client, statusOf } = await start(t);
    const { url } = await client.create(linkBody);
    for (let index = 0; index < 40; index += 1) await statusOf(url, '192.0.2.1');
    assert.equal(await statusOf(url, '192.0.2.2'), 200);
  });
});

test('A link expires by the clock, and says so to its maker and its payers', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-22T12:00:00Z') });
  const { client, alice } = await startLinkService(t);
  const link = await client.create(linkBody);
  assert.equal(link.expires_at, '2026-11-29T12:00:00.000Z');
  t.mock.timers.setTime(Date.parse(link.expires_at) - 1);
  assert.equal((await client.read(link.id)).state, 'open');
  t.mock.timers.tick(1);
  assert.equal((await client.read(link.id)).state, 'expired');
  const { status, code, message } = await readProblem(await client.askToPay(link.id, alice.address));
  assert.deepEqual(
    [status, code, message],
    [410, 'payment_link_closed', 'This link has expired. Ask the seller for a new one.'],
  );
});

test('On a real network there are no links without a public URL, and with it they lead there', async (t) => {
  const { service } = await startLinkService(t);
  const upstream = service.sandbox.rpcUrl;
  const off = await startServiceOn(t, upstream);
  const refused = await readProblem(await off.post('/v1/payment-links', linkBody));
  assert.deepEqual([refused.status, refused.code], [501, 'payment_links_off']);
  assert.match(refused.detail, /PUBLIC_URL/);
  const shown = await readProblem(await fetch(`${off.url}/pay/1111111111111111`));
  assert.deepEqual([shown.code, typeof shown.message], ['payment_links_off', 'string']);
  const on = await startServiceOn(t, upstream, { PUBLIC_URL: 'https://pay.example' });
  const made = await on.post('/v1/payment-links', linkBody);
  const { data } = JSON.parse(await made.text());
  assert.equal(made.status, 201);
  assert.equal(data.solana_pay_url, `solana:https://pay.example/pay/${data.id}`);
});
