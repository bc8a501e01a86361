import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentEntries } from '../../src/limits/recent-entries.ts';

/** Entries that are idle a hundred ticks after they were last used. */
function startEntries(): RecentEntries<{ usedAt: number }> {
  return new RecentEntries((entry, now) => now - entry.usedAt >= 100);
}

test('Memory holds the keys in use, not every key that ever was', () => {
  const entries = startEntries();
  for (let now = 0; now < 10_000; now++) entries.add(`key ${now}`, { usedAt: now }, now);
  assert.ok(entries.size <= 2 * 100, `${entries.size} entries, of which 100 are in use`);
});

test('What is in use is kept, however long it has been there', () => {
  const entries = startEntries();
  const kept = Array.from({ length: 50 }, () => ({ usedAt: 0 }));
  for (const [index, entry] of kept.entries()) entries.add(`kept ${index}`, entry, 0);
  for (let now = 1; now < 10_000; now++) {
    for (const entry of kept) entry.usedAt = now;
    entries.add(`key ${now}`, { usedAt: now }, now);
    assert.ok(entries.size <= 2 * 150, `${entries.size} entries, of which 150 are in use`);
  }
  for (const [index, entry] of kept.entries()) assert.equal(entries.get(`kept ${index}`), entry);
});
