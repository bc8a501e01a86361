import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sol } from 'splwright-core';
import { type LinkPayment, type PaymentLink, paymentFlaws } from '../../../src/links/records/payment-link.ts';
import { linkToRow, paymentToRow, rowToLink, rowToPayment } from '../../../src/links/records/payment-link-rows.ts';
import { createdAt, sampleLink, samplePayment } from '../sample-link.ts';

const unreadable = /^Error: the key database holds a payment link that cannot be read$/;
const u64Max = 2n ** 64n - 1n;

const later = new Date(createdAt + 7);

const links: readonly Partial<PaymentLink>[] = [
  {},
  { isSingleUse: false, allowsOffCurveRecipient: true, minAmount: u64Max, maxAmount: u64Max, decimals: 0 },
  { cancelledAt: later, checkedAt: null },
  { settledAt: later, examinedUntil: 'sig', createdSlot: 2n ** 53n - 1n },
  { tokenName: null, tokenSymbol: '\u0000', memo: null, message: 'm', icon: null, redirect: 'r', label: '' },
  { transferFees: [{ basisPoints: 269, maximumFee: u64Max }], wasRecipientNeverUsed: true },
  {
    transferFees: [
      { basisPoints: 0, maximumFee: 0n },
      { basisPoints: 10_000, maximumFee: 1n },
    ],
    uiAmountConfig: { kind: 'scaled', multiplier: 0.1, newMultiplier: 5e-324, newMultiplierFrom: -(2n ** 63n) },
  },
  { mint: sol },
  { uiAmountConfig: { kind: 'interest', initializedAt: -1n, averageRate: -500, updatedAt: 2n ** 63n - 1n, rate: 7 } },
];

const fee = { basisPoints: 1, maximumFee: '1' };
const scaled = { kind: 'scaled', multiplier: 1, newMultiplier: 2, newMultiplierFrom: '3' };
const interest = { kind: 'interest', initializedAt: '1', averageRate: 2, updatedAt: '3', rate: 4 };
const unreadableTerms = [
  { transferFees: [], uiAmountConfig: 7 },
  { transferFees: {}, uiAmountConfig: null },
  { transferFees: [], uiAmountConfig: { ...scaled, kind: 'other' } },
  ...[null, -1, 0.5, '1'].map((basisPoints) => ({ transferFees: [{ ...fee, basisPoints }], uiAmountConfig: null })),
  ...[1, '-1', '1.5', ''].map((maximumFee) => ({ transferFees: [fee, { ...fee, maximumFee }], uiAmountConfig: null })),
  ...[scaled, interest].flatMap((config) =>
    Object.keys(config).map((name) => ({ transferFees: [], uiAmountConfig: { ...config, [name]: null } })),
  ),
  { transferFees: [], uiAmountConfig: null, wasRecipientNeverUsed: 'no' },
].map((terms) => JSON.stringify({ wasRecipientNeverUsed: false, ...terms }));

const payments: readonly Partial<LinkPayment>[] = [
  {},
  { commitment: 'finalized', amount: u64Max, received: 0n, slot: 0n },
  { mint: sol },
  { blockTime: null },
  { blockTime: -1n },
  ...paymentFlaws.map((flaw) => ({ flaw })),
];

describe('the row of a payment link', () => {
  it('gives back what was stored', () => {
    for (const changes of links) {
      const link = sampleLink(changes);
      assert.deepEqual(rowToLink(linkToRow(link)), link);
    }
  });

  it('is not written where a slot is no exact number of SQL', () => {
    assert.throws(() => linkToRow(sampleLink({ createdSlot: 2n ** 53n })), RangeError);
  });

  it('is not read where another program has changed an address, an amount or a text', () => {
    const row = linkToRow(sampleLink());
    const texts = JSON.parse(row.texts);
    for (const changes of [
      ...(['reference', 'recipient', 'mint', 'token_program', 'destination'] as const).map((column) => ({
        [column]: 'no address',
      })),
      // Only a mint may be SOL.
      ...(['reference', 'recipient', 'token_program', 'destination'] as const).map((column) => ({ [column]: sol })),
      ...['', '-1', '0', '18446744073709551616'].flatMap((text) => [{ min_amount: text }, { max_amount: text }]),
      ...['', '7', 'null', '"text"', '[]', '{}'].map((text) => ({ texts: text })),
      ...Object.keys(texts).flatMap((name) =>
        [7, undefined].map((text) => ({ texts: JSON.stringify({ ...texts, [name]: text }) })),
      ),
      { texts: JSON.stringify({ ...texts, label: null }) },
      ...['', '7', 'null', '[]', '{}', ...unreadableTerms].map((terms) => ({ token_terms: terms })),
    ]) {
      assert.throws(() => rowToLink({ ...row, ...changes }), unreadable, JSON.stringify(changes));
    }
  });
});

describe('the row of a payment', () => {
  it('gives back what was stored, with its link', () => {
    for (const changes of payments) {
      const payment = samplePayment(changes);
      const row = paymentToRow('link1', payment);
      assert.equal(row.link_id, 'link1');
      assert.deepEqual(rowToPayment(row), payment);
    }
  });

  it('is not read where another program has changed it: a flaw that is not known must not count', () => {
    const row = paymentToRow('link1', samplePayment());
    for (const changes of [
      { flaw: 'unknown' },
      { flaw: '' },
      { commitment: 'processed' },
      { payer: 'nobody' },
      { payer: sol },
      { fee_payer: sol },
      { owner: sol },
      ...['', '-1', '1.5', '5x', 'x5'].flatMap((text) => [{ amount: text }, { received: text }]),
    ]) {
      assert.throws(() => rowToPayment({ ...row, ...changes }), unreadable, JSON.stringify(changes));
    }
  });

  it('is not written where a slot or a time is no exact number of SQL', () => {
    assert.throws(() => paymentToRow('link1', samplePayment({ slot: 2n ** 53n })), RangeError);
    assert.throws(() => paymentToRow('link1', samplePayment({ blockTime: 2n ** 53n })), RangeError);
  });
});
