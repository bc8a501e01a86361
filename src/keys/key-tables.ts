/** The tables of the key database, as Kysely sees them; `migrations/` makes them. */
export interface KeyTables {
  api_keys: ApiKeyRow;
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
}
