import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import type { PaymentLinkStore } from '../../links/records/payment-link-store.ts';
import type { LeaseStore } from '../../store/leases.ts';
import type { LedgerStore, RecordLedger } from '../../store/ledger-store.ts';

/** The database of a service: API keys, requests with an `Idempotency-Key`, and payment links. */
export interface Store extends KeyStore {
  /** The leases of work that one process does for all. */
  leases: LeaseStore;
  /** The requests with an `Idempotency-Key` of all ledgers, told apart by their `scope`. */
  idempotency: IdempotencyStore;
  /** The ledgers whose records are in the database. */
  ledgers: LedgerStore;
  /** The payment links of a ledger. */
  paymentLinksOf(ledger: RecordLedger): PaymentLinkStore;
  /** Whether the database itself is gone, such as a file that was deleted or replaced: the operator must act. */
  isGone: boolean;
  /** Releases the store, which must not be used afterwards. */
  close(): Promise<void>;
}
