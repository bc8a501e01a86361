import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { additive, type SchemaStep, schemaSteps } from '../../../src/store/schema/schema-steps.ts';
import { additiveStep, breakingStep } from './newer-schema.ts';

const dialects = {
  SQLite: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  },
  PostgreSQL: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  },
};

/** Statements that are more than an addition, of steps that were made before the rule. */
const exceptions = new Set(['0005-idempotent-messages: insert into "idempotent_messages"']);

/** Returns the statements of a step that an older program could notice. */
async function breachesOf(step: SchemaStep, dialect: keyof typeof dialects): Promise<readonly string[]> {
  const statements: string[] = [];
  const log = ({ query }: { query: { sql: string } }): void => void statements.push(query.sql.trim().toLowerCase());
  await step.migration.up(new Kysely<unknown>({ dialect: dialects[dialect], log }));
  assert.ok(statements.length > 0, step.name);
  const newTables = new Set(statements.map((sql) => /^create table "(\w+)"/.exec(sql)?.[1]));
  const isOnNewTable = (sql: string): boolean => newTables.has(/ on "(\w+)"/.exec(sql)?.[1]);
  const isOfNewColumn = (sql: string): boolean => {
    const [, table, column] = /^update "(\w+)" set "(\w+)" = /.exec(sql) ?? [];
    return statements.some((each) => each.startsWith(`alter table "${table}" add column "${column}" `));
  };
  const isAddition = (sql: string): boolean => {
    if (sql.includes(';') && !/^create (?:trigger|or replace function) /.test(sql)) return false;
    if (/^create table "\w+" \(/.test(sql)) return true;
    if (/^create index "\w+" on /.test(sql)) return true;
    // Older programs may write what would not be unique, or what a trigger refuses.
    if (/^create (?:unique index|trigger) "?\w+"? /.test(sql)) return isOnNewTable(sql);
    if (/^create or replace function \w+\(\) returns trigger /.test(sql)) return true;
    // Older programs do not name the column when they insert a row.
    if (/^alter table "\w+" add column "\w+" /.test(sql)) {
      return (
        !/ add column .* add column | unique| references | primary key/.test(sql) &&
        (!sql.includes('not null') || sql.includes(' default '))
      );
    }
    // Older programs do not read the column.
    return isOfNewColumn(sql) && !sql.includes(', "');
  };
  return statements
    .filter((sql) => !isAddition(sql))
    .map((sql) => `${step.name}: ${/^[\w ]*"\w+"/.exec(sql)?.[0] ?? sql}`);
}

describe('migrations', () => {
  for (const dialect of ['SQLite', 'PostgreSQL'] as const) {
    for (const step of schemaSteps) {
      it(`only add tables, columns that may be absent, and indexes: ${step.name} in ${dialect}`, async () => {
        // Programs that know less are kept away from it.
        if (step.compatibleFrom !== undefined && step.compatibleFrom > additive) return;
        const breaches = await breachesOf(step, dialect);
        assert.deepEqual(
          breaches.filter((breach) => !exceptions.has(breach)),
          [],
        );
      });
    }

    it(`are seen through when they do more, in ${dialect}`, async () => {
      assert.deepEqual(await breachesOf(additiveStep, dialect), []);
      assert.equal((await breachesOf(breakingStep, dialect)).length, 1);
      const refused: readonly SchemaStep['migration']['up'][] = [
        (db) => db.schema.dropTable('api_keys').execute(),
        (db) => db.schema.dropIndex('api_keys_root_id').execute(),
        (db) => db.schema.alterTable('api_keys').dropColumn('name').execute(),
        (db) => db.schema.alterTable('api_keys').renameTo('keys').execute(),
        (db) =>
          db.schema
            .alterTable('api_keys')
            .addColumn('kind', 'text', (column) => column.notNull())
            .execute(),
        (db) =>
          db.schema
            .alterTable('api_keys')
            .addColumn('kind', 'text', (column) => column.unique())
            .execute(),
        (db) => db.schema.createIndex('one_name').unique().on('api_keys').column('name').execute(),
        async (db) => void (await db.updateTable('api_keys').set({ name: 'acme' }).execute()),
        async (db) => {
          await db.schema.alterTable('api_keys').addColumn('kind', 'text').execute();
          await db.updateTable('api_keys').set({ kind: 'b', name: 'acme' }).execute();
        },
      ];
      for (const up of refused) {
        const breaches = await breachesOf({ name: '9999-refused', migration: { up } }, dialect);
        assert.equal(breaches.length, 1, String(up));
      }
      const allowed: SchemaStep['migration']['up'] = async (db) => {
        await db.schema
          .alterTable('api_keys')
          .addColumn('kind', 'text', (column) => column.notNull().defaultTo('a'))
          .execute();
        await db.updateTable('api_keys').set({ kind: 'b' }).execute();
      };
      assert.deepEqual(await breachesOf({ name: '9999-allowed', migration: { up: allowed } }, dialect), []);
    });
  }

  it('have no exception that is not needed', async () => {
    const breaches = await Promise.all(schemaSteps.map((step) => breachesOf(step, 'SQLite')));
    for (const exception of exceptions) assert.ok(breaches.flat().includes(exception), exception);
  });
});
