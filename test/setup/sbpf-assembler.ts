/** A register: 0 holds what the program returns; at the start, 1 points to its serialized input. */
type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Opcodes of sBPF version 0 (`doc/bytecode.md` of anza-xyz/sbpf). */
const opcodes = {
  loadImmediate: 0x18,
  loadByte: 0x71,
  loadDoubleword: 0x79,
  storeByte: 0x73,
  storeDoubleword: 0x7b,
  moveImmediate32: 0xb4,
  moveImmediate: 0xb7,
  move: 0xbf,
  addImmediate: 0x07,
  add: 0x0f,
  multiplyImmediate: 0x27,
  andImmediate: 0x57,
  jump: 0x05,
  jumpIfEqualImmediate: 0x15,
  jumpIfNotEqualImmediate: 0x55,
  jumpIfEqual: 0x1d,
  jumpIfGreaterOrEqual: 0x3d,
  call: 0x85,
  exit: 0x95,
} as const;

/** One instruction: u8 opcode, u4 destination (low), u4 source (high), i16 offset, i32 immediate, little-endian. */
function instruction(
  opcode: number,
  destination: Register,
  source: Register,
  offset: number,
  immediate: number,
): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(opcode, 0);
  bytes.writeUInt8((source << 4) | destination, 1);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(immediate, 4);
  return bytes;
}

/** Reads the byte that is `offset` bytes after the address in `source`. Throws `RangeError` past an i16. */
export function loadByte(destination: Register, source: Register, offset: number): Uint8Array {
  return instruction(opcodes.loadByte, destination, source, offset, 0);
}

/** Reads the u64 that is `offset` bytes after the address in `source`. Throws `RangeError` past an i16. */
export function loadDoubleword(destination: Register, source: Register, offset: number): Uint8Array {
  return instruction(opcodes.loadDoubleword, destination, source, offset, 0);
}

/** Writes the lowest byte of `source` to `offset` bytes after the address in `destination`. Throws `RangeError` past an i16. */
export function storeByte(destination: Register, offset: number, source: Register): Uint8Array {
  return instruction(opcodes.storeByte, destination, source, offset, 0);
}

/** Writes the u64 in `source` to `offset` bytes after the address in `destination`. Throws `RangeError` past an i16. */
export function storeDoubleword(destination: Register, offset: number, source: Register): Uint8Array {
  return instruction(opcodes.storeDoubleword, destination, source, offset, 0);
}

/** Sets a register to a u32, its upper half to zero. */
export function moveImmediate(destination: Register, value: number): Uint8Array {
  // `| 0` writes the same 32 bits as the signed field wants them.
  return instruction(opcodes.moveImmediate32, destination, 0, 0, value | 0);
}

/** Sets a register to a u64, in two instructions. */
export function loadImmediate(destination: Register, value: bigint): Uint8Array {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return Buffer.concat([instruction(opcodes.loadImmediate, destination, 0, 0, low), instruction(0, 0, 0, 0, high)]);
}

/** Copies a register. */
export function move(destination: Register, source: Register): Uint8Array {
  return instruction(opcodes.move, destination, source, 0, 0);
}

/** Adds an i32 to a register. */
export function addImmediate(destination: Register, value: number): Uint8Array {
  return instruction(opcodes.addImmediate, destination, 0, 0, value);
}

/** Adds `source` to `destination`. */
export function add(destination: Register, source: Register): Uint8Array {
  return instruction(opcodes.add, destination, source, 0, 0);
}

/** Multiplies a register by an i32. */
export function multiplyImmediate(destination: Register, value: number): Uint8Array {
  return instruction(opcodes.multiplyImmediate, destination, 0, 0, value);
}

/** Keeps the bits of a register that are set in an i32, whose sign is extended to 64 bits. */
export function andImmediate(destination: Register, value: number): Uint8Array {
  return instruction(opcodes.andImmediate, destination, 0, 0, value);
}

/** Skips so many instructions when the register's u64 equals the value. Throws `RangeError` past an i32. */
export function skipIfEqual(register: Register, value: number, skipped: number): Uint8Array {
  return instruction(opcodes.jumpIfEqualImmediate, register, 0, skipped, value);
}

/** Calls the syscall of a relocation, by the arguments in registers 1 to 5; `encodeSbpfElf` is told where it stands. */
export function callSyscall(): Uint8Array {
  return instruction(opcodes.call, 0, 0, 0, -1);
}

/** Ends the program; register 0 says how. */
export function exit(): Uint8Array {
  return instruction(opcodes.exit, 0, 0, 0, 0);
}

/** A place in a program, or a jump to one. */
export type Step = Uint8Array | { label: string } | { jump: string; encode: (offset: number) => Uint8Array };

/** Goes on at a label. */
export function jump(label: string): Step {
  return { jump: label, encode: (offset) => instruction(opcodes.jump, 0, 0, offset, 0) };
}

/** Goes on at a label when the register does not hold the value. */
export function jumpIfNot(register: Register, value: number, label: string): Step {
  return {
    jump: label,
    encode: (offset) => instruction(opcodes.jumpIfNotEqualImmediate, register, 0, offset, value),
  };
}

/** Goes on at a label when two registers hold the same. */
export function jumpIfEqual(one: Register, other: Register, label: string): Step {
  return { jump: label, encode: (offset) => instruction(opcodes.jumpIfEqual, one, other, offset, 0) };
}

/** Goes on at a label when `one` is at least `other`, both as u64. */
export function jumpIfAtLeast(one: Register, other: Register, label: string): Step {
  return { jump: label, encode: (offset) => instruction(opcodes.jumpIfGreaterOrEqual, one, other, offset, 0) };
}

/** Puts the steps of a program together. Throws for a jump to no label. */
export function assemble(steps: readonly Step[]): Uint8Array {
  const lengthOf = (step: Step): number => (step instanceof Uint8Array ? step.length / 8 : 'label' in step ? 0 : 1);
  const places = new Map<string, number>();
  let place = 0;
  for (const step of steps) {
    if ('label' in step) places.set(step.label, place);
    place += lengthOf(step);
  }
  place = 0;
  return Buffer.concat(
    steps.map((step) => {
      place += lengthOf(step);
      if (step instanceof Uint8Array) return step;
      if ('label' in step) return new Uint8Array();
      const target = places.get(step.jump);
      if (target === undefined) throw new Error(`no label ${step.jump}`);
      return step.encode(target - place);
    }),
  );
}
