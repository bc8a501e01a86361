import type { Kysely } from 'kysely';
import { hashApiKey } from '../../app/api-key.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import { SqlIdempotency } from '../../idempotency/records/sql-idempotency.ts';
import { unrestricted } from '../../keys/authenticated-key.ts';
import type {
  ApiKeyRecord,
  ChangeAuthor,
  CreatedApiKey,
  DailyAmount,
  KeyChange,
  KeyChangeQuery,
  KeyEnding,
  KeySettings,
  KeyUsage,
  RevokedApiKey,
  RotatedApiKey,
  UsageBatch,
} from '../../keys/key-store.ts';
import {
  differenceOf,
  HashLookup,
  hasActiveKey,
  insertKey,
  settingsToColumns,
  stampRow,
  toRecord,
} from '../../keys/records/key-rows.ts';
import {
  addDailyAmount,
  findDailyAmounts,
  findHighestDailyAmounts,
  pruneDailyAmounts,
} from '../../keys/records/sql-daily-amounts.ts';
import { addKeyChange, listKeyChanges, listRecordedKeys } from '../../keys/records/sql-key-history.ts';
import { addUsage, findUsage, listUsage, pruneUsage } from '../../keys/records/sql-usage.ts';
import { cancelLinksOfKey } from '../../links/records/open-links.ts';
import type { PaymentLinkStore } from '../../links/records/payment-link-store.ts';
import { SqlPaymentLinks } from '../../links/records/sql-payment-links.ts';
import { type LeaseStore, SqlLeases } from '../../store/leases.ts';
import type { LedgerStore, RecordLedger } from '../../store/ledger-store.ts';
import type { StoreTables } from '../../store/schema/tables.ts';
import type { KeyChanges, SqlDatabase } from '../../store/sql-database.ts';
import { SqlLedgers } from '../../store/sql-ledgers.ts';
import type { Store } from './store.ts';

/** When and by whom keys are changed through a store. */
export interface ChangedBy {
  now: () => Date;
  author: ChangeAuthor;
}

/** The store in an SQL database, without memory of its own. */
export class SqlStore implements Store {
  readonly idempotency: IdempotencyStore;
  readonly ledgers: LedgerStore;
  readonly leases: LeaseStore;
  readonly #database: SqlDatabase;
  readonly #db: Kysely<StoreTables>;
  readonly #changes: KeyChanges;
  readonly #now: () => Date;
  readonly #author: ChangeAuthor;
  readonly #hashLookup: HashLookup;
  #onChange: (hash?: string) => void = () => undefined;

  /** Takes over `database`, which `close` ends; changes to keys are recorded with their time and author. */
  constructor(database: SqlDatabase, { now, author }: ChangedBy) {
    this.#database = database;
    this.#db = database.db;
    this.#changes = database.changes;
    this.idempotency = new SqlIdempotency(database);
    this.ledgers = new SqlLedgers(database);
    this.leases = new SqlLeases(database);
    this.#now = now;
    this.#author = author;
    this.#hashLookup = new HashLookup(database.db);
  }

  paymentLinksOf(ledger: RecordLedger): PaymentLinkStore {
    return new SqlPaymentLinks(this.#database, ledger);
  }

  async create(input: Pick<KeySettings, 'name' | 'expiresAt'> & Partial<KeySettings>): Promise<CreatedApiKey> {
    const settings = { rateLimitPerMinute: null, restrictions: unrestricted, ...input };
    const created = await this.#db.transaction().execute(async (transaction) => {
      const made = await insertKey(transaction, settings, this.#now(), null);
      await this.#record(transaction, 'created', undefined, made.record);
      await this.#changes.tell(transaction, hashApiKey(made.key));
      return made;
    });
    this.#onChange(hashApiKey(created.key));
    return created;
  }

  async list(): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toRecord);
  }

  async find(idOrName: string): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  update(id: string, changes: Partial<KeySettings>): Promise<ApiKeyRecord | undefined> {
    return this.#change(async (transaction) => {
      // The write comes first and takes the lock, so that the second of two concurrent updates sees the result of the first.
      const row = await stampRow(transaction, id);
      if (row === undefined) return undefined;
      const before = toRecord(row);
      const columns = settingsToColumns({ ...before, ...changes });
      await transaction.updateTable('api_keys').set(columns).where('id', '=', id).execute();
      const result = toRecord({ ...row, ...columns });
      await this.#record(transaction, 'updated', before, result);
      return { hash: row.hash, result };
    });
  }

  revoke(id: string, ending: KeyEnding = {}): Promise<RevokedApiKey | undefined> {
    return this.#change(async (transaction) => {
      const row = await transaction
        .updateTable('api_keys')
        .set({ revoked_at: this.#now().getTime() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const result = toRecord(row);
      await this.#record(transaction, 'revoked', { ...result, revokedAt: null }, result);
      return {
        hash: row.hash,
        result: { ...result, closedLinks: await closeLinks(transaction, result, ending, this.#now()) },
      };
    });
  }

  rotate(id: string, overlapMs = 0, ending: KeyEnding = {}): Promise<RotatedApiKey | undefined> {
    const now = this.#now();
    return this.#change(async (transaction) => {
      // The write comes first and takes the lock, so that only one of two concurrent rotations finds the key active.
      const row = await stampRow(transaction, id, now);
      if (row === undefined) return undefined;
      const before = toRecord(row);
      const end = now.getTime() + overlapMs;
      const stop =
        overlapMs === 0 ? { revoked_at: now.getTime() } : { expires_at: Math.min(end, row.expires_at ?? end) };
      await transaction.updateTable('api_keys').set(stop).where('id', '=', id).execute();
      const created = await insertKey(transaction, before, now, row.root_id ?? row.id);
      const replaced = toRecord({ ...row, ...stop });
      await this.#record(transaction, 'rotated', before, replaced, created.record.id);
      const closedLinks = await closeLinks(transaction, replaced, ending, now);
      return { hash: row.hash, result: { ...created, replaced, closedLinks } };
    });
  }

  listChanges(query: KeyChangeQuery): Promise<readonly KeyChange[]> {
    return listKeyChanges(this.#db, query);
  }

  listRecordedKeys(): Promise<ReadonlySet<string>> {
    return listRecordedKeys(this.#db);
  }

  findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    return this.#hashLookup.find(hashes);
  }

  hasActiveKey(now: Date): Promise<boolean> {
    return hasActiveKey(this.#db, now);
  }

  addUsage(batch: UsageBatch): Promise<void> {
    return addUsage(this.#db, batch, this.#now());
  }

  findUsage(keyId: string, day: string): Promise<readonly KeyUsage[]> {
    return findUsage(this.#db, keyId, day);
  }

  listUsage(fromDay: string): Promise<readonly KeyUsage[]> {
    return listUsage(this.#db, fromDay);
  }

  addDailyAmount(added: DailyAmount, limit: bigint): Promise<boolean> {
    return this.#database.whenNotBusy(() => addDailyAmount(this.#db, added, limit));
  }

  findDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>> {
    return findDailyAmounts(this.#db, keyId, day);
  }

  findHighestDailyAmounts(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>> {
    return findHighestDailyAmounts(this.#db, keyId, day);
  }

  pruneDailyAmounts(day: string): Promise<number> {
    return this.#database.whenNotBusy(() => pruneDailyAmounts(this.#db, day));
  }

  pruneUsage(day: string): Promise<number> {
    return this.#database.whenNotBusy(() => pruneUsage(this.#db, day));
  }

  get isGone(): boolean {
    return this.#changes.isGone;
  }

  watchChanges(onChange: (hash?: string) => void): void {
    this.#onChange = onChange;
    this.#changes.watch(onChange);
  }

  async close(): Promise<void> {
    await this.#changes.close();
    await this.#db.destroy();
  }

  #record(
    transaction: Kysely<StoreTables>,
    action: KeyChange['action'],
    before: ApiKeyRecord | undefined,
    after: ApiKeyRecord,
    newKeyId: string | null = null,
  ): Promise<void> {
    const { id: keyId, name } = before ?? after;
    const changes = differenceOf(before, after);
    const at = this.#now();
    const db = transaction;
    return addKeyChange(db, { at, action, keyId, newKeyId, name, changes, author: this.#author });
  }

  async #change<Result>(
    action: (transaction: Kysely<StoreTables>) => Promise<{ hash: string; result: Result } | undefined>,
  ): Promise<Result | undefined> {
    const changed = await this.#db.transaction().execute(async (transaction) => {
      const done = await action(transaction);
      if (done) await this.#changes.tell(transaction, done.hash);
      return done;
    });
    if (changed) this.#onChange(changed.hash);
    return changed?.result;
  }
}

/**
 * Cancels the open links that a key has made, where its ending says so; returns how many.
 *
 * To be called in the transaction that ends the key, after its row was written: no link of the key is stored meanwhile.
 */
async function closeLinks(
  db: Kysely<StoreTables>,
  { id: keyId, rootId: ownerId }: ApiKeyRecord,
  { closesLinks = false }: KeyEnding,
  now: Date,
): Promise<number> {
  return closesLinks ? cancelLinksOfKey(db, { ownerId, keyId, now }) : 0;
}
