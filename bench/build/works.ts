import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../packages/core/src/index.ts';
import { recordLayout as layout, poolShape, recordLength, textLength } from '../service/transfer-record.ts';
import type { TransferWork } from './transfer-work.ts';

/** Which wallets the transfers of a series are between. */
export type Familiarity = 'unseen' | 'seen';

const seenWallets = 500;

/**
 * Hands out transfers to build: between wallets that no one has seen, or round and round between 500 wallets.
 *
 * Every text is a string of its own, as if it had just come out of a request, and one blockhash serves one series.
 */
export class Works {
  readonly #pool: Buffer;
  #next: number;

  /** `first` is where in the pool to begin: what one series has seen is not unseen to another. */
  constructor(pool: Buffer, first: number) {
    this.#pool = pool;
    this.#next = first;
  }

  /** The next so many transfers; each caller with a `Works` of its own gets the same ones. */
  take(count: number, familiarity: Familiarity, hasMemo: boolean): TransferWork[] {
    const blockhash = encodeBase58(randomBytes(32));
    return Array.from({ length: count }, () => {
      const number = this.#next++;
      const [sender, recipient] = familiarity === 'unseen' ? this.#unseen(number) : this.#seen(number);
      return {
        sender,
        recipient,
        mint: this.#text(0, layout.mintText),
        blockhash,
        amount: String(1_500_000 + (number % 1000)),
        memo: hasMemo ? `invoice ${String(number).padStart(8, '0')}` : undefined,
      };
    });
  }

  #unseen(number: number): [string, string] {
    // The first records are left to the wallets that everyone knows.
    const record = seenWallets + number;
    if (record >= poolShape.sharedMintTransfers) throw new RangeError('the pool of unseen wallets is used up');
    return [this.#text(record, layout.senderText), this.#text(record, layout.recipientText)];
  }

  // Another pairing on every round through the wallets.
  #seen(number: number): [string, string] {
    const sender = number % seenWallets;
    const distance = 1 + (Math.floor(number / seenWallets) % (seenWallets - 1));
    const recipient = (sender + distance) % seenWallets;
    return [this.#text(sender, layout.senderText), this.#text(recipient, layout.senderText)];
  }

  #text(record: number, offset: number): string {
    const at = record * recordLength + offset;
    return this.#pool.toString('latin1', at, at + textLength);
  }
}
