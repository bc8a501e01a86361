/** Where an answer differs from the recorded one: a path of members, and both sides in a few words. */
export interface Difference {
  path: string;
  recorded: string;
  answered: string;
}

/** What stands for the recorded addresses, signatures and transactions, by the names that the recording gives them. */
export type Scene = Readonly<Record<string, unknown>>;

/** Numbers in these lines are amounts of compute units or lamports, which no two ledgers share. */
const lineWithAmounts = /consumed \d+ of \d+|insufficient lamports/;

function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function withoutAmounts(text: string): string {
  return lineWithAmounts.test(text) ? text.replaceAll(/\d+/g, '#') : text;
}

/** Puts the scene's values in place of the names in a recorded value. */
export function inScene(scene: Scene, recorded: unknown): unknown {
  if (typeof recorded === 'string') {
    const name = recorded.slice(1);
    if (recorded.startsWith('$') && Object.hasOwn(scene, name)) return scene[name];
    return recorded.replaceAll(/\$([a-zA-Z]+(?: (?:2022|classic))?)/g, (text, known: string) =>
      Object.hasOwn(scene, known) ? String(scene[known]) : text,
    );
  }
  if (Array.isArray(recorded)) return recorded.map((each) => inScene(scene, each));
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  return Object.fromEntries(Object.entries(recorded).map(([member, each]) => [member, inScene(scene, each)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells recorded values of which only the type counts from those that must be equal. */
function isEqual(recorded: unknown, answered: unknown): boolean {
  if (recorded === '$number') return typeof answered === 'number';
  if (recorded === '$text') return typeof answered === 'string';
  if (typeof recorded !== 'string' || typeof answered !== 'string') return recorded === answered;
  return withoutAmounts(recorded) === withoutAmounts(answered);
}

/**
 * Compares an answer with the recorded one, member by member. `$number` and `$text` stand for any number and any text.
 * Where lists were cut when they were recorded, an answer may go on after their two entries.
 */
export function compare(recorded: unknown, answered: unknown, lists: 'whole' | 'cut', path = ''): Difference[] {
  const differs = () => [{ path, recorded: inWords(recorded), answered: inWords(answered) }];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(answered)) return differs();
    const isCut = lists === 'cut' && recorded.length === 2 && answered.length > 2;
    if (recorded.length !== answered.length && !isCut) return differs();
    return recorded.flatMap((each, index) => compare(each, answered[index], lists, `${path}[${index}]`));
  }
  if (!isObject(recorded)) return isEqual(recorded, answered) ? [] : differs();
  if (!isObject(answered)) return differs();
  const members = new Set([...Object.keys(recorded), ...Object.keys(answered)]);
  return [...members].flatMap((member) =>
    compare(recorded[member], answered[member], lists, path === '' ? member : `${path}.${member}`),
  );
}
