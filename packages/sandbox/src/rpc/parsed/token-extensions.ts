import type { ReadonlyUint8Array } from '@solana/kit';
import { extensionsIn } from '../../ledger/token-extension-data.ts';
import { ByteReader } from './byte-reader.ts';

/** A Token-2022 extension as a validator's JSON has it. */
interface ParsedExtension {
  extension: string;
  state?: unknown;
}

interface ExtensionKind {
  name: string;
  /** Absent for an extension without contents. */
  read?: (reader: ByteReader) => unknown;
}

const transferFee = (reader: ByteReader) => ({
  epoch: reader.u64(),
  maximumFee: reader.u64(),
  transferFeeBasisPoints: reader.u16(),
});

/** By their numbers in the account (`ExtensionType`). Members are in the order of the bytes, which is how they are read. */
const extensionKinds: Readonly<Record<number, ExtensionKind>> = {
  1: {
    name: 'transferFeeConfig',
    read: (reader) => ({
      transferFeeConfigAuthority: reader.addressOrNull(),
      withdrawWithheldAuthority: reader.addressOrNull(),
      withheldAmount: reader.u64(),
      olderTransferFee: transferFee(reader),
      newerTransferFee: transferFee(reader),
    }),
  },
  2: { name: 'transferFeeAmount', read: (reader) => ({ withheldAmount: reader.u64() }) },
  3: { name: 'mintCloseAuthority', read: (reader) => ({ closeAuthority: reader.addressOrNull() }) },
  7: { name: 'immutableOwner' },
  12: { name: 'permanentDelegate', read: (reader) => ({ delegate: reader.addressOrNull() }) },
  18: {
    name: 'metadataPointer',
    read: (reader) => ({ authority: reader.addressOrNull(), metadataAddress: reader.addressOrNull() }),
  },
  19: {
    name: 'tokenMetadata',
    read: (reader) => ({
      updateAuthority: reader.addressOrNull(),
      mint: reader.address(),
      name: reader.text(),
      symbol: reader.text(),
      uri: reader.text(),
      additionalMetadata: Array.from({ length: reader.u32() }, () => [reader.text(), reader.text()]),
    }),
  },
};

const unparseable = 'unparseableExtension';

/** Returns the name of an extension by its number. */
export function extensionName(type: number): string {
  return extensionKinds[type]?.name ?? unparseable;
}

function parseExtension(type: number, contents: ReadonlyUint8Array): ParsedExtension {
  const read = extensionKinds[type]?.read;
  if (read === undefined) return { extension: extensionName(type) };
  try {
    return { extension: extensionName(type), state: read(new ByteReader(contents)) };
  } catch {
    return { extension: unparseable };
  }
}

/** Reads the extensions of a Token-2022 mint or token account, in their order; one that cannot be read is `unparseableExtension`. */
export function parseExtensions(data: ReadonlyUint8Array): ParsedExtension[] {
  return [...extensionsIn(data)].map(([type, contents]) => parseExtension(type, contents));
}
