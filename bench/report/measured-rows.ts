const start = '<!-- made by npm run bench: start -->';
const end = '<!-- made by npm run bench: end -->';

/** Finds in a document the rows that the benchmark writes. Throws when their markers are missing. */
export function measuredRowsOf(document: string): string {
  const [, rest] = document.split(`${start}\n`);
  const [rows, after] = rest?.split(`\n${end}`) ?? [];
  if (rows === undefined || after === undefined) throw new Error(`the document has no ${start} … ${end}`);
  return rows;
}

/** The document's text with other rows. Throws when their markers are missing. */
export function withMeasuredRows(document: string, rows: string): string {
  return document.replace(`${start}\n${measuredRowsOf(document)}\n${end}`, () => `${start}\n${rows}\n${end}`);
}
