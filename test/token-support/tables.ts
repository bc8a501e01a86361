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
      'Mints are of Token-2022 unless it says SPL Token. Sender and recipient are plain wallets. `memo` and `yid` pay into an ' +
      'existing token account, `create` into one that it creates, unless the row says otherwise.',
    rows: mintRows,
  },
  {
    title: 'States of the sender',
    note:
      'The sender sends 1,000 base units to a plain wallet. Of SOL, "the costs" are the network fee and, for `create`, the rent ' +
      'of the new account, and "the minimum" is the rent-exempt minimum of an account without data.',
    rows: senderRows,
  },
  {
    title: 'States of the recipient',
    note: 'The sender is a plain wallet with enough tokens and SOL.',
    rows: recipientRows,
  },
];
