/** Who runs a command that changes keys, as the system says; `null` where it does not. */
export interface ChangeAuthor {
  user: string | null;
  /** The user who became `user` by `sudo`. */
  sudoUser: string | null;
  host: string | null;
}

/** The author of changes of which nothing is known. */
export const unknownAuthor: ChangeAuthor = { user: null, sudoUser: null, host: null };

/** What was changed: a setting by its name, before and after, as JSON. */
export type ChangedSettings = Readonly<Record<string, { from: unknown; to: unknown }>>;

/** A change to a key, as it was recorded together with it. */
export interface KeyChange {
  at: Date;
  action: 'created' | 'updated' | 'revoked' | 'rotated';
  keyId: string;
  /** The key that replaces it, where it was rotated. */
  newKeyId: string | null;
  /** The name that the key had until then. */
  name: string;
  changes: ChangedSettings;
  author: ChangeAuthor;
}

/** Which changes to return: of these keys and of keys that had this name then; all when both are left out. */
export interface KeyChangeQuery {
  keyIds?: readonly string[];
  name?: string;
  /** Only so many, the newest. */
  limit: number;
}
