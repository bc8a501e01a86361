import { mintRows } from './mint-rows.ts';
import { recipientRows } from './recipient-rows.ts';
import { senderRows } from './sender-rows.ts';
import type { SupportRow } from './support-row.ts';

/** A table of the document, in its order. */
export interface SupportTable {
  title: string;
  /** What every row of it shares. */
  note: string;
  rows: readonly SupportRow[];
}

/** Every table: mint kinds, then states of the sender, then states of the recipient. */
export const supportTables: readonly SupportTable[] = [
  {
    title: 'Mint kinds',
    note:
      'Sender and recipient are plain wallets. `memo` and `yid` pay into an existing token account, `create` into one that it ' +
      'creates, unless the row says otherwise.',
    rows: mintRows,
  },
  {
    title: 'States of the sender',
    note:
      'The sender sends 1,000 base units. The recipient is a plain wallet, as above. In the rows about SOL, "the fee" is the ' +
      'network fee, "the costs" are the fee and, for `create`, the rent of the new account, and "the minimum" is the ' +
      'rent-exempt minimum of an account without data.',
    rows: senderRows,
  },
  {
    title: 'States of the recipient',
    note: 'The sender is a plain wallet with enough tokens and SOL. The recipient is a plain wallet, unless the row says otherwise.',
    rows: recipientRows,
  },
];
