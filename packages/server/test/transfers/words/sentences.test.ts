/**
 * Every sentence, as it reads: `sentences.txt`.
 *
 * After a change of words: npx node --test --test-update-snapshots packages/server/test/transfers/words/sentences.test.ts
 */
import { join } from 'node:path';
import { test } from 'node:test';
import { findingCodes } from 'splwright-core';
import { describeVerdict } from '../../../src/outcomes/outcome-words.ts';
import { describeFinding } from '../../../src/transfers/words/finding-words.ts';
import { describeWarning, warningMeanings } from '../../../src/transfers/words/warning-words.ts';
import { alice, bob, usdc } from '../../app/sample-bodies.ts';
import { findingsOf, isFindingCode, isWarningCode, warningsOf } from './every-context.ts';
import { everyVerdict } from './every-verdict.ts';

const snapshot = join(import.meta.dirname, 'sentences.txt');
const shown = { [alice]: 'ALICE', [bob]: 'BOB', [usdc]: 'USDC', ['5'.repeat(88)]: 'MINE', ['4'.repeat(88)]: 'OTHER' };

const scenes = [{}, { isOnSandbox: true }, { isSponsored: true, hasVersion1: false }];

test('Every finding, every warning and every outcome is said in the words of the snapshot', (t) => {
  const refusals = Object.keys(findingCodes)
    .filter(isFindingCode)
    .flatMap((code) => {
      const sentences = findingsOf(code).flatMap((finding) =>
        scenes.map((scene) => describeFinding(finding, 'memo', scene).detail),
      );
      return ['', code, ...new Set(sentences)];
    });
  const warnings = Object.keys(warningMeanings)
    .filter(isWarningCode)
    .flatMap((code) => ['', code, ...warningsOf(code).map((warning) => describeWarning(warning).detail)]);
  const outcomes = everyVerdict.map(describeVerdict);
  const text = ['REFUSALS', ...refusals, '', 'WARNINGS', ...warnings, '', 'OUTCOMES', '', ...outcomes, ''].join('\n');
  const readable = Object.entries(shown).reduce((all, [long, short]) => all.replaceAll(long, short), text);
  t.assert.fileSnapshot(readable, snapshot, { serializers: [String] });
});
