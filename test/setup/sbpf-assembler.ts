/** A register: 0 holds what the program returns; at the start, 1 points to its serialized input. */
type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Opcodes of sBPF version 0 (`doc/bytecode.md` of anza-xyz/sbpf). */
const loadDoublewordOpcode = 0x79;
const moveImmediate32Opcode = 0xb4;
const jumpIfEqualImmediateOpcode = 0x15;
const exitOpcode = 0x95;

/** One instruction: u8 opcode, u4 destination (low), u4 source (high), i16 offset, i32 immediate, little-endian. */
function instruction(opcode: number, destination: Register, source: Register, offset: number, immediate: number) {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(opcode, 0);
  bytes.writeUInt8((source << 4) | destination, 1);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(immediate, 4);
  return bytes;
}

/** Reads the u64 that is `offset` bytes after the address in `source`. Throws `RangeError` past an i16. */
export function loadDoubleword(destination: Register, source: Register, offset: number): Uint8Array {
  return instruction(loadDoublewordOpcode, destination, source, offset, 0);
}

/** Sets a register to a u32, its upper half to zero. */
export function moveImmediate(destination: Register, value: number): Uint8Array {
  // `| 0` writes the same 32 bits as the signed field wants them.
  return instruction(moveImmediate32Opcode, destination, 0, 0, value | 0);
}

/** Skips so many instructions when the register's u64 equals the value. Throws `RangeError` past an i32. */
export function skipIfEqual(register: Register, value: number, skipped: number): Uint8Array {
  return instruction(jumpIfEqualImmediateOpcode, register, 0, skipped, value);
}

/** Ends the program; register 0 says how. */
export function exit(): Uint8Array {
  return instruction(exitOpcode, 0, 0, 0, 0);
}
