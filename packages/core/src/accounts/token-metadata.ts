import { type Address, addressFromBytes } from '../addresses/address.ts';
import { readU32 } from '../bytes/little-endian.ts';
import type { Account } from './account.ts';
import { extensionType, readExtensions } from './token-extensions.ts';
import { decodeMint } from './token-state.ts';

/** What a mint calls its token. Its issuer chose both: any token may call itself like another. */
export interface TokenMetadata {
  /** Undefined where the mint has none, or one that is too long to be shown. */
  name: string | undefined;
  symbol: string | undefined;
}

// Of characters, as people count them. What is longer is no name to be shown next to an amount.
const maxNameLength = 64;
const maxSymbolLength = 16;

// `MetadataPointer`: the authority, then the address. `TokenMetadata` of spl-token-metadata-interface: the update authority and
// the mint, then the name, the symbol and more, each text behind its length in bytes (u32).
const pointedAddressOffset = 32;
const metadataMintOffset = 32;
const textsOffset = 64;

/**
 * Reads what a Token-2022 mint itself calls its token; undefined where it says nothing, or names another account that does.
 *
 * Throws nothing, whatever the account holds.
 */
export function readTokenMetadata(address: Address, account: Account): TokenMetadata | undefined {
  if (!decodeMint(account)) return undefined;
  const extensions = readExtensions(account.data);
  const metadata = extensions.get(extensionType.tokenMetadata);
  if (!metadata || addressAt(extensions.get(extensionType.metadataPointer), pointedAddressOffset) !== address) {
    return undefined;
  }
  if (addressAt(metadata, metadataMintOffset) !== address) return undefined;
  const name = textAt(metadata, textsOffset);
  const symbol = name && textAt(metadata, name.end);
  if (!symbol) return undefined;
  return { name: shown(name.text, maxNameLength), symbol: shown(symbol.text, maxSymbolLength) };
}

function addressAt(bytes: Uint8Array | undefined, offset: number): Address | undefined {
  return bytes && bytes.length >= offset + 32 ? addressFromBytes(bytes.subarray(offset, offset + 32)) : undefined;
}

function textAt(bytes: Uint8Array, offset: number): { text: string; end: number } | undefined {
  const start = offset + 4;
  if (start > bytes.length) return undefined;
  const end = start + readU32(bytes, offset);
  if (end > bytes.length) return undefined;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes.subarray(start, end)), end };
  } catch {
    return undefined;
  }
}

// Issuers pad texts with zero bytes.
function shown(text: string, maxLength: number): string | undefined {
  const plain = text.replaceAll('\0', '').trim();
  return plain === '' || [...plain].length > maxLength ? undefined : plain;
}
