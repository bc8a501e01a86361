import { VersionedTransaction } from '@solana/web3.js';

const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const memoPrograms = ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'];

/** What a transaction pays from a token account, by web3.js: a text for each payment, sorted, and the memos in their order. */
export function paymentsByWitness(bytes: Uint8Array, source: string): { payments: string[]; memos: string[] } {
  const { message } = VersionedTransaction.deserialize(bytes);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const payments: string[] = [];
  const memos: string[] = [];
  for (const { programIdIndex, accountKeyIndexes, data } of message.compiledInstructions) {
    const program = keys[programIdIndex] ?? '';
    const hex = Buffer.from(data).toString('hex');
    if (memoPrograms.includes(program)) memos.push(hex);
    if (!tokenPrograms.includes(program) || data[0] !== 12 || data.length < 10) continue;
    const [from, mint, destination, authority, ...others] = accountKeyIndexes.map((index) => keys[index]);
    if (from !== source || authority === undefined) continue;
    payments.push([program, hex.slice(0, 20), from, mint, destination, authority, ...others.sort()].join());
  }
  return { payments: payments.sort(), memos };
}
