import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { makeBaseline } from './baseline.ts';
import type { StoreTables } from './tables.ts';

/** One version of the schema, and which programs may still use the database after it. */
export interface SchemaStep {
  /** A number of four digits, one more than that of the step before, and words: what is stored of it. */
  name: string;
  make(db: Kysely<StoreTables>): Promise<void>;
  /**
   * The number of the oldest step that a program must know to use the database after this one: 1 for a step that only adds, unless
   * it changes what older programs read or write.
   */
  compatibleFrom: number;
}

/** Every version of the schema, in the order in which they are made; once released, an entry never changes. */
export const schemaSteps: readonly SchemaStep[] = [{ name: '0001-baseline', make: makeBaseline, compatibleFrom: 1 }];

/** The steps of the schema that a database has, as one program sees them. */
export interface MadeSteps {
  /** The steps of this program that were not made yet. */
  missing: readonly string[];
  /** Steps of newer programs after which this program may use the database all the same. */
  compatible: readonly string[];
  /** Steps of newer programs after which it may not. */
  incompatible: readonly string[];
}

/**
 * Brings a database to the newest schema, in the transaction of `db`; does nothing when it is there already, or newer in a
 * compatible way. Throws for a database that this program must not use.
 */
export async function migrateToLatest(
  db: Kysely<StoreTables>,
  steps: readonly SchemaStep[] = schemaSteps,
): Promise<void> {
  const { missing, compatible, incompatible } = await readMadeSteps(db, steps);
  // Steps are made in their order: a database that has later ones already is one of a program with another past.
  const unknown = missing.length > 0 ? [...incompatible, ...compatible] : incompatible;
  if (unknown.length > 0) {
    throw new Error(`a newer version has changed it in a way that this version does not know: ${unknown.join(', ')}`);
  }
  if (missing.length === steps.length) {
    await sql`create table schema_steps (name text primary key not null, compatible_from integer not null)`.execute(db);
  }
  for (const { name, make, compatibleFrom } of steps.filter((step) => missing.includes(step.name))) {
    await make(db);
    await db.insertInto('schema_steps').values({ name, compatible_from: compatibleFrom }).execute();
  }
}

/** Reads which steps were made, and changes nothing. */
export async function readMadeSteps(
  db: Kysely<StoreTables>,
  steps: readonly SchemaStep[] = schemaSteps,
): Promise<MadeSteps> {
  const made = (await hasSteps(db)) ? await db.selectFrom('schema_steps').selectAll().orderBy('name').execute() : [];
  const newer = made.filter(({ name }) => !steps.some((step) => step.name === name));
  const isCompatible = ({ compatible_from: from }: { compatible_from: number }): boolean => from <= steps.length;
  return {
    missing: steps.map(({ name }) => name).filter((name) => !made.some((step) => step.name === name)),
    compatible: newer.filter(isCompatible).map(({ name }) => name),
    incompatible: newer.filter((step) => !isCompatible(step)).map(({ name }) => name),
  };
}

async function hasSteps(db: Kysely<StoreTables>): Promise<boolean> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Of PostgreSQL where its search path leads: another schema of the database may have the tables of another service.
  const query = isPostgres
    ? sql`select 1 as found where to_regclass('schema_steps') is not null`
    : sql`select 1 as found from sqlite_schema where name = 'schema_steps'`;
  return (await query.execute(db)).rows.length > 0;
}
