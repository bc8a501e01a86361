import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reliabilityDocument } from './document.ts';
import { check, type Measured } from './measured.ts';

const holdings = [{ at: 5, residentMebibytes: 190, heapMebibytes: 41, handles: 80 }];
const soaked = { injected: 'nothing', checks: [check('0 failed requests', '0 of 9', true)], holdings };
const document = (measured: readonly Measured[]): string =>
  reliabilityDocument('On a machine.', [{ title: 'A title', words: 'Some words.', measured }], soaked);

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
  assert.ok(text.includes(`## A title\n\nSome words.\n\n${table.join('\n')}\n`), text);
  assert.ok(text.includes('| 5 s | 190 MiB | 41 MiB | 80 |'));
  assert.ok(text.includes('On a machine. Every requirement was met.'));
});

test('The document says what was not met, and how much', () => {
  const text = document([{ injected: 'a fault', checks: [check('0 failed requests', '3 of 7', false)] }]);
  assert.ok(text.includes('| a fault | **not met:** 3 of 7 |'));
  assert.ok(text.includes('1 requirement was **not met**, and marked.'));
});
