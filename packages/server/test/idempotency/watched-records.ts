import { IdempotencyRecords } from '../../src/idempotency/records/idempotency-records.ts';
import { findDailyAmounts } from '../../src/keys/records/usage-records.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

type Records = Omit<IdempotencyRecords, 'prune'>;

/** The records of a database in memory, each call to which a test can delay or fail. */
export class WatchedRecords implements Records {
  readonly #database = openSqlite(':memory:', 'service');
  readonly #records = this.#database.then((database) => new IdempotencyRecords(database));
  /** What the stored replies are said to take. */
  storedBytes = 0;
  /** Runs around each call, with its name: waits, or throws, before and after it takes effect. */
  around: <T>(call: string, effect: () => Promise<T>) => Promise<T> = (_call, effect) => effect();

  claim: Records['claim'] = (...input) => this.#call('claim', (records) => records.claim(...input));

  reclaim: Records['reclaim'] = (...input) => this.#call('reclaim', (records) => records.reclaim(...input));

  complete: Records['complete'] = (...input) => this.#call('complete', (records) => records.complete(...input));

  release: Records['release'] = (...input) => this.#call('release', (records) => records.release(...input));

  isBuiltByAnother: Records['isBuiltByAnother'] = (...input) =>
    this.#call('isBuiltByAnother', (records) => records.isBuiltByAnother(...input));

  async storedBytesOf(): Promise<number> {
    return this.storedBytes;
  }

  /** How many requests there are. */
  async count(): Promise<number> {
    const { db } = await this.#database;
    return (await db.selectFrom('idempotent_requests').select('scope').execute()).length;
  }

  /** What a key has counted towards its limits of a day, by mint. */
  async countedOf(keyId: string, day: string): Promise<ReadonlyMap<string, bigint>> {
    const { db } = await this.#database;
    return findDailyAmounts(db, keyId, day);
  }

  /** Forgets all requests. */
  async clear(): Promise<void> {
    const { db } = await this.#database;
    await db.deleteFrom('idempotent_messages').execute();
    await db.deleteFrom('idempotent_requests').execute();
  }

  #call<T>(name: string, effect: (records: IdempotencyRecords) => Promise<T>): Promise<T> {
    return this.around(name, async () => effect(await this.#records));
  }
}
