import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopDelay } from '../../src/app/overload.ts';

/** Keeps the event loop busy, and then lets it take a turn. */
async function takeLongTurn(durationMs: number): Promise<void> {
  const endsAt = performance.now() + durationMs;
  while (performance.now() < endsAt);
  await new Promise((resolve) => setTimeout(resolve, 0));
}

test('An event loop is late when its turns are long, one after another', async (t) => {
  const delay = new EventLoopDelay();
  t.after(() => delay.stop());
  assert.equal(delay.delayMs, 0);
  await takeLongTurn(400);
  assert.ok(delay.delayMs < 200, `${delay.delayMs} ms after one long turn`);
  await takeLongTurn(400);
  assert.ok(delay.delayMs >= 200, `${delay.delayMs} ms after two`);
  while (delay.delayMs > 50) await new Promise((resolve) => setTimeout(resolve, 20));
});
