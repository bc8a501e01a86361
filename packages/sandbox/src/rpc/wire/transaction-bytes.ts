import { getBase58Encoder } from '@solana/kit';
import { transactionSizeLimit } from '../../ledger/transaction-decoding.ts';
import { asString, type RpcConfig } from './parameters.ts';
import { invalidParameters } from './rpc-errors.ts';

const rustTransaction = 'solana_transaction::versioned::VersionedTransaction';

function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw invalidParameters('invalid base64 encoding: InvalidByte');
  return Uint8Array.from(bytes);
}

function decodeBase58(text: string): Uint8Array {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text));
  } catch {
    throw invalidParameters('invalid base58 encoding: InvalidCharacter');
  }
}

/** Reads a transaction's text in the encoding that the configuration names, base58 without one. */
export function transactionBytesOf(value: unknown, config: RpcConfig): Uint8Array {
  const text = asString(value);
  const encoding = config.encoding ?? 'base58';
  if (encoding !== 'base58' && encoding !== 'base64') {
    throw invalidParameters(`unsupported encoding: ${asString(encoding)}. Supported encodings: base58, base64`);
  }
  // Base58 takes quadratic time: a validator looks at the length of the text first, and so at the greatest limit here.
  const characterLimit = 5600;
  if (text.length > characterLimit) {
    throw invalidParameters(
      `${encoding} encoded ${rustTransaction} too large: ${text.length} bytes (max: encoded/raw ${characterLimit}/4096)`,
    );
  }
  const bytes = encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
  const limit = transactionSizeLimit(bytes);
  if (bytes.length > limit) {
    throw invalidParameters(`decoded ${rustTransaction} too large: ${bytes.length} bytes (max: ${limit} bytes)`);
  }
  return bytes;
}

/** Reads a message's base64 text. */
export function messageBytesOf(value: unknown): Uint8Array {
  return decodeBase64(asString(value));
}
