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

test('The document lists the faults of a section with their latencies, and what is required of all of them once', () => {
  const quiet = check('quiet', 'yes', true);
  const text = document([
    { injected: 'a fault', checks: [check('0 failed requests', '0 of 7', true), quiet, boundedPercentile([], [])] },
    { injected: 'another', checks: [quiet] },
  ]);
  const faults = '- a fault: 0 failed requests; p99 0 of 0 ms\n- another\n';
  const required = 'Required: quiet.';
  assert.ok(text.includes('\nOn a machine. Every requirement was met.\n'), text);
  assert.ok(text.includes(`## A title\n\nSome words.\n\n${faults}\n${required}\n`), text);
  assert.ok(!text.includes('Never run'));
});

test('The document says what was not met, and how much', () => {
  const text = document([{ injected: 'a fault', checks: [check('0 failed requests', '3 of 7', false)] }]);
  assert.ok(text.includes('- a fault: **not met:** 0 failed requests: 3 of 7\n'), text);
  assert.ok(text.includes('1 requirement was **not met**, and marked.'));
});

test('docs/reliability.md is what the kept measurements make of it', () => {
  const results = JSON.parse(readFileSync(new URL('./results.json', import.meta.url), 'utf8'));
  assert.equal(readFileSync(`${repository}docs/reliability.md`, 'utf8'), reliabilityDocument(sections, results));
});
