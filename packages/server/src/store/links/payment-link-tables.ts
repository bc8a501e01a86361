/** The tables of payment links, as Kysely sees them. */
export interface PaymentLinkTables {
  payment_links: PaymentLinkRow;
  link_payments: LinkPaymentRow;
}

/** A payment link; times are milliseconds since the Unix epoch. */
export interface PaymentLinkRow {
  id: string;
  owner_id: string;
  key_id: string;
  reference: string;
  recipient: string;
  mint: string;
  token_program: string;
  decimals: number;
  destination: string;
  /** This and the next: decimal digits, because no column type of both databases holds 2^64-1. */
  min_amount: string;
  max_amount: string;
  /** A JSON object of the texts that people wrote: a column of PostgreSQL does not hold U+0000. */
  texts: string;
  /** 1 or 0, as the next. */
  is_single_use: number;
  allows_off_curve_recipient: number;
  created_at: number;
  created_slot: number;
  expires_at: number;
  cancelled_at: number | null;
  checked_at: number | null;
  settled_at: number | null;
  examined_until: string | null;
  /** A JSON object of what the mint may withhold and how its amounts are shown; null where the version that made it did not say. */
  token_terms: string | null;
  /** Of the ledger that it is on, base58; `null` where the version that made it did not say. */
  genesis_hash: string | null;
  /** 1 once a link for a single payment has one that counts, otherwise 0. */
  is_paid: number;
  handed_out_at: number | null;
}

/** A payment of a link. */
export interface LinkPaymentRow {
  link_id: string;
  signature: string;
  payer: string;
  /** This and the next: decimal digits. */
  amount: string;
  received: string;
  slot: number;
  /** Seconds since the Unix epoch. */
  block_time: number | null;
  commitment: string;
  flaw: string | null;
}
