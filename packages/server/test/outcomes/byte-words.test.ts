import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { summarizeTransaction } from '../../../core/src/index.ts';
import { toMessage } from '../../../core/src/plan/plan-message.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { anyBlockhash, anyOptionPlan } from '../../../core/test/random-plans.ts';
import { describeBytes } from '../../src/outcomes/transaction-words.ts';
import { describeTransaction } from '../../src/transfers/words/describe-transaction.ts';

const anyTransaction = fc
  .tuple(anyOptionPlan('legacy', 0, 1), anyBlockhash)
  .map(([plan, hash]) => encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? hash)));

describe('the names of bytes', () => {
  it('are those of all bytes, and never empty', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        const named = describeBytes(bytes);
        assert.equal(
          named.reduce((end, { offset, length }) => (offset === end ? end + length : Number.NaN), 0),
          bytes.length,
        );
        for (const { title, name } of named) {
          assert.ok(title !== '');
          assert.match(name, /\S/);
          // An address may begin with "NaN".
          const words = name.replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,}/g, 'address');
          if (!name.startsWith('memo ')) assert.doesNotMatch(words, /[ ,](?:undefined|NaN|\[object)|[:,] ?$/);
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('say of every account of an instruction what its description says', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        const lines = describeTransaction(summarizeTransaction(bytes));
        for (const { title, name, instruction, account } of describeBytes(bytes)) {
          if (instruction === undefined) continue;
          const from = lines.indexOf(title);
          assert.ok(from >= 0, `${title}\n${lines.join('\n')}`);
          const [, label, who] = /^(\D+): account \d+, (.+)$/.exec(name) ?? [];
          // Its program, and what it needs for itself alone, are not in the description; the nonce account is in its title.
          if (account === undefined || label === undefined || who === undefined) continue;
          if (['program', 'recent blockhashes'].includes(label)) continue;
          if (label === 'nonce account') assert.ok(title.includes(who));
          else
            assert.ok(
              linesOf(lines, from).some((line) => line.startsWith(`${label.padEnd(9)}  ${who}`)),
              `${name}\n${title}`,
            );
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('hold no line break, whatever a memo holds', () => {
    fc.assert(
      fc.property(anyTransaction, (bytes) => {
        for (const { title, name } of describeBytes(bytes))
          assert.doesNotMatch(title + name, /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u);
      }),
    );
  });
});

/** The lines under the one at an index, which are indented. */
function linesOf(lines: readonly string[], from: number): string[] {
  const under = lines.slice(from + 1);
  const end = under.findIndex((line) => !line.startsWith('   '));
  return (end === -1 ? under : under.slice(0, end)).map((line) => line.trim());
}
