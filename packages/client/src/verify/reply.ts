import { fromBase58, fromCharacters } from './bytes.ts';
import { type Expectation, type Fields, isFields, type TransferPath, type VerifyOptions } from './expectation.ts';
import { expectSame, VerificationError } from './verification-error.ts';
import type { VerifiedTransaction } from './verified-transaction.ts';

/** What a reply says, in the shape of its operation. */
export interface ReadReply {
  bytes: Uint8Array;
  path: TransferPath;
  /** What the reply says of its bytes, as `expectClaims` compares it. */
  claims: Fields;
}

/**
 * Reads the reply of an operation that builds one transaction.
 *
 * `asked`: the path that the request was posted to. Without it the shape tells; a reply of bytes alone to a request with `yid`
 * is then one that creates no token account.
 */
export function readReply(reply: unknown, request: Fields, asked: TransferPath | undefined): ReadReply {
  const data = dataOf(reply);
  const claims: Fields = isFields(data) ? data : { transaction: data };
  const { transaction, latestBlockhash: blockhash, lifetime } = claims;
  const hasYid = request.yid !== undefined;
  let shape: TransferPath | undefined = isFields(lifetime) ? '/v1/transfers' : undefined;
  if (blockhash !== undefined) shape = '/v1/token-transfer-memo-hash';
  if (claims !== data) shape = '/v1/create-token-account-transfer';
  const isAlone = shape === '/v1/create-token-account-transfer';
  const path = asked ?? (isAlone && hasYid ? '/v1/token-transfer-memo-hash' : (shape ?? '/v1/transfers'));
  const isOfMemo = path === '/v1/token-transfer-memo-hash';
  // With `yid` it is bytes alone, too.
  expectSame('invalid_reply', 'shape', isOfMemo && hasYid ? '/v1/create-token-account-transfer' : path, shape);
  const isTransfer = path === '/v1/transfers';
  const bytes = readBytes(transaction, isTransfer ? 'base64' : request.encoding);
  return { bytes, path, claims: isTransfer ? claims : { lifetime: !isAlone && { blockhash } } };
}

/** Returns `data` of a reply. Throws where it has none. */
export function dataOf(reply: unknown): unknown {
  if (isFields(reply) && reply.data !== undefined) return reply.data;
  throw new VerificationError('invalid_reply', 'reply', 'an object with data', typeof reply);
}

/** Returns the blockhash or the nonce that a reply names, compared with the one that the caller knows. */
export function lifetimeTokenOf(
  { lifetime }: Fields,
  options: VerifyOptions,
  expectation: Pick<Expectation, 'nonceAccount' | 'lastValidBlockHeight'>,
): string | undefined {
  const { lifetimeToken } = options;
  const { nonceAccount } = expectation;
  if (!isFields(lifetime)) return lifetimeToken;
  const { blockhash, nonce = blockhash, nonce_account: account = nonceAccount } = lifetime;
  expectSame('wrong_lifetime', 'nonce account', nonceAccount, account);
  if (typeof nonce !== 'string')
    throw new VerificationError('invalid_reply', 'lifetime', 'a blockhash or nonce', nonce);
  expectSame('wrong_lifetime', 'lifetime of the reply', lifetimeToken ?? nonce, nonce);
  expectHeight(lifetime.last_valid_block_height, options, expectation);
  return nonce;
}

// A blockhash is valid for 150 blocks, and two nodes are seldom ten apart.
const blocksOfBlockhash = 150n;
const maxBlocksAway = 160n;

/** Throws where a last valid block height is another than the request names, or one that no blockhash can have. */
export function expectHeight(
  height: unknown,
  { currentBlockHeight }: VerifyOptions,
  { nonceAccount, lastValidBlockHeight }: Partial<Pick<Expectation, 'nonceAccount' | 'lastValidBlockHeight'>>,
): void {
  if (height === undefined) return;
  const last = typeof height === 'string' && /^\d{1,19}$/.test(height) ? BigInt(height) : 0n;
  const away = last - BigInt(currentBlockHeight ?? last);
  const isPossible = last >= blocksOfBlockhash && away <= maxBlocksAway && away >= -maxBlocksAway;
  if (nonceAccount === undefined && isPossible && last === (lastValidBlockHeight ?? last)) return;
  const expected = lastValidBlockHeight ?? `near ${currentBlockHeight ?? 'the block height'}`;
  throw new VerificationError('wrong_lifetime', 'last_valid_block_height', expected, height);
}

/** Throws where a reply says something else of a transaction than its bytes. */
export function expectClaims({ signers, transaction_version: version }: Fields, found: VerifiedTransaction): void {
  expectSame('wrong_signers', 'signers of the reply', found.signers.join(), `${signers ?? found.signers.join()}`);
  expectSame('wrong_version', 'transaction_version of the reply', found.version, version ?? found.version);
}

/** Decodes the bytes of a transaction: an array of integers, or text. Throws for another encoding than was asked for. */
export function readBytes(value: unknown, encoding: unknown = 'array'): Uint8Array {
  if (encoding === 'array' && Array.isArray(value) && value.every(isByte)) return Uint8Array.from(value);
  if (typeof value === 'string' && encoding !== 'array') {
    const bytes = encoding === 'base58' ? fromBase58(value) : decodeBase64(value);
    if (bytes) return bytes;
  }
  throw new VerificationError('invalid_reply', 'transaction', `bytes as ${encoding}`, typeof value);
}

// Of the texts that `atob` takes, the one that encodes the bytes.
function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const characters = atob(text);
    if (btoa(characters) !== text) return undefined;
    return fromCharacters(characters);
  } catch {
    return undefined;
  }
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && (value & 255) === value;
}
