import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteDialect } from 'kysely';

/**
 * Makes a dialect that runs queries on a `node:sqlite` database, which its owner closes.
 *
 * The error of a failed query is replaced by what `explain` returns.
 */
export function nodeSqliteDialect(
  database: Pick<DatabaseSync, 'prepare'>,
  explain: (error: unknown) => unknown,
): Dialect {
  const explained = <Result>(action: () => Result): Result => {
    try {
      return action();
    } catch (error) {
      throw error instanceof Error && 'errcode' in error ? explain(error) : error;
    }
  };
  return new SqliteDialect({
    database: {
      close: () => undefined,
      prepare(sql) {
        const statement = explained(() => database.prepare(sql));
        return {
          // Only statements that return rows (SELECT, or a write with RETURNING) have result columns.
          reader: statement.columns().length > 0,
          all: (parameters) => explained(() => statement.all(...parameters.map(toSqlValue))),
          run: (parameters) => explained(() => statement.run(...parameters.map(toSqlValue))),
          iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
        };
      },
    },
  });
}

/** Returns a parameter of a query as SQLite takes it. Throws a `TypeError` for what no column holds. */
export function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`no column of the key database holds a value of type ${typeof value}`);
}
