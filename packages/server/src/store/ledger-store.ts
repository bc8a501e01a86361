/** The ledger that a service serves, as its database knows it. */
export interface RecordLedger {
  /** Base58: tells ledgers apart. */
  genesisHash: string;
  /**
   * Whether records that name no ledger are of this one: the first real network that the database was used on. Versions that
   * named no ledger wrote them, and may still write them during an upgrade.
   */
  ownsUnnamed: boolean;
}

/** The records in a database that a service does not see, because they are of other ledgers. */
export interface RecordCounts {
  links: number;
  /** Requests with an `Idempotency-Key` that have not expired. */
  requests: number;
}

/** The ledgers whose records are in a database. */
export interface LedgerStore {
  /**
   * Notes that a service serves a ledger at `now` (milliseconds since the Unix epoch), and returns what the database knows of it.
   *
   * The first one that is no embedded sandbox gets the records that name no ledger, for good.
   */
  open(genesisHash: string, isSandbox: boolean, now: number): Promise<RecordLedger>;
  /** Notes that a ledger is still served at `now`. */
  noteSeen(genesisHash: string, now: number): Promise<void>;
  /** Counts the records of other ledgers at `now`. */
  countRecordsOfOtherLedgers(ledger: RecordLedger, now: number): Promise<RecordCounts>;
  /**
   * Deletes some payment links of embedded sandboxes that were not seen since `before`, and returns how many: 0 when none are left.
   *
   * A sandbox ends with its process, so nothing can become of them. The ledger `served` is kept whenever it was seen: a machine
   * that slept for a day runs this before it has noted that it is back.
   */
  pruneSandboxes(before: number, served: RecordLedger): Promise<number>;
}

/**
 * Returns an id that is unique among ledgers for one that is unique within one.
 *
 * An id of the ledger with the unnamed records is returned unchanged: during an upgrade, processes of the version before must find
 * what this version writes, or both would build the same payment.
 */
export function idOnLedger({ genesisHash, ownsUnnamed }: RecordLedger, id: string): string {
  return ownsUnnamed ? id : `${genesisHash}/${id}`;
}
