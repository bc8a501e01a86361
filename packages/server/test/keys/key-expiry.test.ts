import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeyOptionError, momentOf, readExpiry } from '../../src/keys/key-options.ts';

const startTime = new Date('2026-11-21T12:00:00.000Z');

const expiryOf = (text: string): Date => momentOf(readExpiry(text), startTime);

describe('an expiry', () => {
  it('counts days, hours and minutes from now', () => {
    const expectations = { '90d': '2027-02-19T12:00:00.000Z', '12h': '2026-11-22T00:00:00.000Z' };
    for (const [text, moment] of Object.entries(expectations)) {
      assert.equal(expiryOf(text).toISOString(), moment);
    }
    assert.equal(expiryOf('30m').toISOString(), '2026-11-21T12:30:00.000Z');
  });

  it('takes a moment with its time zone', () => {
    assert.equal(expiryOf('2027-01-31T00:00:00Z').toISOString(), '2027-01-31T00:00:00.000Z');
    assert.equal(expiryOf('2027-01-31T00:00+02:00').toISOString(), '2027-01-30T22:00:00.000Z');
    assert.equal(expiryOf('2028-02-29T23:59:59.999Z').toISOString(), '2028-02-29T23:59:59.999Z');
  });

  it('refuses a moment that has passed, and this very one', () => {
    for (const text of ['2026-11-21T12:00:00Z', '2026-11-21T11:59:59.999Z', '1970-01-01T00:00:00Z']) {
      assert.throws(
        () => expiryOf(text),
        /^KeyOptionError: The expiry .* has passed: it is now 2026-11-21T12:00:00\.000Z\.$/,
        text,
      );
    }
    assert.equal(expiryOf('2026-11-21T12:00:00.001Z').getTime(), startTime.getTime() + 1);
  });

  it('rejects every other text, and names the valid forms', () => {
    const durations = ['', '90', 'd', '0d', '-1d', '1.5h', '1e3d', '90D', '90 d', '1w', '1h30m', '9999999999d'];
    const moments = ['2027-01-31', '2027-01-31T00:00:00', '2027-02-30T00:00:00Z', '2027-13-01T00:00:00Z', 'tomorrow'];
    for (const text of [...durations, ...moments, '2027-01-31T25:00:00Z', '2027-01-31 00:00:00Z', '9'.repeat(400)]) {
      assert.throws(
        () => expiryOf(text),
        (error) => error instanceof KeyOptionError && /90d, 12h, 30m.*2027-01-31T00:00:00Z/.test(error.message),
        text,
      );
    }
  });
});
