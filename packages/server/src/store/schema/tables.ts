import type { Generated } from 'kysely';

/** The tables of the database, as Kysely sees them; the steps of the schema make them. */
export interface StoreTables {
  api_keys: ApiKeyRow;
  key_usage: KeyUsageRow;
  key_usage_writers: KeyUsageWriterRow;
  key_daily_amounts: KeyDailyAmountRow;
  key_history: Omit<KeyHistoryRow, 'id'> & { id: Generated<number> };
  payment_links: PaymentLinkRow;
  link_other_accounts: LinkOtherAccountRow;
  link_payments: LinkPaymentRow;
  issued_transactions: IssuedTransactionRow;
  link_refunds: LinkRefundRow;
  idempotent_requests: IdempotentRequestRow;
  idempotent_messages: IdempotentMessageRow;
  idempotent_bytes: IdempotentBytesRow;
  watched_senders: WatchedSenderRow;
  watched_transactions: WatchedTransactionRow;
  webhook_endpoints: WebhookEndpointRow;
  events: EventRow;
  event_deliveries: EventDeliveryRow;
  recipients: RecipientRow;
  watched_accounts: WatchedAccountRow;
  credits: CreditRow;
  cluster: ClusterRow;
  schema_steps: SchemaStepRow;
}

/** A JSON array of texts, or `null` for no restriction. */
type AllowedTexts = string | null;

/** Decimal digits, because no column type of both databases holds 2^64-1. */
type Digits = string;

/** 1 or 0. */
type Flag = number;

/** One row of `api_keys`; times are milliseconds since the Unix epoch, which every database can hold. */
export interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  rate_limit_per_minute: number | null;
  allowed_operations: AllowedTexts;
  allowed_mints: AllowedTexts;
  allowed_from_addresses: AllowedTexts;
  allowed_to_addresses: AllowedTexts;
  /** A JSON object of `{"per_transfer":"…","per_day":"…"}` by mint, or `null` for no restriction. */
  amount_limits: string | null;
  /** Decimal digits, or `null` for no limit. */
  sponsored_lamports_per_day: string | null;
  sponsors_rent: Flag;
  /** The id of the first key of its chain of rotations: its own when it replaces none. */
  root_id: string;
}

/** The number of requests of a key on one day with one outcome. */
export interface KeyUsageRow {
  key_id: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  /** `built`, or the code of the refusal. */
  outcome: string;
  requests: number;
}

/** The amount that a key built of a mint on one day. */
interface KeyDailyAmountRow {
  key_id: string;
  /** The day in UTC, as `2026-11-21`. */
  day: string;
  mint: string;
  /** The amount without its last ten decimal digits: no column type of both databases holds 2^64-1. */
  amount_high: number;
  /** The last ten decimal digits of the amount. */
  amount_low: number;
}

/** A process that adds usage, and its last batch, so that none is added twice. */
interface KeyUsageWriterRow {
  id: string;
  last_batch: number;
  saved_at: number;
}

/** A change to a key, recorded together with it. The database refuses to change or delete a row. */
export interface KeyHistoryRow {
  id: number;
  at: number;
  action: 'created' | 'updated' | 'revoked' | 'rotated';
  key_id: string;
  /** The key that replaces it. */
  new_key_id: string | null;
  /** The name of the key until then. */
  name: string;
  /** A JSON object of `{"from":…,"to":…}` by setting. */
  changes: string;
  /** Who ran the command, as the system said. */
  os_user: string | null;
  sudo_user: string | null;
  host: string | null;
}

/** A request with an `Idempotency-Key`; times are milliseconds since the Unix epoch. */
export interface IdempotentRequestRow {
  /** The `root_id` of the API key. */
  scope: string;
  path: string;
  idempotency_key: string;
  /** SHA-256 of the canonical body, lower-case hex. */
  body_hash: string;
  /** A random id of the attempt that builds it or has built it. */
  attempt: string;
  state: 'building' | 'built';
  started_at: number;
  expires_at: number;
  /** `null` where a retry is never given it, as its headers. */
  reply: string | null;
  /** A JSON object of texts. */
  reply_headers: string | null;
  /**
   * A JSON array of `{"transaction":"<base64>","last_valid_block_height":"…" or null,"transfers":[…] of a batch}`: those that were built
   * and are neither final nor dead. `null` where there are none, and no reply.
   */
  transactions: string | null;
  /** A JSON array of what landed for good, as `landedToColumn` writes it; `null` where nothing did. */
  landed: string | null;
}

/** A message that a request builds or has built; it is deleted with its request. */
interface IdempotentMessageRow {
  /** SHA-256 of the message, lower-case hex; of one that landed as a wallet changed it, after `scope:`. */
  message_hash: string;
  scope: string;
  path: string;
  idempotency_key: string;
}

/** How many bytes the stored replies of one client take that expire within the same hour. */
interface IdempotentBytesRow {
  scope: string;
  /** The end of that hour, in milliseconds since the Unix epoch. */
  expires_at: number;
  bytes: number;
}

/** A sender of transactions whose outcomes are asked for together; times are milliseconds since the Unix epoch. */
interface WatchedSenderRow {
  scope: string;
  /** The token account that they pay from. */
  source: string;
  due_at: number;
  /** Until when one process has them for itself; `null` where none has. */
  taken_until: number | null;
}

/** A transaction of a stored reply whose outcome is told; times are milliseconds since the Unix epoch. */
export interface WatchedTransactionRow {
  /** SHA-256 of the message, lower-case hex. */
  message_hash: string;
  scope: string;
  path: string;
  idempotency_key: string;
  /** Its index in the reply. */
  transaction_index: number;
  /** A JSON array of the indices of the transfers that it makes; `null` where the request is one transfer. */
  transfers: string | null;
  /** A JSON object of texts by name; `null` without. */
  metadata: string | null;
  source: string;
  /** Unsigned. */
  bytes: Uint8Array;
  /** `null` with a durable nonce. */
  last_valid_block_height: number | null;
  told: 'landed' | 'final' | null;
  /** When it was built, or something was last told of it. */
  changed_at: number;
  expires_at: number;
}

/** A payment link; times are milliseconds since the Unix epoch. */
export interface PaymentLinkRow {
  id: string;
  owner_id: string;
  key_id: string;
  reference: string;
  recipient: string;
  mint: string;
  token_program: string;
  decimals: number;
  destination: string;
  min_amount: Digits;
  max_amount: Digits;
  /** A JSON object of the texts that the maker of the link wrote: a column of PostgreSQL does not hold U+0000. */
  texts: string;
  is_single_use: Flag;
  allows_off_curve_recipient: Flag;
  created_at: number;
  created_slot: number;
  expires_at: number;
  cancelled_at: number | null;
  checked_at: number | null;
  settled_at: number | null;
  examined_until: string | null;
  /** A JSON object of texts by name. */
  metadata: string;
  /** A JSON object of what the mint may withhold and how its amounts are shown. */
  token_terms: string;
  /** A JSON array of the other tokens in which it can be paid. */
  other_tokens: string;
  /** Whether a link for a single payment has one that counts. */
  is_paid: Flag;
  handed_out_at: number | null;
  handed_out_height: number | null;
  /** `null` where the payers pay the network fee. */
  max_sponsor_fee: Digits | null;
}

/** The token account of one of a link's other tokens; it is deleted with its link. */
interface LinkOtherAccountRow {
  link_id: string;
  token_account: string;
  mint: string;
}

/** A payment of a link. */
export interface LinkPaymentRow {
  link_id: string;
  signature: string;
  payer: string;
  /** `null` where the payer paid the network fee. */
  fee_payer: string | null;
  mint: string;
  amount: Digits;
  received: Digits;
  /** `null` where no single one is known. */
  owner: string | null;
  slot: number;
  /** Seconds since the Unix epoch. */
  block_time: number | null;
  commitment: string;
  flaw: string | null;
}

/** A refund of a payment of a link. */
export interface LinkRefundRow {
  reference: string;
  link_id: string;
  idempotency_key: string;
  /** The signature of the payment. */
  payment: string;
  recipient: string;
  mint: string;
  amount: Digits;
  /** Unsigned. */
  bytes: Uint8Array;
  last_valid_block_height: number;
  /** `expired`: it never lands. */
  state: 'issued' | 'confirmed' | 'finalized' | 'expired';
  signature: string | null;
  created_at: number;
}

/** The transaction that a payer of a link was given for one amount. */
export interface IssuedTransactionRow {
  link_id: string;
  payer: string;
  mint: string;
  amount: Digits;
  /** How many payments of this amount, of this payer to the link, were known. */
  payments_before: number;
  /** Signed by the sponsor of a sponsored link alone. */
  bytes: Uint8Array;
  last_valid_block_height: number;
  /** JSON; `null` where the payer pays the sponsor nothing. */
  sponsor_fee: string | null;
}

/** Where the events of a client are sent; times are milliseconds since the Unix epoch. */
export interface WebhookEndpointRow {
  id: string;
  owner_id: string;
  url: string;
  /** A JSON array of the types that it takes, or `null` for all. */
  types: string | null;
  description: string | null;
  secret: string;
  /** The secret before the last rotation, which signs too until then. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  created_at: number;
  /** Since when every attempt fails; `null` where the last one succeeded, or there was none. */
  failing_since: number | null;
  disabled_at: number | null;
  /** Why it is disabled. */
  disabled_reason: string | null;
}

/** Something that happened to an object of a client. */
export interface EventRow {
  id: string;
  owner_id: string;
  type: string;
  object_id: string;
  /** Rises with each event of the object. */
  sequence: number;
  /** That of what it tells of: a JSON object of texts by name; `null` without. */
  metadata: string | null;
  /** As it is signed. */
  body: string;
  created_at: number;
}

/** One event for one endpoint. */
export interface EventDeliveryRow {
  event_id: string;
  endpoint_id: string;
  state: 'waiting' | 'delivered' | 'failed';
  /** When the next attempt is due; `null` where there is none. */
  due_at: number | null;
  /** Until when an attempt that is under way has this delivery for itself; `null` where none is. */
  taken_until: number | null;
  first_due_at: number;
  /** A JSON array of the attempts. */
  attempts: string;
}

/** A token account of which a client wants to know what arrives. */
export interface RecipientRow {
  owner_id: string;
  wallet: string;
  mint: string;
  token_account: string;
  /** Nothing of an earlier slot is told. */
  since_slot: number;
  /** Milliseconds since the Unix epoch. */
  created_at: number;
}

/** A token account whose history is read, for recipients and for payment links. */
export interface WatchedAccountRow {
  token_account: string;
  mint: string;
  wallet: string;
  /** Of earlier slots everything is stored, or of no interest. */
  floor_slot: number;
  /** A transaction in an earlier slot, but not the newest of those. */
  until_signature: string | null;
  /** Milliseconds since the Unix epoch. */
  due_at: number;
  /** Why the last scan is incomplete. */
  fault: string | null;
}

/** One transaction's credit to a token account. */
export interface CreditRow {
  token_account: string;
  signature: string;
  slot: number;
  /** Seconds since the Unix epoch. */
  block_time: number | null;
  /** Decimal digits. */
  amount: string;
  payer: string | null;
  memo: string | null;
  /** A JSON array of addresses. */
  reference_addresses: string;
  commitment: 'confirmed' | 'finalized';
  /** When it was first seen, in milliseconds since the Unix epoch. */
  seen_at: number;
}

/** The one row of what the whole database is about. */
interface ClusterRow {
  /** 1. */
  id: number;
  /** The genesis hash of the network whose records these are, or `sandbox`; `null` before the first. */
  owner: string | null;
  /** When readiness was last asked for, in milliseconds since the Unix epoch. */
  written_at: number;
}

/** A step of the schema that was made; see `SchemaStep`. */
interface SchemaStepRow {
  name: string;
  compatible_from: number;
}
