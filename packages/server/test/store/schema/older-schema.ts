import { changeByHand } from '../change-by-hand.ts';

/** What undoes each step of the schema, the newest first. */
const undoings: readonly (readonly [step: number, statements: readonly string[]])[] = [
  [16, ['drop table issued_transactions', "delete from schema_compatibility where migration >= '0016'"]],
  [
    15,
    [
      'alter table payment_links drop column handed_out_height',
      "delete from schema_compatibility where migration >= '0015'",
    ],
  ],
  [
    14,
    [
      'alter table payment_links drop column handed_out_at',
      "delete from schema_compatibility where migration >= '0014'",
    ],
  ],
  [
    13,
    [
      'drop table idempotent_bytes',
      'alter table idempotent_requests drop column packed_reply',
      "delete from schema_compatibility where migration >= '0013'",
    ],
  ],
  [
    12,
    [
      'drop index payment_links_open',
      'alter table payment_links drop column is_paid',
      "delete from schema_compatibility where migration >= '0012'",
    ],
  ],
  [
    11,
    ['alter table payment_links drop column token_terms', "delete from schema_compatibility where migration >= '0011'"],
  ],
  [
    10,
    [
      'drop table ledgers',
      'drop index payment_links_genesis_hash',
      'alter table payment_links drop column genesis_hash',
      "delete from schema_compatibility where migration >= '0010'",
    ],
  ],
  [
    9,
    [
      'drop table leases',
      ...['key_usage_day', 'key_daily_amounts_day', 'payment_links_settled'].map((name) => `drop index ${name}`),
      ...['expires_at', 'destination'].map((column) => `drop index payment_links_unsettled_${column}`),
      "delete from schema_compatibility where migration >= '0009'",
    ],
  ],
  [8, ['drop table key_history', "delete from schema_compatibility where migration >= '0008'"]],
  [7, ['drop table schema_compatibility']],
  [6, ['drop table payment_links', 'drop table link_payments', 'drop index api_keys_root_id']],
  [5, ['drop table idempotent_messages', 'alter table idempotent_requests drop column landed']],
  [4, ['drop table idempotent_requests', 'alter table api_keys drop column root_id']],
];

/** Makes the empty database of a `DATABASE_URL` one of the version that knew the schema up to a step. */
export async function returnToStep(databaseUrl: string, last: number): Promise<void> {
  for (const [step, statements] of undoings) {
    if (step <= last) break;
    for (const statement of statements) await changeByHand(databaseUrl, statement);
  }
  const firstUndone = String(last + 1).padStart(4, '0');
  await changeByHand(databaseUrl, `delete from kysely_migration where name >= '${firstUndone}'`);
}
