import {
  type Address,
  address,
  type EncodedAccount,
  fixEncoderSize,
  getAddressEncoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU8Encoder,
  getU32Encoder,
  getUtf8Encoder,
  lamports,
} from '@solana/kit';

/** The Token Metadata program of Metaplex, in whose accounts most classic mints have their names. */
const metadataProgram = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');

// mpl-token-metadata `state/metadata.rs`: `MAX_METADATA_LEN`, and `Key::MetadataV1`. Each text is padded with zero bytes.
const metadataLength = 679;
const keyMetadataV1 = 4;
const [nameLength, symbolLength, uriLength] = [32, 10, 200];

const padded = (length: number) => fixEncoderSize(getUtf8Encoder(), length);

// What comes behind it (fee, creators, flags, options) is zero here: none of it.
const encoder = getStructEncoder([
  ['key', getU8Encoder()],
  ['updateAuthority', getAddressEncoder()],
  ['mint', getAddressEncoder()],
  ['nameLength', getU32Encoder()],
  ['name', padded(nameLength)],
  ['symbolLength', getU32Encoder()],
  ['symbol', padded(symbolLength)],
  ['uriLength', getU32Encoder()],
  ['uri', padded(uriLength)],
]);

/** The account by which the Token Metadata program of Metaplex would name a mint's token, as it writes it. */
export async function metaplexMetadataAccount(
  mint: Address,
  updateAuthority: Address,
  texts: { name: string; symbol: string },
  rent: (bytes: bigint) => bigint,
): Promise<EncodedAccount> {
  const { encode } = getAddressEncoder();
  const seeds = ['metadata', encode(metadataProgram), encode(mint)];
  const [at] = await getProgramDerivedAddress({ programAddress: metadataProgram, seeds });
  const data = new Uint8Array(metadataLength);
  data.set(
    encoder.encode({
      key: keyMetadataV1,
      updateAuthority,
      mint,
      nameLength,
      symbolLength,
      uriLength,
      uri: '',
      ...texts,
    }),
  );
  return {
    address: at,
    data,
    executable: false,
    lamports: lamports(rent(BigInt(metadataLength))),
    programAddress: metadataProgram,
    space: BigInt(metadataLength),
  };
}
