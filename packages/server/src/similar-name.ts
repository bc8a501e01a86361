const mostEdits = 2;

/**
 * Returns the name that is nearest to a misspelled one by letters to add, drop, replace or exchange with the next one; the first of
 * several that are equally near. Case and everything but letters are ignored.
 *
 * Returns `undefined` when the nearest name is more than two edits away, or a third of its letters or more.
 */
export function findSimilarName<Name extends string>(misspelled: string, names: readonly Name[]): Name | undefined {
  const letters = lettersOf(misspelled);
  let nearest: Name | undefined;
  let fewestEdits = mostEdits + 1;
  for (const name of names) {
    const meant = lettersOf(name);
    // A name of any length may be sent: what differs too much in length is not compared letter by letter.
    if (Math.abs(meant.length - letters.length) > mostEdits) continue;
    const edits = editDistance(letters, meant);
    if (edits * 3 < meant.length && edits < fewestEdits) {
      nearest = name;
      fewestEdits = edits;
    }
  }
  return nearest;
}

/** Returns the letters of a name in lower case: `toaddress` of `to_address` and `toAddress`. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

// The Levenshtein distance in which two neighbors exchanged are one edit, one row of its table at a time: `row[j]` is the distance
// of what was read of `a` to `b[0, j)`.
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isExchanged = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const exchanged = isExchanged ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
