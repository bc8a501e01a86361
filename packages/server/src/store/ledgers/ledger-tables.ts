/** The table of ledgers, as Kysely sees it. */
export interface LedgerTables {
  ledgers: LedgerRow;
}

/** A ledger that a service on the database has served. */
interface LedgerRow {
  /** Base58. */
  genesis_hash: string;
  /** 1 for the embedded sandbox of a service, otherwise 0. */
  is_sandbox: number;
  /** 1 for the one ledger that records without a genesis hash are of; `null` for all others. */
  owns_unnamed: number | null;
  /** Milliseconds since the Unix epoch. */
  seen_at: number;
}
