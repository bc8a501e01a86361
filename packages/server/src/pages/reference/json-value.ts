/** The members of a JSON object; none of anything else. */
export function membersOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** The items of a JSON array; none of anything else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a JSON value has under these names, one within the other; `undefined` where there is nothing. */
export function valueAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => membersOf(inner).find(([member]) => member === name)?.[1], value);
}

/** The text that a JSON value has under these names; empty where there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const text = valueAt(value, ...names);
  return typeof text === 'string' ? text : '';
}

/** JSON as people read it: bytes on one line, everything else one member a line. */
export function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/\[\s+([\d,\s]+)\]/g, (_, numbers: string) => {
    return `[${numbers.replaceAll(/\s+/g, ' ').trim()}]`;
  });
}
