import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { linkBody } from '../../../packages/server/test/app/sample-bodies.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';
import { startLinkService } from './link-service.ts';

describe('requests of payers', () => {
  it('are limited by the network of the client; reading the page of a link uses up nothing that others have', async (t) => {
    const { client, service } = await startLinkService(t, { PAY_RATE_LIMIT_PER_MINUTE: '3', TRUST_PROXY: '1' });
    // A client behind a proxy, by its address.
    const get = (url: string, address: string) => fetch(url, { headers: { 'x-forwarded-for': address } });
    const statusOf = async (url: string, address: string): Promise<number> => {
      const response = await get(url, address);
      await response.body?.cancel();
      return response.status;
    };
    const { url } = await client.create(linkBody);
    const nowhere = `${service.url}/pay/1111111111111111`;
    const first = [await statusOf(url, '2001:db8::1'), await statusOf(nowhere, '2001:db8::2')];
    assert.deepEqual([...first, await statusOf(url, '2001:db8:0:0:9::3')], [200, 404, 200]);
    const refused = await get(url, '2001:db8::4');
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    const { status, code, message } = await readProblem(refused);
    assert.deepEqual([status, code], [429, 'rate_limited']);
    assert.equal(message, 'Too many requests. Wait a minute, then try again.');
    const statuses: number[] = [];
    for (let index = 0; index < 120; index += 1) statuses.push(await statusOf(url, `192.0.2.${index % 40}`));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await client.read(url.split('/').at(-1) ?? '')).state, 'open', 'the key has a limit of its own');
  });
});

test('A list counts as one request for each ten links that it may have', async (t) => {
  const { client } = await startLinkService(t, { RATE_LIMIT_PER_MINUTE: '20' });
  const seen: string[] = [];
  for (const query of ['?limit=100', '', '?limit=11', '?limit=1', '?limit=100']) {
    const { status, headers } = await client.send('GET', `/v1/payment-links${query}`);
    seen.push(`${status} ${/r=[0-9]+/.exec(headers.get('ratelimit') ?? '')}`);
  }
  assert.deepEqual(seen, ['200 r=10', '200 r=8', '200 r=6', '200 r=5', '429 r=0']);
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
