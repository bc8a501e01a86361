/** The table of leases, as Kysely sees it. */
export interface LeaseTables {
  leases: LeaseRow;
}

/** Work that one process does for all, until a time in milliseconds since the Unix epoch. */
interface LeaseRow {
  name: string;
  /** A random id of the process. */
  holder: string;
  expires_at: number;
}
