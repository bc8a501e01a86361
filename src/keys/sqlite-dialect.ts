import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';

/** Lets Kysely run its queries on a `node:sqlite` database, which Kysely closes when it is destroyed. */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          // Only statements that return rows (SELECT, or a write with RETURNING) have result columns.
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...parameters.map(toSqlValue)),
          run: (parameters) => statement.run(...parameters.map(toSqlValue)),
          iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
        };
      },
    },
  });
}

function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  throw new TypeError(`no column of the key database holds a value of type ${typeof value}`);
}
