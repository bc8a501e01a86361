import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDueToSettle } from '../../../src/links/check/link-checker.ts';
import { at, linkWith, paymentWith, start } from '../records/links.ts';

const fiveMinutes = 300_000;
const hour = 3_600_000;
const paidAt = start + hour / 2;
const final = paymentWith({ commitment: 'finalized', blockTime: BigInt(paidAt / 1_000) });

test('a link is due to be settled more than five minutes after it was closed: expired, canceled or finally paid', () => {
  const open = linkWith({ expiresAt: at(hour) });
  const cancelled = linkWith({ expiresAt: at(hour), cancelledAt: at(1_000) });
  const cancelledLate = linkWith({ expiresAt: at(hour), cancelledAt: at(2 * hour) });
  for (const [link, payments, closedAt] of [
    [open, [], start + hour],
    [cancelled, [], start + 1_000],
    [cancelledLate, [], start + hour],
    [open, [final], paidAt],
    [cancelled, [final], start + 1_000],
    // By the first of them that closes it.
    [open, [paymentWith(), final], paidAt],
  ] as const) {
    assert.equal(isDueToSettle({ link, payments }, closedAt + fiveMinutes), false);
    assert.equal(isDueToSettle({ link, payments }, closedAt + fiveMinutes + 1), true);
  }
});

test('a payment does not close a link that takes many, nor one that is flawed, not final, or of an unknown time', () => {
  const link = linkWith({ expiresAt: at(hour) });
  for (const stored of [
    { link: { ...link, isSingleUse: false }, payments: [final] },
    { link, payments: [{ ...final, flaw: 'too_little' as const }] },
    { link, payments: [{ ...final, commitment: 'confirmed' as const }] },
    { link, payments: [{ ...final, blockTime: null }] },
  ]) {
    assert.equal(isDueToSettle(stored, start + hour + fiveMinutes), false);
    assert.equal(isDueToSettle(stored, start + hour + fiveMinutes + 1), true);
  }
});
