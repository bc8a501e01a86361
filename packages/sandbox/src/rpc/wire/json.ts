declare global {
  // TypeScript's library does not know these yet (ECMAScript proposal "JSON.parse source text access", in Node since 21).
  interface JSON {
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** Writes JSON with every bigint as an exact integer, and without the members that are undefined. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
  );
}

/** Reads JSON with integers past 2^53 as bigint; throws SyntaxError. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_key, member, { source }) =>
    typeof member === 'number' && source !== undefined && !Number.isSafeInteger(member) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : member,
  );
}
