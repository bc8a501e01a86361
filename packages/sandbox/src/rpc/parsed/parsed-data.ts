/** An account's data in the words of the program that owns it. */
export interface ParsedData {
  /** The name of the program in a validator's JSON. */
  readonly program: string;
  readonly parsed: { readonly type: string; readonly info?: unknown };
}

/** An instruction in the words of its program. */
export interface ParsedInstruction {
  readonly type: string;
  readonly info: Readonly<Record<string, unknown>>;
}
