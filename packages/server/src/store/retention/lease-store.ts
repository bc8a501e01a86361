/** Leases of work that one process does for all on a database. */
export interface LeaseStore {
  /**
   * Takes a lease, or renews that of the same holder; returns false while another holder has it.
   *
   * `now` is in milliseconds since the Unix epoch. A holder that dies has it until it expires.
   */
  take(name: string, holder: string, now: number, durationMs: number): Promise<boolean>;
  /** Gives a lease back; does nothing when another holder has it. */
  release(name: string, holder: string): Promise<void>;
}
