import { memoPrograms } from '../addresses/programs.ts';
import type { Instruction } from '../transaction/instruction.ts';

// The first of the low surrogates: alone, none is in any decoded text.
const firstByteUnit = 0xdc00;

/** The memos of some instructions, in order. Those that are not UTF-8 have a lone surrogate for each byte. */
export function memosOf(instructions: readonly Instruction[]): string[] {
  return instructions.filter(({ program }) => memoPrograms.includes(program)).map(({ data }) => memoOfBytes(data));
}

// Different bytes never give the same text.
function memoOfBytes(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    let units = '';
    for (const byte of data) units += String.fromCharCode(firstByteUnit + byte);
    return units;
  }
}
