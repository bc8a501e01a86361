import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Column,
  PatternProgram,
  patternOf,
  worthOfColumn,
} from '../../../src/packing/patterns/pattern-program.ts';

const size = 5;
const countsOfKinds = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: size, maxLength: size });
const patterns = fc.array(
  fc
    .array(fc.nat(3), { minLength: size, maxLength: size })
    .map((counts) => patternOf(new Map([...counts.entries()].filter(([, count]) => count > 0)))),
  { maxLength: 130 },
);

test('a program makes all transfers by patterns that are worth 1 each, whatever is exchanged, and by no more transactions', () => {
  fc.assert(
    fc.property(countsOfKinds, patterns, (counts, entering) => {
      const program = new PatternProgram(
        counts,
        counts.map(() => 2),
      );
      const enter = (column: Column): void => {
        const before = program.transactionCount;
        assert.ok(program.enter(column));
        assert.ok(program.transactionCount <= before + 1e-6);
        assertSolved(program, counts);
      };
      for (const pattern of entering) {
        if (pattern.kinds.length > 0 && worthOfColumn(pattern, program.values) > 1 + 1e-6) enter(pattern);
        const negative = program.values.findIndex((value) => value < -1e-6);
        if (negative !== -1) enter({ kinds: [negative], counts: [-1], transactions: 0 });
      }
    }),
    { numRuns: 300 },
  );
});

function assertSolved(program: PatternProgram, counts: readonly number[]): void {
  const made = counts.map(() => 0);
  for (const [column, times] of program.timesOfPatterns()) {
    assert.equal(column.transactions, 1);
    assert.ok(times >= 0);
    assert.ok(Math.abs(worthOfColumn(column, program.values) - 1) < 1e-6);
    for (const [at, kind] of column.kinds.entries()) {
      made[kind] = (made[kind] ?? 0) + times * (column.counts[at] ?? 0);
    }
  }
  for (const [kind, count] of counts.entries()) assert.ok((made[kind] ?? 0) > count - 1e-6);
  const worth = counts.reduce((sum, count, kind) => sum + count * (program.values[kind] ?? 0), 0);
  assert.ok(Math.abs(worth - program.transactionCount) < 1e-6);
}
