import { recordLayout as layout, recordLength, textLength } from '../service/transfer-record.ts';

/** How many recipients a batch of the benchmark pays. */
export const recipientCount = 1_000;

/** A batch as the texts of a request: one sender, one mint, each recipient once, each token account created if it is not there. */
export interface BatchWork {
  sender: string;
  mint: string;
  transfers: readonly { recipient: string; amount: string }[];
}

/** The batch that pays the thousand recipients of the pool from a record on. */
export function batchFrom(pool: Buffer, firstRecord: number): BatchWork {
  const text = (record: number, offset: number): string => {
    const at = record * recordLength + offset;
    return pool.toString('latin1', at, at + textLength);
  };
  return {
    sender: text(firstRecord, layout.senderText),
    mint: text(firstRecord, layout.mintText),
    transfers: Array.from({ length: recipientCount }, (_, index) => ({
      recipient: text(firstRecord + index, layout.recipientText),
      amount: String(1_500_000 + index),
    })),
  };
}

/** The body of the request for a batch. */
export function batchBody({ sender, mint, transfers }: BatchWork): string {
  return JSON.stringify({
    from_address: sender,
    token_mint_address: mint,
    create_token_account: 'always',
    transfers: transfers.map(({ recipient, amount }) => ({ to_address: recipient, amount })),
  });
}
