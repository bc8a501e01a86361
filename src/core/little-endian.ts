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
