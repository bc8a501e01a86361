import { wasmCode } from './wasm-code.ts';

// What is used of the standard's interface, which the types of neither the language nor Node declare.
// biome-ignore lint/style/useNamingConvention: the name is that of the global
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** The functions of `wasm/assembly/index.ts`, whose docblocks say what each reads and writes. */
interface Exports {
  memory: { buffer: ArrayBuffer };
  input: { value: number };
  output: { value: number };
  text: { value: number };
  tokenSeeds: { value: number };
  tokenProof: { value: number };
  isOnCurve(): number;
  encodeAddress(): number;
  decodeAddress(length: number): number;
  findProgramDerivedAddress(length: number, bumpIndex: number): number;
  findAssociatedTokenAddress(): number;
  prepareTokenSeeds(): void;
  prepareTokenProof(): void;
  hashTokenProof(): void;
}

const code = Uint8Array.from(atob(wasmCode), (character) => character.charCodeAt(0));
// The code comes with the core, from the source beside it: its exports are known.
const exports = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as Exports;

/**
 * The compiled part of the core: the curve test, base58 and the derivation of addresses, over one fixed memory.
 *
 * A call reads and writes fixed places of the memory and never waits, so no two calls meet.
 */
export const wasm = exports;

/** The whole memory, which never grows. */
export const wasmMemory = new Uint8Array(exports.memory.buffer);

/** The same memory. */
export const wasmView = new DataView(exports.memory.buffer);

/** Where in the memory each function reads and writes. */
export const wasmOffsets = {
  input: exports.input.value,
  output: exports.output.value,
  text: exports.text.value,
  tokenSeeds: exports.tokenSeeds.value,
  tokenProof: exports.tokenProof.value,
} as const;

// Base58 text of 32 bytes.
const minTextLength = 32;
const maxTextLength = 44;
const { text: textOffset } = wasmOffsets;
const textMemory = wasmMemory.subarray(textOffset, textOffset + maxTextLength);
const textsOfLength = Array.from({ length: maxTextLength + 1 }, (_, length) => textMemory.subarray(0, length));
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Writes a text to where `decodeAddress` reads it. Returns false for one that is too short or too long for an address.
 *
 * Characters past ASCII are written as bytes past it, which are no base58.
 */
export function writeText(text: string): boolean {
  const { length } = text;
  if (length < minTextLength || length > maxTextLength) return false;
  return encoder.encodeInto(text, textMemory).written === length;
}

/** Reads the text of `length` characters that `encodeAddress` has just written: at most 44, all ASCII. */
export function readText(length: number): string {
  return decoder.decode(textsOfLength[length]);
}
