import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiptPage } from '../../../src/links/page/receipt-page.ts';
import type { PayChain } from '../../../src/links/pay-chain.ts';
import { noBrand } from '../../pages/fake-pay-app.ts';
import { sampleLink, samplePayment, viewWith } from '../../pages/pay-views.ts';

const context = {
  publicUrl: 'https://pay.example.com',
  chain: 'solana:mainnet',
  iconOrigins: [],
  brand: noBrand,
  signature: undefined,
} as const;
const { signature } = samplePayment;
const payments = [samplePayment];
const paid = viewWith(
  {},
  { state: 'paid', isFinal: true, payments: [{ ...samplePayment, blockTime: 1_795_856_640n }] },
);

/** What a reader sees. */
const textOf = (markup: string): string =>
  markup
    .replace(/<title>.*<\/title>/, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ');

describe('the receipt of a payment', () => {
  it('says who has paid whom, how much of which token, when, and by which transaction', () => {
    const text = textOf(receiptPage(paid, context));
    for (const part of [
      ...['Tea house Lotus', '25.00 USDC', 'Table 7', 'USD Coin', 'order-4711', '28 Nov 2026, 09:04 UTC'],
      ...[
        samplePayment.payer,
        sampleLink.recipient,
        sampleLink.mint,
        signature,
        'https://pay.example.com/pay/3yZe7d9KqLmNpRsT',
      ],
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.doesNotMatch(text, /Final in a few seconds|Received|test tokens/);
    const other = [{ ...samplePayment, received: 24_000_000n, commitment: 'confirmed' as const }];
    const fresh = textOf(receiptPage(viewWith({}, { state: 'paid', payments: other }), context));
    assert.match(fresh, /Final in a few seconds.*Received24\.00 USDC/);
  });

  it('says who has paid the network fee where the payer did not', () => {
    const feePayer = sampleLink.reference;
    const sponsored = viewWith({}, { state: 'paid', payments: [{ ...samplePayment, feePayer }] });
    assert.match(textOf(receiptPage(sponsored, context)), new RegExp(`Network fee paid by${feePayer}`));
    assert.doesNotMatch(textOf(receiptPage(paid, context)), /Network fee/);
  });

  it('leads to the transaction in an explorer of the same network', () => {
    const explorerOn = (chain: PayChain | undefined): string | undefined =>
      / href="(https:\/\/explorer[^"]+)"/.exec(
        receiptPage(paid, { ...context, chain, sandboxWorld: { wallets: [], rpc_url: 'http://127.0.0.1:8899' } }),
      )?.[1];
    const url = `https://explorer.solana.com/tx/${signature}`;
    assert.equal(explorerOn('solana:mainnet'), url);
    assert.equal(explorerOn('solana:devnet'), `${url}?cluster=devnet`);
    assert.equal(explorerOn('solana:testnet'), `${url}?cluster=testnet`);
    assert.equal(
      explorerOn('solana:localnet'),
      `${url}?cluster=custom&amp;customUrl=${encodeURIComponent('http://127.0.0.1:8899')}`,
    );
    assert.equal(explorerOn(undefined), undefined);
    assert.match(
      textOf(receiptPage(paid, { ...context, chain: 'solana:devnet' })),
      /Devnet: test tokens with no value/,
    );
  });

  it('exists only of a payment that counts, and of one among several only where it is named', () => {
    const has = (state: Parameters<typeof viewWith>[1], named?: string, isSingleUse = true): boolean => {
      const text = textOf(receiptPage(viewWith({ isSingleUse }, state), { ...context, signature: named }));
      assert.notEqual(text.includes('No receipt yet'), text.includes('Transaction'));
      return text.includes('Transaction');
    };
    assert.equal(has({}), false);
    assert.equal(has({ state: 'expired' }), false);
    assert.equal(has({ state: 'paid', payments }), true);
    assert.equal(has({ state: 'paid', payments }, signature), true);
    assert.equal(has({ state: 'paid', payments }, 'another'), false);
    const flawed = [{ ...samplePayment, flaw: 'too_little' as const }];
    assert.equal(has({ payments: flawed }), false);
    assert.equal(has({ payments: flawed }, signature), false);
    assert.equal(has({ payments }, undefined, false), false);
    assert.equal(has({ payments }, signature, false), true);
  });
});
