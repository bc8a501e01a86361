import { createCipheriv } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import {
  type Address,
  addressFromBytes,
  findAssociatedTokenAddress,
  isOnCurve,
  toAddress,
} from '../../packages/core/src/index.ts';
import type { PoolShare } from './pool.ts';
import { recordLayout as layout, recordLength, textLength } from './transfer-record.ts';

const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

// The same wallets at every run: a stream cipher over zeros, a stream of its own for each share.
function randomKeys(stream: number): () => Uint8Array {
  const nonce = Buffer.alloc(16);
  nonce.writeUInt32LE(stream, 0);
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), nonce);
  const zeros = Buffer.alloc(32 * 1024);
  let block = cipher.update(zeros);
  let offset = 0;
  return () => {
    if (offset === block.length) {
      block = cipher.update(zeros);
      offset = 0;
    }
    offset += 32;
    return block.subarray(offset - 32, offset);
  };
}

interface Key {
  bytes: Uint8Array;
  address: Address;
}

// A wallet that could sign, with a text of full length, as 19 of 20 have.
function nextWallet(next: () => Uint8Array): Key {
  for (;;) {
    const bytes = next();
    if (!isOnCurve(bytes)) continue;
    const address = addressFromBytes(bytes);
    if (address.length === textLength) return { bytes, address };
  }
}

const { memory, shape, first, count } = workerData as PoolShare;
const records = Buffer.from(memory);
const sharedMint = nextWallet(randomKeys(0));
const next = randomKeys(1 + first);

for (let index = first; index < first + count; index++) {
  const mint = index < shape.sharedMintTransfers ? sharedMint : nextWallet(next);
  const sender = nextWallet(next);
  const recipient = nextWallet(next);
  const tokenAccountOf = (owner: Address): Address =>
    findAssociatedTokenAddress({ owner, tokenProgram, mint: mint.address }).address;
  const record = records.subarray(index * recordLength, (index + 1) * recordLength);
  record.write(sender.address, layout.senderText, 'latin1');
  record.write(recipient.address, layout.recipientText, 'latin1');
  record.write(mint.address, layout.mintText, 'latin1');
  record.write(tokenAccountOf(sender.address), layout.senderTokenText, 'latin1');
  record.write(tokenAccountOf(recipient.address), layout.recipientTokenText, 'latin1');
  record.set(sender.bytes, layout.senderBytes);
  record.set(recipient.bytes, layout.recipientBytes);
  record.set(mint.bytes, layout.mintBytes);
}
