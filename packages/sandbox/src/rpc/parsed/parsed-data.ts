/** An account's data in the words of the program that owns it. */
export interface ParsedData {
  /** The name of the program in a validator's JSON. */
  program: string;
  parsed: { type: string; info?: unknown };
}

/** An instruction in the words of its program. */
export interface ParsedInstruction {
  type: string;
  info: Readonly<Record<string, unknown>>;
}
