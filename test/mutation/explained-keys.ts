import { type Explanation, explain } from './explanation.ts';

const store = 'packages/server/src/store';
const keyedRows = `${store}/idempotency/idempotency-rows.ts`;
const linkRows = `${store}/links/payment-link-rows.ts`;

const sqlLinks = `${store}/links/sql-payment-links.ts`;

const sqlMessages = `${store}/idempotency/sql-messages.ts`;

const narrowsType = 'It narrows a type: a member that is missing is refused where it is read.';
const isNoForm = 'What is no JSON is then read as `undefined`, which is refused as every other form is.';

/** The mutants of the key store that no test can or need notice. */
export const explainedInKeys: readonly Explanation[] = [
  ...[
    "if (!('transfers' in value && 'signature' in value && 'slot' in value)) throw unreadable();",
    "if (!('block_time' in value && 'message_hash' in value)) throw unreadable();",
  ].flatMap((line) => explain(keyedRows, line, ['delete statement', 'swap logic'], narrowsType)),
  ...[keyedRows, linkRows].flatMap((path) => explain(path, 'throw unreadable();', 'delete statement', isNoForm)),
  ...explain(
    `${store}/sql/sql-database.ts`,
    'const maxValuesPerQuery = 500;',
    'change constant',
    'It only says how many values one query has.',
  ),
  ...explain(
    sqlLinks,
    "const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();",
    'drop call',
    'SQLite reads by an index that has this order.',
    "query.orderBy('created_at', 'desc').orderBy('id', 'desc')",
  ),
  ...explain(
    sqlLinks,
    "const found = await this.#db.selectFrom('link_payments').selectAll().where('link_id', 'in', ids).execute();",
    'drop call',
    'The payments of other links are left out of the answer, too.',
    "this.#db.selectFrom('link_payments').selectAll().where('link_id', 'in', ids)",
  ),
  ...explain(
    sqlLinks,
    'return a.slot - b.slot || (a.signature < b.signature ? -1 : 1);',
    ['shift boundary', 'change constant'],
    'No two payments of a link have the same signature, and sorting looks at the sign alone.',
  ),
  ...explain(
    sqlMessages,
    ".select([hash.as('message_hash'), 'scope', 'path', 'idempotency_key'])",
    'drop call',
    'What is inserted goes by its place, and not by its name.',
    "hash.as('message_hash')",
  ),
];
