import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SparseColumn } from '../../../src/packing/patterns/pivot-order.ts';
import { SparseBasis } from '../../../src/packing/patterns/sparse-basis.ts';

const size = 12;
const anyColumn: fc.Arbitrary<SparseColumn> = fc
  .uniqueArray(fc.tuple(fc.nat(size - 1), fc.constantFrom(-1, 1, 2, 3)), {
    minLength: 1,
    maxLength: 4,
    selector: ([kind]) => kind,
  })
  .map((entries) => ({ kinds: entries.map(([kind]) => kind), counts: entries.map(([, count]) => count) }));
const anyNumbers = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: size, maxLength: size });

// More than the exchanges after which the triangles are made again.
const anyExchanges = fc.array(fc.tuple(anyColumn, fc.nat(size - 1)), { minLength: 60, maxLength: 200 });
const diagonal: readonly SparseColumn[] = Array.from({ length: size }, (_, kind) => ({ kinds: [kind], counts: [2] }));

function entriesOf({ kinds, counts }: SparseColumn): Float64Array {
  const entries = new Float64Array(size);
  for (const [at, kind] of kinds.entries()) entries[kind] = counts[at] ?? 0;
  return entries;
}

function assertNear(some: Float64Array, others: ArrayLike<number>): void {
  for (const [at, value] of some.entries())
    assert.ok(Math.abs(value - (others[at] ?? 0)) < 1e-6 * (1 + Math.abs(value)));
}

describe('a sparse basis', () => {
  it('solves its equations and those of its rows, whatever columns are exchanged', () => {
    let remakes = 0;
    fc.assert(
      fc.property(anyExchanges, anyNumbers, (exchanges, numbers) => {
        const columns = [...diagonal];
        const basis = new SparseBasis(columns);
        for (const [column, first] of exchanges) {
          const direction = basis.solve(entriesOf(column));
          const places = [...direction.keys()].map((at) => (at + first) % size);
          // So that no column is nearly made of others.
          const least = Math.max(0.5, direction.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0) / 2);
          const place = places.find((at) => Math.abs(direction[at] ?? 0) >= least);
          if (place === undefined) continue;
          if (basis.exchange(place, column, direction)) remakes += 1;
          columns[place] = column;
        }
        const made = new Float64Array(size);
        const times = basis.solve(Float64Array.from(numbers));
        for (const [at, { kinds, counts }] of columns.entries()) {
          for (const [entry, kind] of kinds.entries()) {
            made[kind] = (made[kind] ?? 0) + (times[at] ?? 0) * (counts[entry] ?? 0);
          }
        }
        assertNear(made, numbers);
        const values = basis.solveTransposed(Float64Array.from(numbers));
        const worths = columns.map((column) =>
          entriesOf(column).reduce((sum, entry, row) => sum + entry * (values[row] ?? 0), 0),
        );
        assertNear(Float64Array.from(worths), numbers);
      }),
      { numRuns: 300 },
    );
    assert.ok(remakes > 100, `the triangles were made again ${remakes} times`);
  });

  it('is not made of columns of which one is made of others', () => {
    const twice = { kinds: [0, 1], counts: [1, 1] };
    assert.throws(() => new SparseBasis([twice, twice, { kinds: [2], counts: [1] }]), RangeError);
  });
});
