import { fromBase58 } from './addresses.ts';
import type { VerifiedTransaction } from './check-transaction.ts';
import { type Expectation, type Fields, isFields, type TransferPath, type VerifyOptions } from './expectation.ts';
import { expectSame, VerificationError } from './verification-error.ts';

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
  if (!isFields(data)) {
    const path =
      asked ?? (request.yid === undefined ? '/v1/create-token-account-transfer' : '/v1/token-transfer-memo-hash');
    expectShape(path !== '/v1/transfers' && (path !== '/v1/token-transfer-memo-hash' || request.yid !== undefined));
    return { bytes: readBytes(data, request.encoding), path, claims: {} };
  }
  const { transaction, latestBlockhash, lifetime } = data;
  const isMemo = latestBlockhash !== undefined;
  const path = asked ?? (isMemo ? '/v1/token-transfer-memo-hash' : '/v1/transfers');
  expectShape(path === (isMemo ? '/v1/token-transfer-memo-hash' : '/v1/transfers'));
  expectShape(isMemo ? request.yid === undefined : isFields(lifetime));
  const bytes = readBytes(transaction, isMemo ? request.encoding : 'base64');
  return { bytes, path, claims: isMemo ? { lifetime: { blockhash: latestBlockhash } } : data };
}

/** Returns `data` of a reply. Throws where it has none. */
export function dataOf(reply: unknown): unknown {
  if (isFields(reply) && reply.data !== undefined) return reply.data;
  throw new VerificationError('invalid_reply', 'reply', 'a JSON object with data', typeof reply);
}

/** Returns the blockhash or the nonce that a reply names, compared with the one that the caller knows. */
export function lifetimeTokenOf(
  claims: Fields,
  options: VerifyOptions,
  expectation: Pick<Expectation, 'nonceAccount' | 'lastValidBlockHeight'>,
): string | undefined {
  const { lifetime } = claims;
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
    return Uint8Array.from(characters, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

function expectShape(isExpected: boolean): void {
  if (!isExpected) throw new VerificationError('invalid_reply', 'reply', 'the shape of its operation', 'another');
}
