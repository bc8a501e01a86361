import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { viewOf } from '../../src/links/link-view.ts';
import type { StoredPaymentLink } from '../../src/links/records/payment-link.ts';
import { createdAt, samplePayment, storedLink } from './sample-link.ts';

const expiresAt = createdAt + 3_600_000;

/** The state of a link at a time, and whether it is final. */
function stateOf(stored: StoredPaymentLink, now = createdAt): string {
  const { state, isFinal } = viewOf(stored, now);
  return isFinal ? `${state}, final` : state;
}

describe('a payment link is seen as', () => {
  it('open until it expires, by this clock or by one that has settled it since', () => {
    assert.equal(stateOf(storedLink()), 'open');
    assert.equal(stateOf(storedLink(), expiresAt - 1), 'open');
    assert.equal(stateOf(storedLink(), expiresAt), 'expired');
    assert.equal(stateOf(storedLink({ settledAt: new Date(expiresAt) }), expiresAt), 'expired, final');
    assert.equal(stateOf(storedLink({ settledAt: new Date(expiresAt) }), createdAt), 'expired, final');
  });

  it('canceled when that was before it expired, at any time', () => {
    const canceled = { cancelledAt: new Date(expiresAt - 1) };
    assert.equal(stateOf(storedLink(canceled), createdAt), 'cancelled');
    assert.equal(stateOf(storedLink(canceled), expiresAt), 'cancelled');
    assert.equal(stateOf(storedLink({ ...canceled, settledAt: new Date(expiresAt) }), expiresAt), 'cancelled, final');
    assert.equal(stateOf(storedLink({ cancelledAt: new Date(expiresAt) }), expiresAt), 'expired');
  });

  it('paid by a payment that counts, whenever it was made, and finally once one is final', () => {
    for (const changes of [{}, { cancelledAt: new Date(createdAt) }, { settledAt: new Date(expiresAt) }]) {
      assert.equal(stateOf(storedLink(changes, [samplePayment()]), expiresAt), 'paid');
    }
    const payments = [samplePayment(), samplePayment({ signature: 'other', commitment: 'finalized' })];
    assert.equal(stateOf(storedLink({}, payments)), 'paid, final');
  });

  it('with the multiplier by which wallets show its amounts then', () => {
    const newFrom = BigInt(createdAt / 1_000) + 5n;
    const uiAmountConfig = { kind: 'scaled', multiplier: 1, newMultiplier: 4, newMultiplierFrom: newFrom } as const;
    assert.equal(viewOf(storedLink({ uiAmountConfig }), createdAt + 4_999).uiScale, undefined);
    const later = viewOf(storedLink({ uiAmountConfig }, [samplePayment()]), createdAt + 5_000);
    assert.deepEqual([later.state, later.uiScale], ['paid', { multiplier: 4, growsWithTime: false }]);
    assert.equal(viewOf(storedLink(), createdAt).uiScale, undefined);
  });

  it('not paid by a payment that does not count, nor where several are wanted', () => {
    const flawed = samplePayment({ flaw: 'too_little', commitment: 'finalized' });
    assert.equal(stateOf(storedLink({}, [flawed])), 'open');
    assert.equal(stateOf(storedLink({}, [flawed, samplePayment()])), 'paid');
    const final = samplePayment({ commitment: 'finalized' });
    assert.equal(stateOf(storedLink({ isSingleUse: false }, [final])), 'open');
  });

  it('what it is, with all of its payments', () => {
    const stored = storedLink({}, [samplePayment(), samplePayment({ signature: 'flawed', flaw: 'elsewhere' })]);
    const { link, payments } = viewOf(stored, createdAt);
    assert.deepEqual({ link, payments }, stored);
  });
});
