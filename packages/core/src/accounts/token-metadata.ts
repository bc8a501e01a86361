import { type Address, addressFromBytes, addressToBytes } from '../addresses/address.ts';
import { findProgramDerivedAddress } from '../addresses/derived-addresses.ts';
import { isWrappedSol, metaplexMetadataProgram, systemProgram } from '../addresses/programs.ts';
import { readU32 } from '../bytes/little-endian.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';
import type { Account } from './account.ts';
import { decodeMint, extensionType, readExtensions } from './token-state.ts';

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
// the mint, then the name, the symbol and more, each text behind its length in bytes (u32). A `Metadata` account of Metaplex
// (mpl-token-metadata `state/metadata.rs`) has the same behind its key.
const pointedAddressOffset = 32;
const metadataMintOffset = 32;
const textsOffset = 64;
const metaplexSeed = new TextEncoder().encode('metadata');
const metaplexKeyMetadataV1 = 4;

// Its own metadata says "SOL", which would be taken for the SOL of a wallet.
const wrappedSol: TokenMetadata = { name: 'Wrapped SOL', symbol: 'wrapped SOL' };

/** The address of the account in which Metaplex keeps the name of a mint's token, if it has one. */
export function metaplexMetadataAddress(mint: Address): Address {
  const seeds = [metaplexSeed, addressToBytes(metaplexMetadataProgram), addressToBytes(mint)];
  return findProgramDerivedAddress(metaplexMetadataProgram, seeds).address;
}

/**
 * Reads what a mint calls its token: in the mint itself (Token-2022), otherwise in the account of Metaplex. Undefined where
 * neither says anything, and where the mint points to another account.
 *
 * `read` has the mint, and the account at `metaplexMetadataAddress`. Throws nothing, whatever the accounts hold.
 */
export function readTokenMetadata(
  mint: Address,
  read: ReadonlyMap<Address, Account | null>,
): TokenMetadata | undefined {
  const account = read.get(mint);
  if (!account || !decodeMint(account)) return undefined;
  if (isWrappedSol(mint)) return wrappedSol;
  const extensions = readExtensions(account.data);
  const pointed = addressAt(extensions.get(extensionType.metadataPointer), pointedAddressOffset);
  if (pointed === mint) return metadataIn(extensions.get(extensionType.tokenMetadata), mint);
  const address = metaplexMetadataAddress(mint);
  // A pointer without an address is 32 zero bytes, as the System program's address is.
  if (pointed !== undefined && pointed !== systemProgram && pointed !== address) return undefined;
  const metaplex = read.get(address);
  if (metaplex?.owner !== metaplexMetadataProgram || metaplex.data[0] !== metaplexKeyMetadataV1) return undefined;
  return metadataIn(metaplex.data.subarray(1), mint);
}

function metadataIn(metadata: Uint8Array | undefined, mint: Address): TokenMetadata | undefined {
  if (!metadata || addressAt(metadata, metadataMintOffset) !== mint) return undefined;
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
  const text = decodeUtf8(bytes.subarray(start, end));
  return text === undefined ? undefined : { text, end };
}

// Issuers pad texts with zero bytes.
function shown(text: string, maxLength: number): string | undefined {
  const plain = text.replaceAll('\0', '').trim();
  return plain === '' || [...plain].length > maxLength ? undefined : plain;
}
