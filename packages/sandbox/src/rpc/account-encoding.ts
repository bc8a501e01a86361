import { zstdCompressSync } from 'node:zlib';
import { type EncodedAccount, getBase58Decoder } from '@solana/kit';
import { asConfig, asString, asUnsigned, type RpcConfig } from './parameters.ts';
import { invalidParameters, invalidRequestCode, RpcError } from './rpc-errors.ts';

/** How an account's data is written; `binary` is the old form, base58 without its name. */
export type AccountEncoding = 'binary' | 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed';

/** A part of an account's data. */
interface DataSlice {
  readonly offset: bigint;
  readonly length: bigint;
}

/** How a caller wants accounts to be written. */
export interface AccountFormat {
  readonly encoding: AccountEncoding;
  readonly dataSlice: DataSlice | undefined;
}

const encodings: Readonly<Record<string, AccountEncoding>> = {
  binary: 'binary',
  base58: 'base58',
  base64: 'base64',
  'base64+zstd': 'base64+zstd',
  jsonParsed: 'jsonParsed',
};

/** The most bytes that a validator writes as base58 (`MAX_BASE58_BYTES`). */
const maxBase58Bytes = 128;

/** Rent is paid once and for all: accounts are due in no epoch (`RENT_EXEMPT_RENT_EPOCH`). */
const noRentEpoch = 18_446_744_073_709_551_615n;

/** Reads `encoding` and `dataSlice`. */
export function accountFormatOf(config: RpcConfig, defaultEncoding: AccountEncoding): AccountFormat {
  const name = config.encoding ?? defaultEncoding;
  const encoding = Object.hasOwn(encodings, asString(name)) ? encodings[asString(name)] : undefined;
  if (encoding === undefined) throw invalidParameters(`Invalid params: unknown variant \`${asString(name)}\`.`);
  const slice = config.dataSlice;
  if (slice === undefined || slice === null) return { encoding, dataSlice: undefined };
  const { offset, length } = asConfig(slice);
  return { encoding, dataSlice: { offset: asUnsigned(offset), length: asUnsigned(length) } };
}

function encodeData(data: Uint8Array, encoding: AccountEncoding): unknown {
  if (encoding === 'base64+zstd') return [zstdCompressSync(data).toString('base64'), encoding];
  // What cannot be parsed is written as base64; here nothing is parsed.
  if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > maxBase58Bytes) {
    throw new RpcError(
      invalidRequestCode,
      `Encoded binary (base 58) data should be less than ${maxBase58Bytes} bytes, please use Base64 encoding.`,
    );
  }
  const text = getBase58Decoder().decode(data);
  return encoding === 'binary' ? text : [text, encoding];
}

/** Writes an account as a validator's JSON does. */
export function toUiAccount(account: EncodedAccount, format: AccountFormat): unknown {
  const { encoding, dataSlice } = format;
  const data =
    dataSlice === undefined
      ? account.data
      : account.data.slice(Number(dataSlice.offset), Number(dataSlice.offset + dataSlice.length));
  return {
    lamports: account.lamports,
    data: encodeData(Uint8Array.from(data), encoding),
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: noRentEpoch,
    space: account.data.length,
  };
}
