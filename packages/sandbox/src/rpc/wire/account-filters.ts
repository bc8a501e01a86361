import { type EncodedAccount, getBase58Encoder } from '@solana/kit';
import { decodeTokenAccount } from '../../ledger/token-balances.ts';
import { asArray, asConfig, asString, asUnsigned, type RpcConfig } from './parameters.ts';
import { invalidParameters } from './rpc-errors.ts';

type Filter = (account: EncodedAccount) => boolean;

/** One request has at most so many filters (`MAX_GET_PROGRAM_ACCOUNT_FILTERS`). */
const maxFilters = 4;

/** A filter compares at most so many bytes (`MAX_DATA_SIZE`). */
const maxComparedBytes = 128;

function comparedBytes({ bytes, encoding }: RpcConfig): Uint8Array {
  if (Array.isArray(bytes)) return Uint8Array.from(bytes.map((each) => Number(asUnsigned(each))));
  const text = asString(bytes);
  if (encoding === 'base64') return Uint8Array.from(Buffer.from(text, 'base64'));
  try {
    return Uint8Array.from(getBase58Encoder().encode(text));
  } catch {
    throw invalidParameters('Invalid param: Invalid');
  }
}

function filterOf(value: unknown): Filter {
  if (value === 'tokenAccountState') return (account) => decodeTokenAccount(account) !== undefined;
  const { dataSize, memcmp } = asConfig(value);
  if (dataSize !== undefined) {
    const bytes = Number(asUnsigned(dataSize));
    return (account) => account.data.length === bytes;
  }
  if (memcmp === undefined) throw invalidParameters('Invalid params: unknown filter.');
  const compared = asConfig(memcmp);
  const offset = Number(asUnsigned(compared.offset));
  const bytes = comparedBytes(compared);
  if (bytes.length > maxComparedBytes) throw invalidParameters('Invalid param: encoded data too large');
  return ({ data }) => Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;
}

/** Reads `filters`; returns whether an account passes all of them. */
export function accountFiltersOf(config: RpcConfig): Filter {
  const listed = asArray(config.filters ?? []);
  if (listed.length > maxFilters) throw invalidParameters(`Too many filters provided; max ${maxFilters}`);
  const filters = listed.map(filterOf);
  return (account) => filters.every((passes) => passes(account));
}
