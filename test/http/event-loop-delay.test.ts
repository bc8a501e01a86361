import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopDelay } from '../../src/http/event-loop-delay.ts';

/** Keeps the event loop busy, and then lets it take a turn. */
async function takeLongTurn(milliseconds: number): Promise<void> {
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt);
  await new Promise((resolve) => setTimeout(resolve, 0));
}

test('An event loop is late when its turns are long, one after another', async (t) => {
  const delay = new EventLoopDelay();
  t.after(() => delay.stop());
  assert.equal(delay.milliseconds, 0);
  await takeLongTurn(400);
  assert.ok(delay.milliseconds < 200, `${delay.milliseconds} ms after one long turn`);
  await takeLongTurn(400);
  assert.ok(delay.milliseconds >= 200, `${delay.milliseconds} ms after two`);
  while (delay.milliseconds > 50) await new Promise((resolve) => setTimeout(resolve, 20));
});
