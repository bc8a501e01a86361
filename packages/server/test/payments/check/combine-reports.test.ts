import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeReport } from '../../../src/payments/check/ask-node.ts';
import { combineReports } from '../../../src/payments/check/combine-reports.ts';
import { paymentWith } from '../../keys/payment-links/links.ts';

const silent: NodeReport = {
  listed: new Map(),
  isWhole: true,
  payments: new Map(),
  open: new Set(),
  hidesSome: false,
  denied: new Set(),
  vouches: true,
};

test('A link is not settled while a stored payment that was not final is neither shown nor denied', () => {
  const payment = paymentWith({ commitment: 'confirmed' });
  const stored = new Map([[payment.signature, payment]]);
  const settledBy = (denied: readonly string[], known: typeof stored): boolean | undefined => {
    const reports = [{ ...silent, denied: new Set(denied) }];
    const evidence = { stored: known, reports, settles: true, isComplete: true };
    return combineReports(evidence, { denials: 1, sightings: 1 })?.isSettled;
  };
  assert.equal(settledBy([], stored), false);
  assert.equal(settledBy([payment.signature], stored), true);
  assert.equal(settledBy([], new Map()), true);
});
