import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { BuiltReply } from '../../../src/idempotency/idempotency-store.ts';
import { packReply, unpackReply } from '../../../src/idempotency/records/idempotency-rows.ts';
import { replyWith } from './idempotent-requests.ts';

const unreadable = /^Error: the key database holds the record of an idempotent request that cannot be read$/;
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A reply with random transactions of this many bytes, each written in this way. */
function replyOf(lengths: readonly number[], write: (bytes: Uint8Array) => string): BuiltReply {
  const transactions = lengths.map((length, index) => ({
    bytes: new Uint8Array(randomBytes(length)),
    lastValidBlockHeight: 9n,
    transfers: [index],
  }));
  return replyWith({ reply: `{"data":[${transactions.map(({ bytes }) => write(bytes)).join()}]}`, transactions });
}

describe('a packed reply', () => {
  it('is the reply again, with its transactions, however they are written in it', async () => {
    const replies = [
      replyWith(),
      replyWith({ transactions: [] }),
      replyWith({ reply: '', headers: {} }),
      replyOf([300], (bytes) => JSON.stringify(toBase64(bytes))),
      replyOf([300], (bytes) => JSON.stringify([...bytes])),
      replyOf([300, 1], (bytes) => `"支付 𝒳 ${toBase64(bytes)}"`),
      replyOf([0, 1, 2, 3, 300, 0], (bytes) => JSON.stringify([...bytes])),
      replyOf([0, 1, 2, 3, 300, 0], (bytes) => JSON.stringify(toBase64(bytes))),
      replyOf([300, 300], () => '"in a form that nothing here knows"'),
      replyOf(Array(500).fill(1232), (bytes) => JSON.stringify(toBase64(bytes))),
    ];
    for (const built of replies) assert.deepEqual(await unpackReply(await packReply(built)), built);
  });

  it('is not read when another program has changed it, and its content is not repeated', async () => {
    const packed = await packReply(replyOf([2], (bytes) => JSON.stringify(toBase64(bytes))));
    const text = brotliDecompressSync(packed).toString();
    const [line = '', reply = ''] = text.split('\n');
    const [transaction] = JSON.parse(line).transactions;
    const packedWith = (changes: object, rest = reply): Buffer =>
      brotliCompressSync(`${JSON.stringify({ headers: {}, transactions: [{ ...transaction, ...changes }] })}\n${rest}`);
    assert.equal((await unpackReply(packedWith({}))).transactions.length, 1);
    for (const wrong of [
      new Uint8Array(),
      Uint8Array.of(1, 2, 3),
      packed.slice(0, -1),
      Buffer.alloc(10_000),
      brotliCompressSync(text.replace('\n', ' ')),
      ...['', 'null', '7', '[]', '{}', '{"headers":{}}', '{"transactions":[]}', '{"headers":7,"transactions":[]}'].map(
        (other) => brotliCompressSync(`${other}\n${reply}`),
      ),
      brotliCompressSync('{"headers":{},"transactions":{}}\n'),
      brotliCompressSync('{"headers":{},"transactions":[7]}\n'),
      ...['at', 'length', 'encoding', 'last_valid_block_height'].map((name) => packedWith({ [name]: undefined })),
      packedWith({ at: -1 }),
      packedWith({ at: reply.length }),
      packedWith({ length: 0.5 }),
      packedWith({ length: 5_000 }),
      packedWith({ at: 0 }),
      packedWith({ encoding: 'numbers' }),
      packedWith({ encoding: 'numbers', at: 0, length: 3 }, '1,x'),
      packedWith({ encoding: 'numbers', at: 0, length: 3 }, '256'),
      packedWith({ transaction: 7 }),
    ]) {
      await assert.rejects(unpackReply(wrong), unreadable, Buffer.from(wrong).toString('hex').slice(0, 100));
    }
  });
});
