import type { Generated } from 'kysely';

/** The table of the history of keys, as Kysely sees it. */
export interface KeyHistoryTables {
  key_history: Omit<KeyHistoryRow, 'id'> & { id: Generated<number> };
}

/** A change to a key, recorded together with it. The database refuses to change or delete a row. */
export interface KeyHistoryRow {
  id: number;
  at: number;
  action: 'created' | 'updated' | 'revoked' | 'rotated';
  key_id: string;
  /** The key that replaces it. */
  new_key_id: string | null;
  /** The name of the key until then. */
  name: string;
  /** A JSON object of `{"from":…,"to":…}` by setting. */
  changes: string;
  /** This and the next two: who ran the command, as the system said. */
  os_user: string | null;
  sudo_user: string | null;
  host: string | null;
}
