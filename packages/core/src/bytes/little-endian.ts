// A view of the data itself would be an object for each integer that is read, and would take most of the time.
const view = new DataView(new ArrayBuffer(8));

/** Reads an unsigned 64-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU64(data: Uint8Array, offset: number): bigint {
  return viewOf64Bits(data, offset).getBigUint64(0, true);
}

/** Reads a 64-bit little-endian floating-point number. Throws a `RangeError` past the end of the data. */
export function readF64(data: Uint8Array, offset: number): number {
  return viewOf64Bits(data, offset).getFloat64(0, true);
}

/** Reads an unsigned 32-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU32(data: Uint8Array, offset: number): number {
  return readBits(data, offset, 4) >>> 0;
}

/** Reads an unsigned 16-bit little-endian integer. Throws a `RangeError` past the end of the data. */
export function readU16(data: Uint8Array, offset: number): number {
  return readBits(data, offset, 2);
}

/** Writes an unsigned 32-bit little-endian integer. */
export function writeU32(data: Uint8Array, offset: number, value: number): void {
  for (let index = 0; index < 4; index++) data[offset + index] = value >>> (8 * index);
}

/** Writes an unsigned 64-bit little-endian integer. */
export function writeU64(data: Uint8Array, offset: number, value: bigint): void {
  view.setBigUint64(0, value, true);
  writeU32(data, offset, view.getUint32(0, true));
  writeU32(data, offset + 4, view.getUint32(4, true));
}

function viewOf64Bits(data: Uint8Array, offset: number): DataView {
  view.setInt32(0, readBits(data, offset, 4), true);
  view.setInt32(4, readBits(data, offset + 4, 4), true);
  return view;
}

// Up to 32 bits, the highest of which may make the number negative.
function readBits(data: Uint8Array, offset: number, byteLength: number): number {
  let bits = 0;
  for (let index = 0; index < byteLength; index++) {
    const byte = data[offset + index];
    if (byte === undefined) throw new RangeError(`there is no byte ${offset + index} of ${data.length}`);
    bits |= byte << (8 * index);
  }
  return bits;
}
