import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describeMeasured, type Measured } from './measured.ts';

/** Asserts every requirement but those about milliseconds, and shows all of them with the test. */
export function assertMet(t: TestContext, measured: Measured): void {
  t.diagnostic(describeMeasured(measured));
  const missed = measured.checks.filter(({ isMet, isTiming }) => !isMet && !isTiming);
  assert.deepEqual(
    missed.map(({ required, measured: was }) => `${required}: ${was}`),
    [],
    measured.injected,
  );
}
