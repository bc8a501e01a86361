import type { ReadonlyUint8Array } from '@solana/kit';

/** Token-2022's extensions begin after an account's 165 bytes and the byte of its kind. */
const extensionsOffset = 166;

/** An extension's u16 number and u16 length. */
const headerBytes = 4;

/** Yields the number and the contents of each extension of a Token-2022 mint or token account, in their order. */
export function* extensionsIn(data: ReadonlyUint8Array): Generator<[type: number, contents: ReadonlyUint8Array]> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = extensionsOffset;
  while (offset + headerBytes <= data.length) {
    const type = view.getUint16(offset, true);
    const end = offset + headerBytes + view.getUint16(offset + 2, true);
    if (type === 0 || end > data.length) return;
    yield [type, data.slice(offset + headerBytes, end)];
    offset = end;
  }
}
