import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { repository } from '../setup/process.ts';
import { reliabilityDocument } from './document.ts';
import { check, type Measured } from './measured.ts';
import { sections } from './sections.ts';

const holdings = [{ at: 5, residentMebibytes: 190, heapMebibytes: 41, handles: 80 }];
const soaked = { injected: 'nothing', checks: [check('0 failed requests', '0 of 9', true)], holdings };
const unmeasured = { name: 'other', title: 'Never run', words: '', measurements: [] };
const document = (measured: readonly Measured[]): string =>
  reliabilityDocument([{ name: 'some', title: 'A title', words: 'Some words.', measurements: [] }, unmeasured], {
    sections: { some: { machine: 'On a machine.', measured: [...measured] } },
    soak: { machine: 'On another.', measured: soaked },
  });

test('The document has a table for a section, with a column for each requirement of its scenarios', () => {
  const text = document([
    { injected: 'a fault', checks: [check('0 failed requests', '0 of 7', true), check('quick', '1 ms', true)] },
    { injected: 'another', checks: [check('quick', '2 ms | 3 ms', true), check('quiet', 'yes', true)] },
  ]);
  const table = [
    '| injected | 0 failed requests | quick | quiet |',
    '| --- | --- | --- | --- |',
    '| a fault | 0 of 7 | 1 ms |  |',
    '| another |  | 2 ms \\| 3 ms | yes |',
  ];
  assert.ok(text.includes(`## A title\n\nSome words. On a machine.\n\n${table.join('\n')}\n`), text);
  assert.ok(text.includes('| 5 s | 190 MiB | 41 MiB | 80 |'));
  assert.ok(text.includes('\nEvery requirement was met.\n'));
  assert.ok(text.includes('On another.'));
  assert.ok(!text.includes('Never run'));
});

test('The document says once what was met alike by every scenario of a section', () => {
  const injected = ['a fault', 'another'];
  const text = document(injected.map((each) => ({ injected: each, checks: [check('quiet', 'yes', true)] })));
  assert.ok(text.includes('| injected |\n| --- |\n| a fault |\n| another |\n\nIn every row: quiet (yes).\n'), text);
});

test('The document says what was not met, and how much', () => {
  const text = document([{ injected: 'a fault', checks: [check('0 failed requests', '3 of 7', false)] }]);
  assert.ok(text.includes('| a fault | **not met:** 3 of 7 |'));
  assert.ok(text.includes('1 requirement was **not met**, and marked.'));
});

test('docs/reliability.md is what the kept measurements make of it', () => {
  const results = JSON.parse(readFileSync(new URL('./results.json', import.meta.url), 'utf8'));
  assert.equal(readFileSync(`${repository}docs/reliability.md`, 'utf8'), reliabilityDocument(sections, results));
});
