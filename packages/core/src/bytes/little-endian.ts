/** Reads an unsigned 64-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU64(data: Uint8Array, offset: number): bigint {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(offset, true);
}

/** Reads an unsigned 32-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU32(data: Uint8Array, offset: number): number {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(offset, true);
}

/** Reads an unsigned 16-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU16(data: Uint8Array, offset: number): number {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getUint16(offset, true);
}

/** Writes an unsigned 32-bit little-endian integer. */
export function writeU32(data: Uint8Array, offset: number, value: number): void {
  for (let index = 0; index < 4; index++) data[offset + index] = value >>> (8 * index);
}

/** Writes an unsigned 64-bit little-endian integer. */
export function writeU64(data: Uint8Array, offset: number, value: bigint): void {
  writeU32(data, offset, Number(value & 0xffff_ffffn));
  writeU32(data, offset + 4, Number(value >> 32n));
}
