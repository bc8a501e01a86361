import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { type Cells, documentedCells, supportCell, supportDocument } from './document.ts';
import { observeCell } from './observe-cell.ts';
import { operations } from './situation.ts';
import { type ProgramSet, programSets } from './stage.ts';
import { supportTables } from './tables.ts';

const document = readFileSync(new URL('../../docs/token-support.md', import.meta.url), 'utf8');
const remedy = 'if this is right, run `node test/token-support/make.ts`';
const rows = supportTables.flatMap((table) => table.rows.map((row) => ({ table, row })));

for (const [programs, { start, takesPart }] of Object.entries<ProgramSet>(programSets)) {
  const stage = await start({ after });

  describe(`docs/token-support.md, under ${programs}`, () => {
    for (const { table, row } of rows) {
      const met = operations.filter((operation) => takesPart(row.plan.kind, operation));
      if (met.length === 0) continue;
      it(`${row.id}: ${row.words}`, async () => {
        const documented = documentedCells(document, table, row);
        for (const operation of met) {
          const cell = supportCell(await observeCell(stage, row, operation));
          assert.equal(cell, documented[operation], `${operation}: ${remedy}`);
        }
      });
    }
  });
}

describe('docs/token-support.md', () => {
  it('has rows with names of their own', () => {
    assert.equal(new Set(rows.map(({ row }) => row.id)).size, rows.length);
  });

  it('has only observed rows', () => {
    const cells = rows.map(({ table, row }): [string, Cells] => [row.id, documentedCells(document, table, row)]);
    assert.equal(document, supportDocument(new Map(cells)), remedy);
  });
});
