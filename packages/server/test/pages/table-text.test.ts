import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';

type ReadTable = (
  text: string,
  columns: readonly string[],
) => { rows: Record<string, unknown>[]; lines: number[]; faults: string[] };

const script = new URL('../../src/pages/browser/table-text.js', import.meta.url).href;
const { readTable } = (await import(script)) as { readTable: ReadTable };

const columns = ['to_address', 'amount', 'memo', 'references'];
const faultsOf = (text: string): string => readTable(text, columns).faults.join(' ');

describe('a table that is pasted', () => {
  it('has commas, semicolons or tabs between its cells, and any line ends', () => {
    for (const separator of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n', '\r']) {
        const text = ['to_address,amount', 'a,1', 'b,2', ''].join(end).replaceAll(',', separator);
        assert.deepEqual(readTable(`\ufeff${text}`, columns), {
          rows: [
            { to_address: 'a', amount: '1' },
            { to_address: 'b', amount: '2' },
          ],
          lines: [2, 3],
          faults: [],
        });
      }
    }
  });

  it('may have its columns in any order, empty cells and empty lines', () => {
    const { rows, lines } = readTable(
      'AMOUNT , to_address,memo,references\n\n 1 , a ,,\n,,,\n2,b, a memo ,x  y\n',
      columns,
    );
    assert.deepEqual(rows, [
      { amount: '1', to_address: 'a' },
      { amount: '2', to_address: 'b', memo: ' a memo ', references: ['x', 'y'] },
    ]);
    assert.deepEqual(lines, [3, 5]);
  });

  it('gives the line of each row, also after cells of several lines', () => {
    assert.deepEqual(readTable('to_address,memo\na,"one\ntwo"\nb,', columns).lines, [2, 4]);
  });

  it('is refused where its columns are not clear, which amounts depend on', () => {
    assert.match(faultsOf('a,1\nb,2'), /The first line must name the columns, such as to_address,amount\./);
    assert.match(faultsOf('to_address,sum\na,1'), /There is no column "sum"\. The columns are to_address,/);
    assert.match(faultsOf('to_address,amount,amount\na,1,2'), /The column amount is there twice\./);
    assert.match(faultsOf('to_address,amount\na,1,500\n'), /Line 2 has 3 cells; the first line names 2 columns\./);
    assert.match(faultsOf('to_address,memo\na,"b\n'), /A quote is not closed/);
  });

  it('is read as it was written, whatever its cells hold', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', ' ', 'é') })
      .filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';', '\t'),
        (memos, separator) => {
          const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
          const text = [
            'to_address,memo'.replace(',', separator),
            ...memos.map((memo) => `a${separator}${quote(memo)}`),
          ];
          const { rows, faults } = readTable(text.join('\n'), columns);
          assert.deepEqual(faults, []);
          assert.deepEqual(
            rows,
            memos.map((memo) => ({ to_address: 'a', memo })),
          );
        },
      ),
    );
  });
});
