import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { actionJson, payReplyJson } from '../../src/links/action-json.ts';
import { linkJson, linkListText, linkText } from '../../src/links/link-json.ts';
import { linkListSchema, linkReplySchema, linkSchema } from '../../src/links/link-schema.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import { actionSchema, payReplySchema } from '../../src/links/pay-schema.ts';
import { paymentFlaws } from '../../src/links/records/payment-link.ts';
import { at, linkWith, paymentWith } from './records/links.ts';

const host = 'https://pay.example';
const place = { publicUrl: host, brand: { logo: undefined }, chain: 'solana:mainnet' } as const;
const id = '8sXq2LtYvWm4DbRk';
const reversed = 'Tea \u202ehouse\n';

const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const text = fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }));
const payment = fc
  .record({
    amount,
    received: amount,
    blockTime: fc.option(fc.constant(1_795_000_000n)),
    commitment: fc.constantFrom('confirmed' as const, 'finalized' as const),
    flaw: fc.constantFrom(undefined, ...paymentFlaws),
  })
  .map(paymentWith);
const view: fc.Arbitrary<LinkView> = fc
  .record({
    bounds: fc.tuple(amount, amount),
    decimals: fc.integer({ min: 0, max: 255 }),
    tokenSymbol: text,
    memo: text,
    message: text,
    isSingleUse: fc.boolean(),
    cancelledAt: fc.option(fc.constant(at(5))),
    checkedAt: fc.option(fc.constant(at(7))),
    state: fc.constantFrom('open' as const, 'paid' as const, 'expired' as const, 'cancelled' as const),
    isFinal: fc.boolean(),
    uiScale: fc.option(
      fc.record({ multiplier: fc.double({ min: 1e-9, max: 1e9, noNaN: true }), growsWithTime: fc.boolean() }),
      {
        nil: undefined,
      },
    ),
    transferFees: fc.array(fc.record({ basisPoints: fc.integer({ min: 1, max: 10_000 }), maximumFee: amount }), {
      maxLength: 2,
    }),
    payments: fc.array(payment, { maxLength: 3 }),
  })
  .map(({ bounds, state, isFinal, payments, uiScale, ...link }) => {
    const [minAmount, maxAmount] = bounds[0] < bounds[1] ? bounds : [bounds[1], bounds[0]];
    return { link: linkWith({ ...link, minAmount, maxAmount }), state, isFinal, payments, uiScale };
  });

/** The transaction of a payment, of which the mint withholds nothing unless `summary` says so. */
function paymentOf(amount: bigint, summary: Partial<Parameters<typeof payReplyJson>[1]['summary']> = {}) {
  const plain = { transferFee: 0n, receivedAmount: amount, uiScale: undefined, wrap: undefined };
  return { transaction: Uint8Array.of(1), amount, summary: { ...plain, ...summary }, openAmounts: [] };
}

test('Whatever a link is, its JSON and what wallets read are what the schemas say', () => {
  fc.assert(
    fc.property(view, amount, (each, chosen) => {
      assert.ok(Check(linkSchema, linkJson(each, host)));
      assert.ok(Check(linkReplySchema('found'), JSON.parse(linkText('found', each, host))));
      assert.ok(Check(linkListSchema, JSON.parse(linkListText([each, each], host, undefined))));
      assert.ok(Check(actionSchema, actionJson(each, place)));
      assert.ok(Check(payReplySchema, payReplyJson(each.link, paymentOf(chosen, { uiScale: each.uiScale }), place)));
    }),
  );
});

test('A paid link names the first payment that counts, also where others were before it', () => {
  const payments = [paymentWith({ flaw: 'too_little' }), paymentWith({ received: 9n }), paymentWith()];
  const paid = linkJson({ link: linkWith(), state: 'paid', isFinal: false, payments, uiScale: undefined }, host);
  const second = payments[1];
  assert.deepEqual([paid.signature, paid.payer, paid.received_amount], [second?.signature, second?.payer, '9']);
  assert.deepEqual(
    paid.payments.map(({ counts, flaw }) => [counts, flaw]),
    [
      [false, 'too_little'],
      [true, undefined],
      [true, undefined],
    ],
  );
  const open = linkJson({ link: linkWith(), state: 'open', isFinal: false, payments, uiScale: undefined }, host);
  assert.ok(!('signature' in open || 'payer' in open || 'received_amount' in open));
});

test('The URLs of a link are its page, and that page for each kind of wallet', () => {
  const { url, solana_pay_url, action_url, qr_svg_url } = linkJson(
    { link: linkWith({ id }), state: 'open', isFinal: false, payments: [], uiScale: undefined },
    host,
  );
  assert.deepEqual(
    [url, solana_pay_url, action_url, qr_svg_url],
    [`${host}/pay/${id}`, `solana:${host}/pay/${id}`, `solana-action:${host}/pay/${id}`, `${host}/pay/${id}/qr.svg`],
  );
});

test('A wallet that knows no transaction requests gets a transfer request, unless it shows other amounts', () => {
  const open = { state: 'open', isFinal: false, payments: [], uiScale: undefined } as const;
  const urlOf = (changes: Parameters<typeof linkWith>[0]) =>
    linkJson({ ...open, link: linkWith(changes) }, host).transfer_request_url;
  const link = linkWith({
    minAmount: 1_250_000n,
    maxAmount: 1_250_000n,
    label: 'Tea & more',
    message: 'a=ü',
    memo: '#7',
  });
  const start = `solana:${link.recipient}?`;
  const end = `spl-token=${link.mint}&reference=${link.reference}&label=Tea%20%26%20more&message=a%3D%C3%BC&memo=%237`;
  assert.equal(urlOf(link), `${start}amount=1.25&${end}`);
  assert.equal(urlOf({ ...link, maxAmount: 2_000_000n }), start + end);
  const uiAmountConfig = { kind: 'scaled', multiplier: 2, newMultiplier: 2, newMultiplierFrom: 0n } as const;
  assert.equal(urlOf({ ...link, uiAmountConfig }), undefined);
});

test('A wallet is asked for the fixed amount, or lets its user choose within the bounds', () => {
  const fixed = {
    link: linkWith({ id, tokenSymbol: 'USDC' }),
    state: 'open',
    isFinal: false,
    payments: [],
    uiScale: undefined,
  } as const;
  assert.deepEqual(actionJson(fixed, place).links.actions, [
    { type: 'transaction', label: 'Pay 10.00 USDC', href: `${host}/pay/${id}` },
  ]);
  const chosen = { ...fixed, link: { ...fixed.link, minAmount: 1_000_000n, maxAmount: 2_500_000n } };
  assert.deepEqual(actionJson(chosen, place).links.actions, [
    {
      type: 'transaction',
      label: 'Pay USDC',
      href: `${host}/pay/${id}?amount={amount}`,
      parameters: [{ name: 'amount', type: 'number', label: 'Amount in USDC', min: 1, max: 2.5, required: true }],
    },
  ]);
});

test('Wallets are shown every character of the texts, and told why a link cannot be paid', () => {
  const link = linkWith({ label: reversed, message: 'Table\u0007 7', tokenSymbol: 'US\u200bDC' });
  const shown = actionJson({ link, state: 'expired', isFinal: true, payments: [], uiScale: undefined }, place);
  assert.deepEqual([shown.title, shown.label], ['Tea ⟨U+202E⟩house⟨U+000A⟩', 'Tea ⟨U+202E⟩house⟨U+000A⟩']);
  assert.equal(
    shown.description,
    `Table⟨U+0007⟩ 7 · 10.00 US⟨U+200B⟩DC to Tea ⟨U+202E⟩house⟨U+000A⟩ · token ${link.mint}`,
  );
  assert.deepEqual(
    [shown.disabled, shown.error?.message],
    [true, 'This link has expired. Ask the seller for a new one.'],
  );
  const reply = payReplyJson(link, paymentOf(10_000_000n), place);
  assert.doesNotMatch(JSON.stringify([shown, reply]), /\p{Bidi_Control}|\\u0007|\\n/u);
  assert.equal(reply.message, '10.00 US⟨U+200B⟩DC to Tea ⟨U+202E⟩house⟨U+000A⟩');
  assert.ok(!('redirect' in reply));
  const redirected = payReplyJson({ ...link, redirect: 'https://a.example' }, paymentOf(1n), place);
  assert.equal(redirected.redirect, 'https://a.example');
});

test('A link on a test network says so to wallets, too', () => {
  const view = {
    link: linkWith({ label: 'Tea house' }),
    state: 'open',
    isFinal: false,
    payments: [],
    uiScale: undefined,
  } as const;
  const { title, description } = actionJson(view, { ...place, chain: 'solana:devnet' });
  assert.equal(title, 'Tea house (devnet)');
  assert.match(description, /^Devnet: test tokens with no value · 10\.00 /);
  assert.equal(actionJson(view, place).title, 'Tea house');
});

test('A link in a mint with a fee says what arrives at least, before it is paid', () => {
  const fee = { basisPoints: 269, maximumFee: 2n ** 64n - 1n };
  const open = { state: 'open', isFinal: false, payments: [], uiScale: undefined } as const;
  const fixed = { ...open, link: linkWith({ transferFees: [fee], tokenSymbol: 'USDT', label: 'Tea house' }) };
  const written = linkJson(fixed, host);
  assert.deepEqual([written.received_amount, written.received_amount_min], ['9731000', undefined]);
  assert.equal(
    actionJson(fixed, place).description,
    `10.00 USDT to Tea house. The token withholds 2.69 %: the seller receives 9.731 USDT. · token ${fixed.link.mint}`,
  );
  const range = {
    ...open,
    link: { ...fixed.link, minAmount: 1_000_000n, transferFees: [fee, { ...fee, basisPoints: 500 }] },
  };
  const { received_amount: none, received_amount_min: min, received_amount_max: max } = linkJson(range, host);
  assert.deepEqual([none, min, max], [undefined, '950000', '9500000']);
  assert.match(
    actionJson(range, place).description,
    / The token withholds up to 5 %: the seller receives at least 0\.95 USDT to 9\.50 USDT\. ·/,
  );
  const capped = { ...open, link: { ...fixed.link, transferFees: [{ ...fee, maximumFee: 5_000n }] } };
  assert.match(actionJson(capped, place).description, /withholds up to 2\.69 %: the seller receives 9\.995 USDT\. ·/);
});

test('A link whose amounts wallets show otherwise has both', () => {
  const uiScale = { multiplier: 4, growsWithTime: false };
  const link = linkWith({ tokenSymbol: 'TEA', label: 'Tea house' });
  const fixed = { link, state: 'open', isFinal: false, payments: [], uiScale } as const;
  const { amount: base, ui_amount: shown, ui_amount_min: none } = linkJson(fixed, host);
  assert.deepEqual([base, shown, none], ['10000000', '40', undefined]);
  assert.equal(
    actionJson(fixed, place).description,
    `10.00 TEA to Tea house. Your wallet shows 40.00 TEA for the same payment: it multiplies amounts of this token. · token ${link.mint}`,
  );
  const range = linkJson({ ...fixed, link: { ...link, minAmount: 5n } }, host);
  assert.deepEqual([range.ui_amount, range.ui_amount_min, range.ui_amount_max], [undefined, '0.00002', '40']);
  const growing = { multiplier: 1.0025, growsWithTime: true };
  const summary = { uiScale: growing, transferFee: 1_000_000n, receivedAmount: 9_000_000n };
  assert.equal(
    payReplyJson(link, paymentOf(10_000_000n, summary), place).message,
    '10.00 TEA to Tea house. Your wallet shows about 10.025 TEA for the same payment: it adds interest to amounts of this token. ' +
      'The token withholds 1.00 TEA: the seller receives 9.00 TEA.',
  );
});

test('A payer who has another amount open in a wallet is told so before the payment, and not after it', () => {
  const link = linkWith({ tokenSymbol: 'USDC', label: 'Tea house', minAmount: 1n });
  const asked = {
    ...paymentOf(10_000_000n),
    openAmounts: [3_000_000n, 5_000_000n].map((amount) => ({ mint: link.mint, amount })),
  };
  const { message, links } = payReplyJson(link, asked, place);
  assert.equal(
    message,
    '10.00 USDC to Tea house. Reject your earlier request of 3.00 USDC and of 5.00 USDC in your wallet: both could be paid.',
  );
  assert.equal(links.next.action.description, 'Paid: 10.00 USDC to Tea house');
});
