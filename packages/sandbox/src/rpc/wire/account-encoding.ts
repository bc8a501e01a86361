import { zstdCompressSync } from 'node:zlib';
import { type EncodedAccount, getBase58Decoder } from '@solana/kit';
import { type GetAccount, parseAccount } from '../parsed/parse-account.ts';
import { asConfig, asString, asUnsigned, type RpcConfig, unknownVariant } from './parameters.ts';
import { invalidRequestCode, RpcError } from './rpc-errors.ts';

/** How an account's data is written; `binary` is the old form, base58 without its name. */
export type AccountEncoding = 'binary' | 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed';

/** A part of an account's data. */
interface DataSlice {
  offset: bigint;
  length: bigint;
}

/** How a caller wants accounts to be written. */
export interface AccountFormat {
  encoding: AccountEncoding;
  dataSlice: DataSlice | undefined;
}

/** In the order in which a validator names them. */
const encodings: readonly AccountEncoding[] = ['binary', 'base58', 'base64', 'jsonParsed', 'base64+zstd'];

/** A validator writes at most so many bytes as base58 (`MAX_BASE58_BYTES`). */
const maxBase58Bytes = 128;

/** Rent is paid once and for all: accounts are due in no epoch (`RENT_EXEMPT_RENT_EPOCH`). */
const noRentEpoch = 18_446_744_073_709_551_615n;

const sysvarOwner = 'Sysvar1111111111111111111111111111111111111';

/** Reads `encoding` and `dataSlice`. */
export function accountFormatOf(config: RpcConfig, defaultEncoding: AccountEncoding): AccountFormat {
  const name = asString(config.encoding ?? defaultEncoding);
  const encoding = encodings.find((known) => known === name);
  if (encoding === undefined) throw unknownVariant(name, encodings);
  const slice = config.dataSlice;
  if (slice === undefined || slice === null) return { encoding, dataSlice: undefined };
  const { offset, length } = asConfig(slice);
  return { encoding, dataSlice: { offset: asUnsigned(offset), length: asUnsigned(length) } };
}

function encodeData(data: Uint8Array, encoding: AccountEncoding): unknown {
  if (encoding === 'base64+zstd') return [zstdCompressSync(data).toString('base64'), encoding];
  // What cannot be parsed is written as base64.
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
export function toUiAccount(account: EncodedAccount, format: AccountFormat, getAccount: GetAccount): unknown {
  return {
    lamports: account.lamports,
    data: toUiData(account, format, getAccount),
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: account.programAddress === sysvarOwner ? 0n : noRentEpoch,
    space: account.data.length,
  };
}

function toUiData(account: EncodedAccount, { encoding, dataSlice }: AccountFormat, getAccount: GetAccount): unknown {
  const parsed = encoding === 'jsonParsed' ? parseAccount(account, getAccount) : undefined;
  if (parsed !== undefined) return { ...parsed, space: account.data.length };
  const { data } = account;
  if (dataSlice === undefined) return encodeData(Uint8Array.from(data), encoding);
  const end = Number(dataSlice.offset + dataSlice.length);
  return encodeData(Uint8Array.from(data.slice(Number(dataSlice.offset), end)), encoding);
}
