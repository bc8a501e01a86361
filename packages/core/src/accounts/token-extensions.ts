/** Extension types that decide whether a transfer lands, or that a payer should hear of (token-2022 `interface/src/extension/mod.rs`, `ExtensionType`). */
export const extensionType = {
  transferFeeConfig: 1,
  mintCloseAuthority: 3,
  confidentialTransferAccount: 5,
  defaultAccountState: 6,
  memoTransfer: 8,
  nonTransferable: 9,
  interestBearing: 10,
  permanentDelegate: 12,
  transferHook: 14,
  metadataPointer: 18,
  tokenMetadata: 19,
  scaledUiAmount: 25,
  pausable: 26,
} as const;

/** The newest extension type that is known here (`PermissionedBurn`); what comes after may change any rule. */
export const newestKnownExtensionType = 28;

// In bytes: the size of each extension that the mint decoder reads by offset. A token program writes these sizes and no others.
const valueSizes: readonly (readonly [type: number, size: number])[] = [
  [extensionType.transferFeeConfig, 108],
  [extensionType.mintCloseAuthority, 32],
  [extensionType.interestBearing, 52],
  [extensionType.permanentDelegate, 32],
  [extensionType.transferHook, 64],
  [extensionType.scaledUiAmount, 56],
  [extensionType.pausable, 33],
];

/** Returns the first extension whose value does not have the size of its type, otherwise undefined. */
export function findMissizedExtension(
  extensions: ReadonlyMap<number, Uint8Array>,
): { type: number; size: number; expectedSize: number } | undefined {
  for (const [type, expectedSize] of valueSizes) {
    const size = extensions.get(type)?.length;
    if (size !== undefined && size !== expectedSize) return { type, size, expectedSize };
  }
  return undefined;
}

// Base state padded to a token account's length, then the account type byte, then the entries.
const firstEntryOffset = 166;
const entryHeaderLength = 4;

const none: ReadonlyMap<number, Uint8Array> = new Map();

/**
 * Reads the extensions of a Token-2022 account: the bytes of each value by its type.
 *
 * Types that are not known here are listed like any other, since a newer token program may write them; reading ends at the
 * first uninitialized type, as the program's own does, or where the data ends.
 */
export function readExtensions(data: Uint8Array): ReadonlyMap<number, Uint8Array> {
  if (data.length < firstEntryOffset + entryHeaderLength) return none;
  const extensions = new Map<number, Uint8Array>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = firstEntryOffset;
  while (offset + entryHeaderLength <= data.length) {
    const type = view.getUint16(offset, true);
    const length = view.getUint16(offset + 2, true);
    const start = offset + entryHeaderLength;
    if (type === 0 || start + length > data.length) break;
    extensions.set(type, data.subarray(start, start + length));
    offset = start + length;
  }
  return extensions;
}
