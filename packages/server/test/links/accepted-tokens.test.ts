import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionJson, payReplyJson } from '../../src/links/action-json.ts';
import { linkJson } from '../../src/links/link-json.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import { inToken } from '../../src/links/records/payment-link.ts';
import { isAppError } from '../../src/problems.ts';
import { readLink } from '../app/read-bodies.ts';
import { linkBody, usdc } from '../app/sample-bodies.ts';
import { noBrand } from '../pages/fake-pay-app.ts';
import { LinkScene, mintOf, tenTokens } from './link-scene.ts';
import { anyAddress } from './records/links.ts';

const host = 'https://pay.example';

function faultsOf(body: object): readonly string[] {
  try {
    readLink(body);
    return [];
  } catch (error) {
    assert.ok(isAppError(error, 'invalid_request'), String(error));
    return error.findings.map(({ code, pointer }) => `${code} ${pointer}`);
  }
}

const place = { publicUrl: host, brand: noBrand, chain: 'solana:mainnet' } as const;

describe('a link that accepts several tokens', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();
  const euro = mintOf(scene, 'PYUSD');
  const create = (changes = {}) =>
    scene.create(links, {
      otherTokens: [{ mint: euro, minAmount: 7_000_000n, maxAmount: 7_000_000n }],
      tokensAt: '/accepts',
      ...changes,
    });
  const inEuro = (view: LinkView) => ({ ...view, link: inToken(view.link, euro) ?? view.link });
  const flawsOf = ({ payments }: LinkView) => payments.map(({ mint, flaw }) => [mint === euro ? 'euro' : 'usdc', flaw]);

  it('is asked for with an amount of each, in place of one token', () => {
    const { token_mint_address: mint, amount: _, ...rest } = linkBody;
    const accepts = [
      { token_mint_address: mint, amount: '5' },
      { token_mint_address: euro, amount_decimal: '1.5' },
    ];
    const read = readLink({ ...rest, accepts });
    assert.deepEqual([read.mint, read.minAmount, read.otherTokens[0]?.mint], [usdc, 5n, euro]);
    assert.deepEqual(faultsOf({ ...linkBody, accepts }), [
      'invalid_value /token_mint_address',
      'invalid_value /amount',
    ]);
    assert.deepEqual(faultsOf(rest).toSorted(), [
      'amount_or_amount_bounds_required ',
      'missing_field /token_mint_address',
    ]);
    assert.deepEqual(
      faultsOf({ ...rest, accepts: [accepts[0], accepts[0], { token_mint_address: 'x', amount: '0' }, {}] }).toSorted(),
      [
        'amount_or_amount_decimal_required /accepts/3',
        'invalid_address /accepts/2/token_mint_address',
        'invalid_amount /accepts/2/amount',
        'invalid_value /accepts/1/token_mint_address',
        'missing_field /accepts/3/token_mint_address',
      ],
    );
    assert.deepEqual(faultsOf({ ...rest, accepts: [] }), ['invalid_value /accepts']);
    assert.deepEqual(
      faultsOf({
        ...rest,
        accepts: Array.from({ length: 6 }, () => ({ token_mint_address: anyAddress(), amount: '1' })),
      }).at(-1),
      'invalid_value /accepts',
    );
  });

  it('is paid by its amount of any of them, and shows in which it was paid', async () => {
    const view = await create();
    const open = linkJson(view, host);
    assert.deepEqual(
      open.accepts?.map((each) => [each.token_mint_address, each.amount]),
      [
        [usdc, '10000000'],
        [euro, '7000000'],
      ],
    );
    assert.deepEqual(
      actionJson(view, place).links.actions.map(({ href }) => href),
      [usdc, euro].map((mint) => `${open.url}?mint=${mint}`),
    );
    await scene.payLink(links, inEuro(view));
    const paid = await scene.look(links, view);
    assert.equal(paid.state, 'paid');
    const { token_mint_address, amount, received_amount, payments } = linkJson(paid, host);
    assert.deepEqual([token_mint_address, amount, received_amount], [euro, '7000000', '7000000']);
    assert.equal(payments[0]?.token_mint_address, euro);
    assert.equal(linkJson(paid, host).accepts?.length, 2);
  });

  it('lists a second payment in another of them as a second one in the same', async () => {
    const view = await create();
    const usdcBytes = await scene.askToPay(links, view);
    const euroBytes = await scene.askToPay(links, inEuro(view));
    assert.deepEqual(euroBytes.openAmounts, [{ mint: usdc, amount: tenTokens }]);
    assert.match(
      payReplyJson(euroBytes.view.link, euroBytes, place).message,
      /Reject your earlier request of 10\.00 USDC in your wallet/,
    );
    scene.chain.land({ bytes: euroBytes.transaction });
    scene.chain.land({ bytes: usdcBytes.transaction });
    const paid = await scene.look(links, view);
    assert.deepEqual(flawsOf(paid).toSorted(), [
      ['euro', undefined],
      ['usdc', undefined],
    ]);
  });

  it('is not paid by too little of one, by an amount of another, nor by halves of two', async () => {
    const view = await create();
    await scene.send(inEuro(view), { amount: 6_999_999n });
    assert.deepEqual(flawsOf(await scene.look(links, view)), [['euro', 'too_little']]);
    await scene.send(view, { amount: 7_000_000n });
    assert.deepEqual(flawsOf(await scene.look(links, view)).at(-1), ['usdc', 'too_little']);
    const [one, other] = [
      await scene.instructionsOf(view, { amount: 5_000_000n }),
      await scene.instructionsOf(inEuro(view), { amount: 3_500_000n }),
    ];
    scene.sendAll([...one, ...other]);
    const seen = await scene.look(links, view);
    assert.deepEqual([seen.state, seen.payments.length], ['open', 3]);
    assert.ok(seen.payments.every(({ flaw }) => flaw === 'too_little'));
  });

  it('is not paid by a token that it does not accept', async () => {
    const view = await scene.create(links);
    await scene.send({ ...view, link: { ...view.link, mint: euro } }, { amount: tenTokens });
    const [payment] = (await scene.look(links, view)).payments;
    assert.deepEqual([payment?.flaw, payment?.mint], ['other_mint', usdc]);
  });

  it('shares what arrives in each of them with other links, so that one payment pays one link', async () => {
    const [one, other] = [await create(), await create()];
    const references = [one.link.reference, other.link.reference];
    await scene.send(inEuro(one), { references });
    const [first, second] = [await scene.look(links, one), await scene.look(links, other)];
    assert.deepEqual([first.state, second.state], ['paid', 'open']);
    assert.deepEqual(flawsOf(second), [['euro', 'other_link']]);
  });
});
