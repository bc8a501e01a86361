/**
 * The layout of one transfer in the pool: its wallets, its mint and their token accounts, as texts and as bytes.
 *
 * Texts of wallets and mints have 44 characters each, so that every request has one length; those of token accounts may
 * be shorter and are then filled with zero bytes.
 */
export const recordLayout = {
  senderText: 0,
  recipientText: 44,
  mintText: 88,
  senderTokenText: 132,
  recipientTokenText: 176,
  senderBytes: 220,
  recipientBytes: 252,
  mintBytes: 284,
} as const;

/** Bytes of one record. */
export const recordLength = 316;

/** Bytes that a text has in a record. */
export const textLength = 44;

/** What the pool of transfers holds: first those that share one mint, then those that have one each. */
export interface PoolShape {
  sharedMintTransfers: number;
  ownMintTransfers: number;
}

/** 10^6 wallets over one mint, and enough mints never seen before for the measurement of latency. */
export const poolShape: PoolShape = { sharedMintTransfers: 800_000, ownMintTransfers: 2_000 };
