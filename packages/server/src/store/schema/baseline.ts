import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { StoreTables } from './tables.ts';

/** Makes the first version of the schema. */
export async function makeBaseline(db: Kysely<StoreTables>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const historyId = isPostgres ? 'bigserial primary key' : 'integer primary key autoincrement';
  const guards = isPostgres ? historyGuardOfPostgres : historyGuardOfSqlite;
  const statements = [...tables, keyHistory(historyId), ...guards, ...indexes];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Types that SQLite and PostgreSQL share; SQLite keeps bytes as they are in a column of any type.
const tables: readonly string[] = [
  `create table cluster (id integer primary key not null, owner text, written_at bigint not null)`,
  `insert into cluster (id, owner, written_at) values (1, null, 0)`,
  `create table api_keys (
    id text primary key not null, name text not null, prefix text not null, hash text not null unique, root_id text not null,
    created_at bigint not null, expires_at bigint, revoked_at bigint, last_used_at bigint, rate_limit_per_minute integer,
    allowed_operations text, allowed_mints text, allowed_from_addresses text, allowed_to_addresses text, amount_limits text,
    sponsored_lamports_per_day text, sponsors_rent integer not null default 0)`,
  `create table key_usage (
    key_id text not null, day text not null, outcome text not null, requests bigint not null,
    primary key (key_id, day, outcome))`,
  `create table key_usage_writers (id text primary key not null, last_batch bigint not null, saved_at bigint not null)`,
  `create table key_daily_amounts (
    key_id text not null, day text not null, mint text not null, amount_high bigint not null, amount_low bigint not null,
    primary key (key_id, day, mint))`,
  `create table idempotent_requests (
    scope text not null, path text not null, idempotency_key text not null,
    body_hash text not null, attempt text not null, state text not null, started_at bigint not null, expires_at bigint not null,
    reply text, reply_headers text, transactions text, landed text,
    primary key (scope, path, idempotency_key))`,
  `create table idempotent_messages (
    message_hash text primary key not null, scope text not null, path text not null, idempotency_key text not null,
    foreign key (scope, path, idempotency_key)
      references idempotent_requests (scope, path, idempotency_key) on delete cascade)`,
  `create table idempotent_bytes (
    scope text not null, expires_at bigint not null, bytes bigint not null, primary key (scope, expires_at))`,
  `create table watched_senders (
    scope text not null, source text not null, due_at bigint not null, taken_until bigint,
    primary key (scope, source))`,
  `create table watched_transactions (
    message_hash text primary key not null, scope text not null, path text not null, idempotency_key text not null,
    transaction_index integer not null, transfers text, metadata text, source text not null, bytes bytea not null,
    last_valid_block_height bigint, told text, changed_at bigint not null, expires_at bigint not null)`,
  `create table payment_links (
    id text primary key not null, owner_id text not null, key_id text not null, reference text not null unique,
    recipient text not null, mint text not null, token_program text not null, decimals integer not null,
    destination text not null, min_amount text not null, max_amount text not null, texts text not null,
    token_terms text not null, other_tokens text not null, is_single_use integer not null, allows_off_curve_recipient integer not null,
    created_at bigint not null, created_slot bigint not null, expires_at bigint not null, cancelled_at bigint,
    checked_at bigint, settled_at bigint, examined_until text, metadata text not null, is_paid integer not null default 0,
    handed_out_at bigint, handed_out_height bigint, max_sponsor_fee text)`,
  `create table link_other_accounts (
    link_id text not null references payment_links (id) on delete cascade, token_account text not null, mint text not null,
    primary key (link_id, token_account))`,
  `create table link_payments (
    link_id text not null, signature text not null, payer text not null, fee_payer text, mint text not null, amount text not null,
    received text not null, owner text, slot bigint not null, block_time bigint, commitment text not null, flaw text,
    primary key (link_id, signature))`,
  `create table issued_transactions (
    link_id text not null, payer text not null, mint text not null, amount text not null, payments_before integer not null, bytes bytea not null,
    last_valid_block_height bigint not null, sponsor_fee text,
    primary key (link_id, payer, mint, amount))`,
  `create table link_refunds (
    reference text primary key not null, link_id text not null, idempotency_key text not null, payment text not null,
    recipient text not null, mint text not null, amount text not null, bytes bytea not null,
    last_valid_block_height bigint not null, state text not null, signature text, created_at bigint not null)`,
  `create table webhook_endpoints (
    id text primary key not null, owner_id text not null, url text not null, types text, description text,
    secret text not null, previous_secret text, previous_secret_until bigint, created_at bigint not null,
    failing_since bigint, disabled_at bigint, disabled_reason text)`,
  `create table events (
    id text primary key not null, owner_id text not null, type text not null, object_id text not null,
    sequence bigint not null, metadata text, body text not null, created_at bigint not null)`,
  `create table event_deliveries (
    event_id text not null, endpoint_id text not null, state text not null, due_at bigint, taken_until bigint,
    first_due_at bigint not null, attempts text not null,
    primary key (event_id, endpoint_id))`,
  `create table recipients (
    owner_id text not null, wallet text not null, mint text not null, token_account text not null,
    since_slot bigint not null, created_at bigint not null,
    primary key (owner_id, token_account))`,
  `create table watched_accounts (
    token_account text primary key not null, mint text not null, wallet text not null, floor_slot bigint not null,
    until_signature text, due_at bigint not null, fault text)`,
  `create table credits (
    token_account text not null, signature text not null, slot bigint not null, block_time bigint, amount text not null,
    payer text, memo text, reference_addresses text not null, commitment text not null, seen_at bigint not null,
    primary key (token_account, signature))`,
];

const indexes: readonly string[] = [
  `create index api_keys_root_id on api_keys (root_id)`,
  `create index key_history_key_id on key_history (key_id)`,
  `create index key_history_new_key_id on key_history (new_key_id)`,
  `create index key_usage_day on key_usage (day)`,
  `create index key_daily_amounts_day on key_daily_amounts (day)`,
  `create index idempotent_requests_expires_at on idempotent_requests (expires_at)`,
  `create index idempotent_messages_request on idempotent_messages (scope, path, idempotency_key)`,
  `create index idempotent_bytes_expires_at on idempotent_bytes (expires_at)`,
  `create index watched_senders_due_at on watched_senders (due_at)`,
  `create index watched_transactions_of_sender on watched_transactions (scope, source, last_valid_block_height)`,
  `create index watched_transactions_expires_at on watched_transactions (expires_at)`,
  `create index payment_links_of_owner on payment_links (owner_id, created_at, id)`,
  `create index payment_links_settled on payment_links (settled_at, id) where settled_at is not null`,
  // Of the few that are not settled yet.
  `create index payment_links_unsettled_expires_at on payment_links (expires_at) where settled_at is null`,
  `create index payment_links_unsettled_recipient on payment_links (recipient) where settled_at is null`,
  `create index payment_links_open on payment_links (owner_id, expires_at)
    where settled_at is null and cancelled_at is null and is_paid = 0`,
  // Those that count, and how many do not, without the rows of the others.
  `create index link_payments_flaw on link_payments (link_id, flaw)`,
  `create index link_refunds_of_link on link_refunds (link_id)`,
  `create index webhook_endpoints_of_owner on webhook_endpoints (owner_id)`,
  `create index recipients_of_account on recipients (token_account)`,
  `create index watched_accounts_due_at on watched_accounts (due_at)`,
  `create index credits_of_account on credits (token_account, seen_at)`,
  `create index credits_seen_at on credits (seen_at)`,
  `create index events_of_owner on events (owner_id, created_at, id)`,
  `create unique index events_of_object on events (object_id, sequence)`,
  `create index events_created_at on events (created_at)`,
  `create index event_deliveries_due on event_deliveries (endpoint_id, due_at) where due_at is not null`,
  `create index event_deliveries_taken on event_deliveries (endpoint_id, taken_until) where taken_until is not null`,
  `create index issued_transactions_height on issued_transactions (last_valid_block_height)`,
];

function keyHistory(id: string): string {
  return `create table key_history (
    id ${id}, at bigint not null, action text not null, key_id text not null, new_key_id text, name text not null,
    changes text not null, os_user text, sudo_user text, host text)`;
}

// The database itself keeps the history from being changed or deleted.
const historyGuardOfPostgres: readonly string[] = [
  `create or replace function refuse_change_of_key_history() returns trigger language plpgsql as
    $$ begin raise exception 'key_history is append-only'; end $$`,
  `create trigger key_history_append_only before update or delete or truncate on key_history
    for each statement execute function refuse_change_of_key_history()`,
];

const historyGuardOfSqlite: readonly string[] = [
  `create trigger key_history_update before update on key_history
    begin select raise(abort, 'key_history is append-only'); end`,
  `create trigger key_history_delete before delete on key_history
    begin select raise(abort, 'key_history is append-only'); end`,
  // `insert or replace` deletes a row without the trigger of deletions.
  `create trigger key_history_replace before insert on key_history when exists (select 1 from key_history where id = new.id)
    begin select raise(abort, 'key_history is append-only'); end`,
];
