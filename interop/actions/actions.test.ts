import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type BlinkAdapter,
  BlinkInstance,
  BlinksURLMapper,
  ButtonActionComponent,
  SingleValueActionComponent,
  setProxyUrl,
} from '@dialectlabs/blinks-core';
import { ACTIONS_CORS_HEADERS, createPostResponse, encodeURL, parseURL } from '@solana/actions';
import type { ActionGetResponse, ActionPostResponse, ActionsJson } from '@solana/actions-spec';
import { Transaction } from '@solana/web3.js';
import { land } from '../setup/land.ts';
import { alice, type LinkService, startLinkService } from '../setup/payment-links.ts';

let service: LinkService;
before(async () => {
  // Otherwise Blinks asks a server of its makers to ask for it.
  setProxyUrl('');
  service = await startLinkService();
});
after(() => service.stop());

/** What a wallet does for Blinks: signs and sends. */
function walletOn(blockchainId: string, signed: string[]): BlinkAdapter {
  return {
    metadata: { supportedBlockchainIds: [blockchainId] },
    connect: async () => alice,
    signTransaction: async (transaction) => {
      const signature = await land(service, transaction, ['alice']);
      signed.push(signature);
      return { signature };
    },
    confirmTransaction: async () => undefined,
    signMessage: async () => ({ error: 'not asked for' }),
  };
}

/** Executes an action as the container of Blinks does: posts the account, signs, and follows to what comes next. */
async function execute(
  blink: BlinkInstance,
  action: ButtonActionComponent | SingleValueActionComponent,
): Promise<BlinkInstance | null> {
  const signed: string[] = [];
  const adapter = walletOn(blink.metadata.blockchainIds?.[0] ?? '', signed);
  assert.deepEqual(await blink.isSupported(adapter), { isSupported: true });
  const posted = await action.post(alice);
  assert.ok('transaction' in posted && typeof posted.transaction === 'string', JSON.stringify(posted));
  const context = {
    originalUrl: blink.url,
    action: blink,
    actionType: 'trusted',
    triggeredLinkedAction: action,
  } as const;
  const done = await adapter.signTransaction(posted.transaction, context);
  assert.ok('signature' in done);
  assert.ok(posted.links?.next);
  return blink.chain(posted.links.next, { signature: done.signature, account: alice });
}

test('Blinks shows a link, pays it and shows that it is paid', async () => {
  const link = await service.createLink({ amount: '1250000', message: 'Table 7' });
  const blink = await BlinkInstance.fetch(link.url);
  assert.deepEqual(
    [blink.title, blink.disabled, blink.error, blink.metadata.version],
    ['Tea house (sandbox)', false, null, '2.4'],
  );
  assert.match(blink.description, /^Sandbox: test tokens with no value · Table 7 · 1\.25 /);
  assert.match(blink.metadata.blockchainIds?.[0] ?? '', /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/);
  const [action, ...others] = blink.actions;
  assert.ok(action instanceof ButtonActionComponent && others.length === 0);
  const next = await execute(blink, action);
  assert.deepEqual([next?.type, next?.title], ['completed', 'Tea house']);
  const paid = await service.untilPaid(link.id);
  assert.deepEqual([paid.payer, paid.received_amount], [alice, '1250000']);
  const closed = await BlinkInstance.fetch(link.url);
  assert.deepEqual([closed.disabled, closed.error], [true, 'This link has been paid. There is nothing more to pay.']);
});

test('Blinks asks for an amount within the bounds, sends the one that was chosen, and shows why another is refused', async () => {
  const link = await service.createLink({ amount_min: '1000000', amount_max: '5000000' });
  const blink = await BlinkInstance.fetch(link.url);
  const [action] = blink.actions;
  assert.ok(action instanceof SingleValueActionComponent);
  const { name, type, min, max, required } = Object.assign({ min: undefined, max: undefined }, action.parameters[0]);
  assert.deepEqual([name, type, min, max, required], ['amount', 'number', 1, 5, true]);
  action.setValue('5.5');
  await assert.rejects(action.post(alice), { message: 'Choose an amount from 1.00 USDC to 5.00 USDC.' });
  action.setValue('2.5');
  await execute(blink, action);
  assert.equal((await service.untilPaid(link.id)).received_amount, '2500000');
});

test('Blinks finds by actions.json that the page of a link is an Action', async () => {
  const link = await service.createLink({ amount: '1' });
  const config: ActionsJson = await (await fetch(`${service.publicUrl}/actions.json`)).json();
  const mapper = new BlinksURLMapper(config);
  assert.equal(mapper.mapUrl(link.url), link.url);
  assert.equal(mapper.mapUrl(`${service.publicUrl}/v1/payment-links`), null);
});

test('The parsers of the specification read the URLs, and its types and headers are those of the replies', async () => {
  const link = await service.createLink({ amount: '1250000' });
  const parsed = parseURL(link.action_url);
  assert.ok('link' in parsed);
  assert.equal(String(parsed.link), link.url);
  assert.equal(String(encodeURL({ link: new URL(link.url) })), link.action_url);
  const shown = await fetch(parsed.link);
  const action: ActionGetResponse = await shown.json();
  assert.deepEqual([action.type, action.title, action.links?.actions.length], ['action', 'Tea house (sandbox)', 1]);
  const names = (text: string | null): string[] =>
    (text ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .sort();
  const preflight = await fetch(parsed.link, { method: 'OPTIONS' });
  const theirs = new Headers(ACTIONS_CORS_HEADERS);
  for (const name of ['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-headers']) {
    const missing = names(theirs.get(name)).filter((each) => !names(preflight.headers.get(name)).includes(each));
    assert.deepEqual(missing, [], name);
  }
  for (const each of names(theirs.get('access-control-expose-headers'))) {
    assert.ok(names(shown.headers.get('access-control-expose-headers')).includes(each), each);
  }
  const reply = await fetch(parsed.link, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account: alice, type: 'transaction' }),
  });
  const posted: ActionPostResponse = await reply.json();
  assert.ok(posted.type === 'transaction');
  // What the library makes of the same transaction is what the service answered.
  const transaction = Transaction.from(Buffer.from(posted.transaction, 'base64'));
  const made = await createPostResponse({ fields: { type: 'transaction', transaction } });
  assert.ok('transaction' in made && made.transaction === posted.transaction);
  await land(service, posted.transaction, ['alice']);
  assert.equal((await service.untilPaid(link.id)).payer, alice);
});
