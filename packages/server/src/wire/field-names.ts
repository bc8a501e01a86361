const maxNameShown = 64;

/** Quotes the name of a field for a sentence; a name of any length is cut. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > maxNameShown ? `${name.slice(0, maxNameShown)}…` : name);
}

/** Returns the JSON pointer (RFC 6901) to a field of the object at `parent`; a name of any length is cut. */
export function pointerTo(name: string, parent = ''): string {
  const shown = (name.length > maxNameShown ? name.slice(0, maxNameShown) : name).toWellFormed();
  // `~` and `/` inside a name are escaped.
  return `${parent}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const mostEdits = 2;

/**
 * Returns the name that is nearest to a misspelled one by letters to add, drop or replace; the first of several that are equally near.
 * Case and everything but letters are ignored.
 *
 * Returns `undefined` when the nearest name is more than two edits away, or a third of its letters or more.
 */
export function findSimilarName<Name extends string>(misspelt: string, names: readonly Name[]): Name | undefined {
  const letters = lettersOf(misspelt);
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

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

// The Levenshtein distance, one row of its table at a time: `row[j]` is the distance of what was read of `a` to `b[0, j)`.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
