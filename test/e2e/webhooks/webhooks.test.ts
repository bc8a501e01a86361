import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readUntil } from '../../setup/wait-until.ts';
import { startWebhookReceiver } from '../../setup/webhook-receiver.ts';
import { startLinkService } from '../links/link-service.ts';

describe('what happens is told, and nobody asks', async () => {
  const world = await startLinkService({ after });
  const { client, service, alice, bob, carol, usdc, body, land } = world;
  const receiver = await startWebhookReceiver({ after });
  const reply = async (response: Response) => {
    const json = Object(await response.json());
    assert.ok(response.ok, JSON.stringify(json));
    return json.data;
  };
  await reply(await client.send('POST', '/v1/webhook-endpoints', { url: receiver.url }));
  const told = (objectId: string, ...types: readonly string[]) =>
    readUntil(
      () => receiver.payloads().filter(({ data }) => [data.id, data.signature].includes(objectId)),
      (payloads) => types.every((type) => payloads.some((payload) => payload.type === type)),
    );

  it('a link that is paid, once seen and once final, as the link is then', async () => {
    const link = await client.create(body);
    const { transaction } = await client.pay(link.id, alice.address);
    const signature = await land(transaction, alice);
    const payloads = await told(link.id, 'payment_link.paid', 'payment_link.final');
    assert.deepEqual(
      payloads.map(({ type }) => type),
      ['payment_link.paid', 'payment_link.final'],
    );
    assert.ok(payloads[0].sequence < payloads[1].sequence);
    const { checked_at: _, ...now } = await client.read(link.id);
    const { checked_at: __, ...then } = payloads[1].data;
    assert.deepEqual(then, now);
    assert.equal(then.signature, signature);
  });

  it('a payment without a reference to a wallet that is watched, with its payer and memo', async () => {
    const watch = { token_mint_addresses: [usdc] };
    const [watched] = await reply(await client.send('PUT', `/v1/recipients/${carol.address}`, watch));
    assert.equal(watched.recipient, carol.address);
    const transfer = {
      from_address: bob.address,
      to_address: carol.address,
      token_mint_address: usdc,
      amount: '700',
      memo: 'order 77',
    };
    const built = await reply(await service.post('/v1/transfers', transfer));
    const signature = await land(built.transaction, bob);
    const [payload] = await told(signature, 'payment.received', 'payment.final');
    const { recipient, amount, payer, memo, references } = payload.data;
    assert.deepEqual([recipient, amount, payer, memo, references], [carol.address, '700', bob.address, 'order 77', []]);
    const [listed] = await reply(await client.send('GET', `/v1/incoming?recipient=${carol.address}&memo=order%2077`));
    assert.deepEqual([listed.signature, listed.state], [signature, 'finalized']);
    assert.deepEqual(await reply(await client.send('GET', `/v1/incoming?memo=another`)), []);
    await reply(await client.send('PUT', `/v1/recipients/${carol.address}`, { token_mint_addresses: [] }));
    assert.deepEqual(await reply(await client.send('GET', '/v1/recipients')), []);
  });
});
