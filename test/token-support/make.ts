import { writeFileSync } from 'node:fs';
import { type Cells, supportCell, supportDocument } from './document.ts';
import { observeCell } from './observe-cell.ts';
import { operations } from './situation.ts';
import { programSets } from './stage.ts';
import { supportTables } from './tables.ts';

const finishes: (() => Promise<void>)[] = [];
const { start } = programSets['p-token and the newer Memo program'];
const stage = await start({ after: (finish) => void finishes.push(finish) });
const observed = new Map<string, Cells>();
for (const row of supportTables.flatMap(({ rows }) => rows)) {
  const cells: Record<string, string> = {};
  for (const operation of operations) cells[operation] = supportCell(await observeCell(stage, row, operation));
  observed.set(row.id, cells);
}
writeFileSync(new URL('../../docs/token-support.md', import.meta.url), supportDocument(observed));
for (const finish of finishes.reverse()) await finish();
