import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { repository } from '../setup/process.ts';
import { reliabilityDocument } from './document.ts';
import { boundedPercentile, check, type Measured } from './measured.ts';
import { sections } from './sections.ts';

const unmeasured = { name: 'other', title: 'Never run', words: '', measurements: [] };
const document = (measured: readonly Measured[]): string =>
  reliabilityDocument([{ name: 'some', title: 'A title', words: 'Some words.', measurements: [] }, unmeasured], {
    sections: { some: { machine: 'On a machine.', measured: [...measured] } },
  });

test('The document has a row for each section: its runs, what is required of all of them, and the slowest p99', () => {
  const quiet = check('quiet', 'yes', true);
  const text = document([
    { injected: 'a fault', checks: [check('0 failed requests', '0 of 7', true), quiet, boundedPercentile([], [])] },
    { injected: 'another', checks: [quiet] },
  ]);
  assert.ok(text.includes('\nOn a machine. Every requirement was met.\n'), text);
  assert.ok(text.includes('| **A title.** Some words. | 2 | quiet | 0 of 250 ms |'), text);
  assert.ok(!text.includes('Never run'));
});

test('The document says what was not met, and how much', () => {
  const text = document([{ injected: 'a fault', checks: [check('0 failed requests', '3 of 7', false)] }]);
  assert.ok(text.includes('**Not met:**\n\n- a fault: 0 failed requests: 3 of 7\n'), text);
});

test('docs/reliability.md is what the kept measurements make of it', () => {
  const results = JSON.parse(readFileSync(new URL('./results.json', import.meta.url), 'utf8'));
  assert.equal(readFileSync(`${repository}docs/reliability.md`, 'utf8'), reliabilityDocument(sections, results));
});
