import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { payState, tokens } from '../../../src/links/page/pay-state.ts';
import { groupedAmount } from '../../../src/links/payer-words.ts';
import type { LinkPayment } from '../../../src/links/records/payment-link.ts';
import { samplePayment, viewWith } from '../../pages/pay-views.ts';

const confirmed: LinkPayment = { ...samplePayment, commitment: 'confirmed' };
const other: LinkPayment = { ...samplePayment, signature: 'other' };
const own = samplePayment.signature;

const fee = { basisPoints: 269, maximumFee: 2n ** 64n - 1n };
const uiScale = { multiplier: 4, growsWithTime: false };

describe('the notes of a link for its payer', () => {
  const feeNote = 'The token withholds 2.69 %: the seller receives 24.3275 USDC.';
  const walletNote = 'Your wallet shows 100.00 USDC for the same payment: it multiplies amounts of this token.';

  it('say what the seller receives, and what wallets show, while nothing is paid', () => {
    const open = viewWith({ transferFees: [fee] }, { uiScale });
    assert.deepEqual(payState(open).notes, [walletNote, feeNote]);
    assert.deepEqual(payState(viewWith({ transferFees: [fee] })).notes, [feeNote]);
    assert.deepEqual(payState(viewWith()).notes, []);
    const neverUsed = payState(viewWith({ wasRecipientNeverUsed: true })).notes;
    assert.match(neverUsed.join('|'), /^The address being paid had never been used when this link was made\./);
    const range = viewWith(
      { transferFees: [fee], minAmount: 1_000_000n },
      { uiScale: { ...uiScale, growsWithTime: true } },
    );
    assert.deepEqual(payState(range).notes, [
      'Your wallet shows about 4.00 USDC to 100.00 USDC for the same payment: it adds interest to amounts of this token. Enter the amount as it is written here.',
      'The token withholds 2.69 %: the seller receives 0.9731 USDC to 24.3275 USDC.',
    ]);
  });

  it('are about the payment once there is one, of which the receipt says what arrived', () => {
    const parts = { state: 'paid', uiScale, payments: [{ ...confirmed, amount: 1_000_000n }] } as const;
    const [note, ...others] = payState(viewWith({ transferFees: [fee] }, parts)).notes;
    assert.match(note ?? '', /^Your wallet shows 4\.00 USDC /);
    assert.deepEqual(others, []);
    const flawed = { ...confirmed, flaw: 'other_mint' } as const;
    assert.deepEqual(payState(viewWith({}, { uiScale, payments: [flawed] }), own).notes, []);
  });
});

describe('the state of a link, as its page asks for it', () => {
  it('is that of the link where nothing was paid', () => {
    const rows = [
      ['open', false, 'open', 'Pay with a Solana wallet', /on your phone/],
      ['expired', true, 'expired', 'This payment link has expired', /^Ask the recipient for a new one\.$/],
      ['expired', false, 'expired', 'This payment link has expired', /keep this page open/],
      ['cancelled', true, 'cancelled', 'This payment link was canceled', /Do not pay it\.$/],
      ['cancelled', false, 'cancelled', 'This payment link was canceled', /keep this page open/],
    ] as const;
    for (const [state, isFinal, phase, title, message] of rows) {
      const shown = payState(viewWith({}, { state, isFinal }));
      assert.deepEqual(
        [shown.state, shown.is_final, shown.phase, shown.title, shown.receipt],
        [state, isFinal, phase, title, null],
      );
      assert.match(shown.message, message);
    }
  });

  it('is paid, first confirmed and then final, with what was received from whom', () => {
    const first = payState(viewWith({}, { state: 'paid', payments: [{ ...confirmed, received: 24_000_000n }] }));
    assert.deepEqual([first.phase, first.title, first.is_final], ['confirmed', 'Paid', false]);
    assert.match(first.message, /Final in a few seconds/);
    const { payer } = samplePayment;
    const amounts = { amount: '25.00', unit: 'USDC', received: '24.00 USDC' };
    const receipt = { ...amounts, payer, signature: own, commitment: 'confirmed' };
    assert.deepEqual(first.receipt, receipt);
    const last = payState(viewWith({}, { state: 'paid', isFinal: true, payments: [samplePayment] }));
    assert.deepEqual([last.phase, last.is_final], ['final', true]);
  });

  it('tells a payer of the own payment, also where the link can be paid again', () => {
    const paid = payState(viewWith({ isSingleUse: false }, { payments: [other, samplePayment] }), own);
    assert.deepEqual(
      [paid.state, paid.phase, paid.title, paid.is_final],
      ['open', 'final', 'You paid 25.00 USDC', true],
    );
    assert.equal(paid.receipt?.signature, own);
    const waiting = payState(viewWith({ isSingleUse: false }, { payments: [other] }), own);
    assert.deepEqual([waiting.phase, waiting.receipt], ['open', null]);
  });

  it('tells a payer that another was first, with and without an own payment on chain', () => {
    // Until the chain is not asked again, the own one may arrive.
    for (const settledAt of [null, new Date()]) {
      const late = payState(viewWith({ settledAt }, { state: 'paid', isFinal: true, payments: [other] }), own);
      assert.deepEqual([late.phase, late.title], ['taken', 'Already paid by someone else']);
      assert.equal(late.is_final, settledAt !== null);
      assert.match(late.message, /If yours goes through as well, ask the recipient to return it/);
    }
    const twice = payState(viewWith({}, { state: 'paid', isFinal: true, payments: [other, samplePayment] }), own);
    assert.deepEqual([twice.phase, twice.receipt?.signature], ['taken', own]);
    assert.match(twice.message, /Ask the recipient to return yours/);
  });

  it('tells a payer why the own payment does not count, and nobody else', () => {
    const flaws = {
      too_little: /less/,
      elsewhere: /a different account/,
      other_mint: /a different token/,
      other_link: /another payment link/,
    } as const;
    for (const flaw of ['too_little', 'elsewhere', 'other_mint', 'other_link'] as const) {
      const view = viewWith({}, { payments: [{ ...samplePayment, flaw }] });
      const shown = payState(view, own);
      assert.deepEqual([shown.phase, shown.title], ['flawed', 'Your payment does not count']);
      assert.match(shown.message, flaws[flaw]);
      // The amount that is due stays on the page, and another token is not shown as one of its own.
      assert.equal(shown.receipt?.amount, undefined);
      assert.equal(shown.receipt?.received === 'Another token', flaw === 'other_mint');
      assert.equal(payState(view).phase, 'open');
    }
  });

  it('tells a payer to wait, and goes on, while no node shows what the own payment brought, though its block is final', () => {
    const hidden = { ...samplePayment, received: 0n, flaw: 'not_shown' } as const;
    for (const parts of [
      { payments: [hidden] },
      { state: 'paid', isFinal: true, payments: [other, hidden] },
    ] as const) {
      const shown = payState(viewWith({}, parts), own);
      assert.deepEqual(
        [shown.phase, shown.title, shown.is_final, shown.receipt],
        ['sent', 'Payment sent', false, null],
      );
      assert.match(shown.message, /Do not pay again/);
    }
  });
});

test('whole digits are in groups of three from five on, by a small space', () => {
  for (const [amount, decimals, text] of [
    [25_000_000n, 6, '25.00'],
    [9_999_990_000n, 6, '9999.99'],
    [12_500_000_000n, 6, '12\u202f500.00'],
    [1_234_567_891_234_567n, 6, '1\u202f234\u202f567\u202f891.234567'],
    [1_234n, 0, '1234'],
    [12_345n, 0, '12\u202f345'],
    [1n, 9, '0.000000001'],
  ] as const) {
    assert.equal(groupedAmount(amount, decimals), text);
  }
});

test('an amount has the symbol of its token, and that of one without a symbol is of tokens', () => {
  assert.equal(tokens(12_500_000n, { decimals: 6, tokenSymbol: ' USDC\n' }), '12.50 USDC');
  for (const tokenSymbol of [null, '', ' ']) {
    assert.equal(tokens(12_500_000n, { decimals: 6, tokenSymbol }), '12.50 tokens');
  }
  assert.equal(tokens(1n, { decimals: 0, tokenSymbol: null }), '1 token');
  assert.equal(tokens(1n, { decimals: 0, tokenSymbol: 'SEAT' }), '1 SEAT');
  assert.equal(tokens(1_000_000n, { decimals: 6, tokenSymbol: null }), '1.00 tokens');
});
