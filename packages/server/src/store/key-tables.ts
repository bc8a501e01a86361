import type { KeyHistoryTables } from './history/key-history-tables.ts';
import type { IdempotencyTables } from './idempotency/idempotency-tables.ts';
import type { LedgerTables } from './ledgers/ledger-tables.ts';
import type { PaymentLinkTables } from './links/payment-link-tables.ts';
import type { LeaseTables } from './retention/lease-tables.ts';
import type { SchemaTables } from './schema/schema-tables.ts';

/** The tables of the key database, as Kysely sees them; `schema/` makes them. */
export interface KeyTables
  extends IdempotencyTables,
    KeyHistoryTables,
    LeaseTables,
    LedgerTables,
    PaymentLinkTables,
    SchemaTables {
  api_keys: ApiKeyRow;
  key_usage: KeyUsageRow;
  key_usage_writers: KeyUsageWriterRow;
  key_daily_amounts: KeyDailyAmountRow;
}

/** One row of `api_keys`; times are milliseconds since the Unix epoch, which every database can hold. */
export interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  rate_limit_per_minute: number | null;
  /** This and the next three: a JSON array of strings, or `null` for no restriction. */
  allowed_operations: string | null;
  allowed_mints: string | null;
  allowed_from_addresses: string | null;
  allowed_to_addresses: string | null;
  /** A JSON object of `{"per_transfer":"…","per_day":"…"}` by mint, or `null` for no restriction. */
  amount_limits: string | null;
  /** The id of the first key of its chain of rotations; `null` for its own. */
  root_id: string | null;
}

/** The number of requests of a key on one day with one outcome. */
export interface KeyUsageRow {
  key_id: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  /** `built`, or the code of the refusal. */
  outcome: string;
  requests: number;
}

/** The amount that a key built of a mint on one day. */
interface KeyDailyAmountRow {
  /** The id of the key on its ledger, as `idOnLedger` makes it. */
  key_id: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  mint: string;
  /** The amount without its last ten decimal digits: no column type of both databases holds 2^64-1. */
  amount_high: number;
  /** The last ten decimal digits of the amount. */
  amount_low: number;
}

/** A process that adds usage, and its last batch, so that none is added twice. */
interface KeyUsageWriterRow {
  id: string;
  last_batch: number;
  saved_at: number;
}
