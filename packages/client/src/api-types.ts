// Written by `npm run docs` from the schemas of the server.

/** AcceptedToken, as the service writes it. */
export interface AcceptedToken {
  /** The mint of the token, or "SOL". */
  token_mint_address: string;

  /** What is to be paid; absent where the payer chooses, in base units. */
  amount?: string;

  /** The least that the payer may choose; absent where the amount is fixed, in base units. */
  amount_min?: string;

  /** The most that the payer may choose; absent where the amount is fixed, in base units. */
  amount_max?: string;

  /** Of `paid`: what arrived. Before: what arrives at least, if the mint withholds a fee and the amount is fixed, in base units. */
  received_amount?: string;

  /** What arrives at least of `amount_min`; absent where the mint withholds nothing, in base units. */
  received_amount_min?: string;

  /** What arrives at least of `amount_max`; absent where the mint withholds nothing, in base units. */
  received_amount_max?: string;

  /** What wallets show for `amount` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount?: string;

  /** What wallets show for `amount_min` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount_min?: string;

  /** What wallets show for `amount_max` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount_max?: string;

  /** The decimals of the mint. */
  decimals: number;

  /** What the issuer calls the token, in the mint or at Metaplex; null where it has no name. Any token can have any name. */
  token_symbol: string | null;

  /** The payment as a Solana Pay transfer request, for wallets that know no transaction requests. They do not learn when the link has ended. Absent where wallets show amounts of the token as other numbers, and of a sponsored link. */
  transfer_request_url?: string;
}

/** BatchData, as the service writes it. */
export interface BatchData {
  /** What was built for this request, which `lifetime` and `summary` are about. Empty, and these absent, where a retry builds nothing. */
  transactions: readonly BatchTransaction[];

  /** Under an `Idempotency-Key`: the transactions of the batch that have landed. What they paid is never built again. */
  landed_transactions?: readonly LandedBatchTransaction[];

  /** Under an `Idempotency-Key`: the transactions of the batch that were built before and may still land. What they pay is built again once they never can. */
  pending_transactions?: readonly PendingBatchTransaction[];

  /** Only with `skip_refused`: the transfers that cannot be paid now, each with every reason. */
  refused?: readonly RefusedTransfer[];
  metadata?: Metadata;
  transaction_version: 'legacy' | 0 | 1;
  lifetime?: Lifetime;
  summary?: BatchSummary;
}

/** Each transfer takes exactly one of `amount` and `amount_decimal`. */
export interface BatchRequest {
  /** The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it also pays the network fee, and the rent of a created token account. */
  from_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and `amount_decimal` in SOL. */
  token_mint_address: string;

  /** Up to 1,000 transfers, each with `to_address`, with `amount` in base units or `amount_decimal` in whole tokens, and with a memo, references, and a `token_mint_address` other than that of the batch, where these are wanted. A recipient listed twice is paid both amounts. */
  transfers: readonly BatchTransfer[];

  /** A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the sender signs second, and needs no SOL. "sponsor": the sponsor of this service, which has signed the transaction in the reply. */
  fee_payer?: string;

  /** The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent prices for the same accounts, at most 1,000,000 lamports a transaction; or micro-lamports per compute unit in decimal digits. It also sets a compute limit, with room for the guard instructions that wallets insert. Default: "none". */
  priority_fee?: string | bigint;

  /** The token that a sponsor is paid in, by one more payment of the sender; by default the token that is sent. Counts only with `fee_payer` "sponsor". */
  sponsor_fee_token_mint_address?: string;

  /** The most that a sponsor may take of the sender for this request, in base units of the token that it is paid in. A sponsor that asks for more is not used. Counts only with `fee_payer` "sponsor". Default: "0". */
  max_sponsor_fee?: string | bigint;

  /** When to create a recipient's token account: where it is missing, always (without effect where it exists), or never. Unless "never", a frozen account of a Token ACL mint is also thawed, except in a batch. Default: "if_missing". */
  create_token_account?: 'if_missing' | 'always' | 'never';
  metadata?: Metadata;

  /** Build what can be paid, and list the transfers that are refused, instead of refusing the batch. What is wrong with all of it, such as too few tokens, still refuses it. It may be added or left out under the same `Idempotency-Key`. Default: false. */
  skip_refused?: boolean;

  /** A durable nonce account, whose nonce replaces the blockhash. Its authority signs, too: the sender, the fee payer, or any other wallet. For approvals that take longer than a blockhash lives. */
  nonce_account?: string;

  /** The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet. Default: "legacy". */
  transaction_version?: 'legacy' | 0 | 1;

  /** Pay an address that no key can sign for, such as a vault, even if it has no token account yet. Default: false. */
  allow_off_curve_recipient?: boolean;

  /** "none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they are funded. What decides who receives the money, and what could never land, is still refused. Fund the fee payer before you submit the transaction. Default: "full". */
  checks?: 'full' | 'none';
}

/** The totals of all transactions, to the lamport and the base unit. */
export interface BatchSummary {
  /** How many transactions make all transfers. */
  transaction_count: number;

  /** No packing of these transfers has fewer, with one mint in each transaction. */
  fewest_transactions: number;
  transfer_count: number;

  /** Base58 of 32 bytes. */
  fee_payer: string;

  /** Base58 of 32 bytes. */
  sender: string;

  /** What is sent of each mint, in the order of the transfers. */
  tokens: readonly BatchTokens[];

  /** The fees for the signatures, in lamports. */
  network_fee: string;

  /** The priority fees, in lamports. */
  priority_fee: string;

  /** The rent of all created token accounts, in lamports. */
  rent: string;

  /** How many token accounts are created. */
  created_token_accounts: number;
  sponsor_fee?: SponsorFee;

  /** What the payer or the recipient should know although the transfer lands: the most costly first, notes last. */
  warnings: readonly Warning[];
}

/** BatchTokens, as the service writes it. */
export interface BatchTokens {
  /** Base58 of 32 bytes, or "SOL". */
  token_mint_address: string;
  token_program: string | null;
  decimals: number;
  sender_token_account: string | null;
  amount: TokenAmount;
  transfer_fee: TokenAmount;
  received_amount: TokenAmount;
}

/** BatchTransaction, as the service writes it. */
export interface BatchTransaction {
  /** The serialized transaction in base64, signed by its sponsor alone, if it has one. */
  transaction: string;

  /** The SHA-256 of the message in base58, as hardware wallets show it before they sign. */
  message_hash: string;

  /** The transfers that it makes, by their indices in the request. */
  transfers: readonly number[];

  /** Who must sign, in the order of the signatures. */
  signers: readonly string[];
  sponsor_fee?: SponsorFee;
}

/** BatchTransfer, as the service writes it. */
export interface BatchTransfer {
  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and `amount_decimal` in SOL. */
  token_mint_address?: string;

  /** How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point than the mint has decimals are refused. */
  amount_decimal?: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount?: string | bigint;

  /** Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction (916 bytes of UTF-8; 3,767 in version 1). */
  memo?: string;

  /** Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay. */
  references?: readonly string[];
}

/** Takes `token_mint_address` with one of `amount` and `amount_decimal`, or with `amount_min` and `amount_max`; or `accepts`. */
export interface CreatePaymentLinkRequest {
  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and `amount_decimal` in SOL. */
  token_mint_address?: string;

  /** How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point than the mint has decimals are refused. */
  amount_decimal?: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount?: string | bigint;

  /** Who is paid, as wallets and the page show it: 1 to 80 characters. */
  label: string;

  /** What the payment is for, as wallets and the page show it: up to 200 characters. */
  message?: string;

  /** Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction (916 bytes of UTF-8; 3,767 in version 1). */
  memo?: string;

  /** The `https:` URL to which the page and wallets go after the payment. On the sandbox also `http://localhost`. */
  redirect?: string;

  /** For how many seconds the link can be paid: 60 to 31536000, which is a year. Default: 604800. */
  expires_in?: number;

  /** Whether one payment closes the link. Otherwise it can be paid any number of times until it expires. Default: true. */
  single_use?: boolean;
  metadata?: Metadata;

  /** The least that the payer may choose to pay, in base units as `amount`. With `amount_max`, instead of `amount`. */
  amount_min?: string | bigint;

  /** The most that the payer may choose to pay, in base units as `amount`. With `amount_min`, instead of `amount`. */
  amount_max?: string | bigint;

  /** Up to 5 tokens with an amount each, of which the payer chooses one, instead of `token_mint_address` and an amount. */
  accepts?: readonly TokenToAccept[];

  /** The `https:` URL of an image (SVG, PNG or WebP) that wallets show. The page shows it only if the service's operator allows its origin. */
  icon?: string;

  /** Whether the sponsor of this service pays the network fee of every payer, who then needs no SOL. Its transactions are signed by it, and a payer has one at a time. Default: false. */
  sponsored?: boolean;

  /** The most that the sponsor may take of one payment, in base units of the token that is paid. The payer pays it in addition. Counts only with `sponsored`. Default: "0". */
  max_sponsor_fee?: string | bigint;

  /** Pay an address that no key can sign for, such as a vault, even if it has no token account yet. Default: false. */
  allow_off_curve_recipient?: boolean;
}

/** Takes one of `memo` and `yid`, or neither. */
export interface CreateTokenAccountTransferRequest {
  /** The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it also pays the network fee, and the rent of a created token account. */
  from_address: string;

  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. */
  token_mint_address: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount: string | bigint;

  /** Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction (916 bytes of UTF-8; 3,767 in version 1). */
  memo?: string;

  /** An identifier, written on chain as the memo. On `/v1/token-transfer-memo-hash` it selects the reply with the transaction alone. */
  yid?: string;

  /** A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the sender signs second, and needs no SOL. */
  fee_payer?: string;

  /** The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent prices for the same accounts, at most 1,000,000 lamports a transaction; or micro-lamports per compute unit in decimal digits. It also sets a compute limit, with room for the guard instructions that wallets insert. Default: "none". */
  priority_fee?: string | bigint;

  /** A durable nonce account, whose nonce replaces the blockhash. Its authority signs, too: the sender, the fee payer, or any other wallet. For approvals that take longer than a blockhash lives. */
  nonce_account?: string;

  /** The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet. Default: "legacy". */
  transaction_version?: 'legacy' | 0 | 1;

  /** Pay an address that no key can sign for, such as a vault, even if it has no token account yet. Default: false. */
  allow_off_curve_recipient?: boolean;

  /** "none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they are funded. What decides who receives the money, and what could never land, is still refused. Fund the fee payer before you submit the transaction. Default: "full". */
  checks?: 'full' | 'none';

  /** Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay. */
  references?: readonly string[];

  /** Simulate the transaction on the Solana node first. If that fails, the refusal `simulation_failed` has the instruction, the reason and the `logs`. Default: false. */
  simulate?: boolean;

  /** How the reply encodes the transaction: an array of integers, or one string. Default: "array". */
  encoding?: 'array' | 'base64' | 'base58';

  /** Add to the reply a `summary` of what the transaction will do. Default: false. */
  summary?: boolean;
}

/** Delegate, as the service writes it. */
export interface Delegate {
  /** Base58 of 32 bytes. */
  address: string;
  amount: TokenAmount;
}

/** Event, as the service writes it. */
export interface Event {
  /** Its id: the `webhook-id` of each delivery. */
  id: string;

  /** What happened. */
  type:
    | 'payment_link.paid'
    | 'payment_link.final'
    | 'payment_link.flawed_payment'
    | 'payment_link.payment_dropped'
    | 'payment.received'
    | 'payment.final'
    | 'payment.dropped'
    | 'payment_link.expired'
    | 'transfer.landed'
    | 'transfer.final'
    | 'transfer.failed'
    | 'transfer.expired'
    | 'webhook.test';

  /** The id of what it happened to, such as that of a payment link. */
  object_id: string;

  /** When it was recorded. */
  created_at: string;
  payload: EventPayload;

  /** Its deliveries, one for each endpoint. */
  deliveries: readonly EventDelivery[];
}

/** EventDelivery, as the service writes it. */
export interface EventDelivery {
  /** The endpoint. */
  endpoint_id: string;

  /** `failed`: it was given up after three days. */
  state: 'waiting' | 'delivered' | 'failed';

  /** When it is tried next. */
  next_attempt_at: string | null;

  /** The last 20 attempts, the oldest first. */
  attempts: readonly WebhookAttempt[];
}

/** The body of each delivery. */
export interface EventPayload {
  /** The type of the event. */
  type: string;

  /** When it was recorded: `created_at`. */
  timestamp: string;

  /** Rises with each event of the same object. */
  sequence: number;

  /** The object, as its own GET had it then. Of `transfer.*` the outcome, with `idempotency_key`, `path`, `transaction_index`, `message_hash`, and the `transfers` of a batch that the transaction makes. */
  data: object;
}

/** LandedBatchTransaction, as the service writes it. */
export interface LandedBatchTransaction {
  /** The transfers that it makes, by their indices in the request. */
  transfers: readonly number[];

  /** The signature of the transaction, in base58. */
  signature: string;
}

/** Of `already_landed`: the transaction of this `Idempotency-Key`. */
export interface LandedTransfer {
  /** The signature of the transaction, in base58. */
  signature: string;

  /** The slot in which it landed. */
  slot: string;

  /** When it landed, in seconds since 1970; null where the node does not know it. */
  block_time: number | null;
}

/** What bounds the validity of the transaction: `blockhash` and `last_valid_block_height`, or `nonce` and `nonce_account`. */
export interface Lifetime {
  /** The blockhash in the transaction; absent with a nonce. */
  blockhash?: string;

  /** The last block height at which the transaction can land; absent with a nonce. */
  last_valid_block_height?: string;

  /** The nonce in the place of a blockhash; absent with a blockhash. */
  nonce?: string;

  /** The account that holds the nonce; absent with a blockhash. */
  nonce_account?: string;
}

/** Your own texts, such as the number of an order, by name: at most 20, with names of 1 to 40 characters of `A-Z a-z 0-9 _ . -` and values of up to 500 characters. Only your API key reads them. */
export type Metadata = object;

/** Only for a vault: what its multisig imports as a proposal. Do not sign or send the transaction itself. */
export interface MultisigImport {
  transaction_base58: string;

  /** The message alone, without signatures, in base64. */
  message: string;
  message_base58: string;
}

/** Nonce, as the service writes it. */
export interface Nonce {
  /** Base58 of 32 bytes. */
  account: string;

  /** Base58 of 32 bytes. */
  authority: string;
  value: string;
}

/** OutcomePayment, as the service writes it. */
export interface OutcomePayment {
  /** The wallet that owned the token account; null where the node does not say. */
  recipient: string | null;

  /** null where SOL was paid. */
  recipient_token_account: string | null;

  /** What the transfer was for, in base units. */
  amount: string;

  /** What arrived, in base units: less than the amount where the mint withholds a fee; null where the node does not say. */
  received_amount: string | null;
}

/** PaidTip, as the service writes it. */
export interface PaidTip {
  /** Base58 of 32 bytes. */
  account: string;

  /** What the fee payer pays it, in lamports. */
  lamports: string;
}

/** PaymentLink, as the service writes it. */
export interface PaymentLink {
  /** Its id: 16 characters of base58. */
  id: string;

  /** The page for people, and what wallets are sent to. */
  url: string;

  /** The same as a Solana Pay transaction request, as the QR code has it. */
  solana_pay_url: string;

  /** The same as a Solana Action. */
  action_url: string;

  /** The QR code as an SVG image. */
  qr_svg_url: string;

  /** The address by which its payments are found on chain. */
  reference: string;

  /** `paid` as soon as the chain shows a payment that counts, also after the link has expired. A link for any number of payments is never `paid`. */
  state: 'open' | 'paid' | 'expired' | 'cancelled';

  /** Whether the state can no longer change, for example because the payment is finalized. */
  is_final: boolean;

  /** The recipient's wallet. */
  to_address: string;

  /** The mint of the token, or "SOL". */
  token_mint_address: string;

  /** What is to be paid; absent where the payer chooses, in base units. */
  amount?: string;

  /** The least that the payer may choose; absent where the amount is fixed, in base units. */
  amount_min?: string;

  /** The most that the payer may choose; absent where the amount is fixed, in base units. */
  amount_max?: string;

  /** Of `paid`: what arrived. Before: what arrives at least, if the mint withholds a fee and the amount is fixed, in base units. */
  received_amount?: string;

  /** What arrives at least of `amount_min`; absent where the mint withholds nothing, in base units. */
  received_amount_min?: string;

  /** What arrives at least of `amount_max`; absent where the mint withholds nothing, in base units. */
  received_amount_max?: string;

  /** What wallets show for `amount` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount?: string;

  /** What wallets show for `amount_min` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount_min?: string;

  /** What wallets show for `amount_max` now, in tokens; absent where they show it as it is. For display only. */
  ui_amount_max?: string;

  /** The decimals of the mint. */
  decimals: number;

  /** What the issuer calls the token, in the mint or at Metaplex; null where it has no name. Any token can have any name. */
  token_symbol: string | null;

  /** The payment as a Solana Pay transfer request, for wallets that know no transaction requests. They do not learn when the link has ended. Absent where wallets show amounts of the token as other numbers, and of a sponsored link. */
  transfer_request_url?: string;

  /** Where the payer chooses the token: each of them. The members of the link itself are then those of the first, and of `paid` those of the one that was paid. */
  accepts?: readonly AcceptedToken[];

  /** What is written on chain with the payment. */
  memo: string | null;

  /** Who is paid. */
  label: string;

  /** What the payment is for. */
  message: string | null;

  /** The URL of an image. */
  icon: string | null;

  /** Where wallets go after the payment. */
  redirect: string | null;
  metadata: Metadata;

  /** Whether one payment closes it. */
  single_use: boolean;

  /** Whether the sponsor of this service pays the network fee of its payers. */
  sponsored: boolean;

  /** The most that the sponsor may take of one payment, in base units of the token that is paid; absent unless `sponsored`. */
  max_sponsor_fee?: string;

  /** When it was made. */
  created_at: string;

  /** When it can no longer be paid. */
  expires_at: string;

  /** When it was canceled. */
  cancelled_at: string | null;

  /** When the chain was last asked for its payments. */
  checked_at: string | null;

  /** The payment that counts, in base58. Of `paid`. */
  signature?: string;

  /** Who has paid. Of `paid`. */
  payer?: string;

  /** Every transaction that names the reference, the oldest first, also those that do not count. In a list: those that count. */
  payments: readonly PaymentLinkPayment[];

  /** What was refunded or may still be, the oldest first. */
  refunds: readonly PaymentLinkRefund[];

  /** In a list: how many transactions name the reference and do not count. */
  flawed_payment_count?: number;

  /** What the payer or the recipient should know although the transfer lands: the most costly first, notes last. */
  warnings?: readonly Warning[];
}

/** PaymentLinkPayment, as the service writes it. */
export interface PaymentLinkPayment {
  /** The transaction, in base58. */
  signature: string;

  /** The wallet that authorized the transfer; without one, the fee payer. */
  payer: string;

  /** The token that it pays in; where it does not count, the one that it is closest to. */
  token_mint_address: string;

  /** What was sent, in base units. */
  amount: string;

  /** By how much more the recipient holds, in base units. */
  received_amount: string;

  /** Its slot. */
  slot: string;

  /** Seconds since 1970 at its block; null where the node does not say. */
  block_time: number | null;

  /** How certain its block is. */
  commitment: 'confirmed' | 'finalized';

  /** Whether it pays the link. */
  counts: boolean;

  /**
   * Why it does not count.
   *
   * - `too_little`: Less was sent, or arrived, than the link requires.
   * - `elsewhere`: It pays another token account.
   * - `other_mint`: It pays in another token.
   * - `other_link`: The transfer does not carry the reference, or carries those of other links first.
   * - `nothing_stayed`: What it paid was taken back, or withheld.
   * - `no_transfer`: It transfers nothing.
   * - `not_shown`: No node says what the account held before and after it. The service asks again until one does.
   */
  flaw?: 'too_little' | 'elsewhere' | 'other_mint' | 'other_link' | 'nothing_stayed' | 'no_transfer' | 'not_shown';
}

/** PaymentLinkRefund, as the service writes it. */
export interface PaymentLinkRefund {
  /** The address by which it is found on chain. */
  reference: string;

  /** The payment, in base58. */
  payment_signature: string;

  /** Who gets it back. */
  to_address: string;

  /** The mint of the token, or "SOL". */
  token_mint_address: string;

  /** How much, in base units. */
  amount: string;

  /** `issued`: its transaction was built, and may still land. One that never lands is left out. The others: how certain its block is. */
  state: 'issued' | 'confirmed' | 'finalized';

  /** The transaction on chain, in base58; null while it is `issued`. */
  signature: string | null;

  /** When it was built. */
  created_at: string;
}

/** PendingBatchTransaction, as the service writes it. */
export interface PendingBatchTransaction {
  /** Its bytes, as they were handed out before, in base64; send them as you signed them. Absent where they can no longer land as they are, or are on their way: sign nothing then. */
  transaction?: string;

  /** The SHA-256 of the message in base58, as hardware wallets show it before they sign. */
  message_hash: string;

  /** The transfers that it makes, by their indices in the request. */
  transfers: readonly number[];
  lifetime: Lifetime;
  sponsor_fee?: SponsorFee;
}

/** Problem, as the service writes it. */
export interface Problem {
  /** The page of the problem, relative to the service: `/problems/<code>`. */
  type: string;

  /** The same short sentence for every occurrence of the code. */
  title: string;

  /** The HTTP status. */
  status: number;

  /** What happened in this request: the address or field, the numbers and the remedy. */
  detail: string;
  code: ProblemCode;

  /** The same as the `X-Request-Id` header; quote it to the operator. */
  request_id: string;

  /** Every error, not only the first. Of a request at most 100 are listed; `detail` says how many are not. */
  errors?: readonly ProblemError[];

  /** Under `/pay`: what a wallet tells its user, in at most 80 characters. */
  message?: string;

  /** The logs of the programs in a simulation that failed. */
  logs?: readonly string[];
  landed?: LandedTransfer;

  /** Under an `Idempotency-Key`: the transactions of the batch that have landed. What they paid is never built again. */
  landed_transactions?: readonly LandedBatchTransaction[];

  /** Under an `Idempotency-Key`: the transactions of the batch that were built before and may still land. What they pay is built again once they never can. */
  pending_transactions?: readonly PendingBatchTransaction[];
}

/** The stable code of a problem, to switch on. */
export type ProblemCode =
  | 'request_timeout'
  | 'malformed_http'
  | 'headers_too_large'
  | 'api_key_missing'
  | 'api_key_invalid'
  | 'rate_limited'
  | 'internal_error'
  | 'overloaded'
  | 'key_store_unavailable'
  | 'invalid_json'
  | 'invalid_request'
  | 'missing_field'
  | 'unknown_field'
  | 'wrong_type'
  | 'invalid_value'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'upstream_error'
  | 'upstream_unavailable'
  | 'upstream_timeout'
  | 'invalid_address'
  | 'invalid_amount'
  | 'invalid_memo'
  | 'memo_too_long'
  | 'memo_too_costly'
  | 'memo_holds_api_key'
  | 'amount_and_amount_decimal'
  | 'key_not_allowed'
  | 'daily_limit_reached'
  | 'sponsor_not_configured'
  | 'sponsor_refused'
  | 'sponsor_fee_too_high'
  | 'sponsor_error'
  | 'sponsor_unavailable'
  | 'sponsor_timeout'
  | 'idempotency_in_progress'
  | 'invalid_idempotency_key'
  | 'idempotency_key_reused'
  | 'reply_quota_reached'
  | 'idempotency_unavailable'
  | 'mint_not_found'
  | 'not_a_mint'
  | 'mint_too_large'
  | 'amount_not_representable'
  | 'mint_paused'
  | 'mint_non_transferable'
  | 'recipient_token_account_not_owned'
  | 'recipient_token_account_frozen'
  | 'recipient_refuses_public_credits'
  | 'new_token_account_would_be_frozen'
  | 'recipient_requires_memo'
  | 'recipient_is_token_account'
  | 'recipient_is_mint'
  | 'recipient_is_program'
  | 'recipient_multisig_of_other_program'
  | 'recipient_not_a_wallet'
  | 'recipient_off_curve'
  | 'recipient_is_reserved'
  | 'recipient_below_rent_minimum'
  | 'transfer_hook_unresolvable'
  | 'transaction_too_costly'
  | 'transaction_too_large'
  | 'nothing_received'
  | 'same_wallet'
  | 'sender_off_curve'
  | 'sender_not_a_wallet'
  | 'sender_token_account_not_found'
  | 'sender_token_account_not_owned'
  | 'sender_token_account_frozen'
  | 'insufficient_token_balance'
  | 'insufficient_sol'
  | 'transfer_hook_names_signer'
  | 'simulation_failed'
  | 'memo_and_yid'
  | 'amount_or_amount_decimal_required'
  | 'memo_or_yid_required'
  | 'fee_payer_off_curve'
  | 'lifetime_conflict'
  | 'layout_conflict'
  | 'identical_transaction'
  | 'already_landed'
  | 'previous_may_land'
  | 'fee_payer_not_a_wallet'
  | 'recipient_token_account_not_found'
  | 'nonce_account_not_found'
  | 'not_a_nonce_account'
  | 'nonce_account_not_initialized'
  | 'nonce_authority_not_a_signer'
  | 'tip_account_not_payable'
  | 'blockhash_not_valid'
  | 'priority_fee_too_high'
  | 'layout_not_possible'
  | 'nonce_for_several_transactions'
  | 'invalid_transaction'
  | 'not_a_transfer'
  | 'invalid_block_height'
  | 'transaction_and_transactions'
  | 'transaction_or_transactions_required'
  | 'amount_and_amount_bounds'
  | 'amount_or_amount_bounds_required'
  | 'payment_links_off'
  | 'payment_links_unavailable'
  | 'too_many_open_links'
  | 'amount_out_of_bounds'
  | 'route_not_found'
  | 'api_key_not_found'
  | 'payment_link_not_found'
  | 'idempotency_key_required'
  | 'webhook_endpoint_not_found'
  | 'event_not_found'
  | 'method_not_allowed'
  | 'payment_link_paid'
  | 'refund_not_possible'
  | 'refund_too_large'
  | 'payment_link_changed'
  | 'sponsored_payment_open'
  | 'payment_link_closed'
  | 'webhooks_unavailable'
  | 'too_many_webhook_endpoints'
  | 'too_many_recipients';

/** ProblemError, as the service writes it. */
export interface ProblemError {
  /** JSON pointer (RFC 6901) to the field; "" is the whole body. */
  pointer: string;
  code: ProblemCode;

  /** What is wrong with the field, and the remedy. */
  detail: string;
}

/** RefusedTransfer, as the service writes it. */
export interface RefusedTransfer {
  /** The index of the transfer in the request. */
  index: number;

  /** Every error, not only the first. Of a request at most 100 are listed; `detail` says how many are not. */
  errors: readonly ProblemError[];
}

/** Split, as the service writes it. */
export interface Split {
  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount: string | bigint;
}

/** SplitSummary, as the service writes it. */
export interface SplitSummary {
  /** Base58 of 32 bytes. */
  recipient: string;
  recipient_token_account: string | null;
  amount: TokenAmount;
  transfer_fee: TokenAmount;
  received_amount: TokenAmount;
  creates_token_account: boolean;
  thaws_token_account: boolean;
  recipient_token_account_delegate: Delegate | null;
  recipient_token_account_close_authority: string | null;
}

/** What the sender pays the sponsor, before all other payments; absent where it takes nothing. */
export interface SponsorFee {
  /** Base58 of 32 bytes. */
  token_mint_address: string;

  /** Base58 of 32 bytes. */
  recipient: string;

  /** Base58 of 32 bytes. */
  recipient_token_account: string;
  amount: TokenAmount;
}

/** Summary, as the service writes it. */
export interface Summary {
  transaction_version: TransactionVersion;

  /** The SHA-256 of the message in base58, as hardware wallets show it before they sign. */
  message_hash: string;

  /** Bytes of the transaction. */
  size: number;

  /** Bytes that the network takes in this version. */
  size_limit: number;

  /** Who must sign, in the order of the signatures. */
  signers: readonly string[];

  /** Base58 of 32 bytes. */
  fee_payer: string;
  token_program: string | null;
  token_symbol: string | null;
  token_name: string | null;
  decimals: number;

  /** Base58 of 32 bytes. */
  sender: string;
  sender_token_account: string | null;

  /** Base58 of 32 bytes. */
  recipient: string;
  recipient_token_account: string | null;
  amount: TokenAmount;
  transfer_fee: TokenAmount;
  received_amount: TokenAmount;

  /** The fee for the signatures, in lamports. */
  network_fee: string;

  /** The priority fee, in lamports. */
  priority_fee: string;

  /** The rent of all created token accounts, in lamports. */
  rent: string;
  tip: PaidTip | null;
  wrap?: Wrap;
  unwrap?: Unwrap;
  creates_token_account: boolean;

  /** Whether the recipient's frozen token account is thawed first. */
  thaws_token_account: boolean;

  /** The payments to others before the one to the recipient, in their order. */
  splits: readonly SplitSummary[];
  compute_unit_limit: number | null;
  compute_units_consumed: number | null;
  blockhash: string | null;
  last_valid_block_height: string | null;
  nonce: Nonce | null;
  recipient_requires_memo: boolean;
  memo: string | null;

  /** Read-only accounts by which the payment can be found. */
  references: readonly string[];

  /** The program that the mint calls on the transfer; null if it calls none. */
  transfer_hook: TransferHook | null;
  sender_token_account_delegate: Delegate | null;
  sender_token_account_close_authority: string | null;
  recipient_token_account_delegate: Delegate | null;
  recipient_token_account_close_authority: string | null;
  sponsor_fee?: SponsorFee;

  /** What the payer or the recipient should know although the transfer lands: the most costly first, notes last. */
  warnings: readonly Warning[];
}

/** SOL that the fee payer pays in the last instruction, for services that send transactions and demand a tip. See `docs/sol.md`. */
export interface Tip {
  /** One of the tip accounts that the sender publishes. */
  account: string;

  /** How much, in lamports. */
  lamports: string | bigint;
}

/** The exact base units, and the same amount in tokens as a decimal number. */
export interface TokenAmount {
  base_units: string;
  decimal: string;

  /** What wallets show for it now, of a mint that multiplies amounts or adds interest; absent where they show `decimal`. For display only. */
  ui_amount?: string;
}

/** A token, and `amount` or `amount_decimal` of it. */
export interface TokenToAccept {
  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and `amount_decimal` in SOL. */
  token_mint_address: string;

  /** How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point than the mint has decimals are refused. */
  amount_decimal?: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount?: string | bigint;
}

/** Takes exactly one of `memo` and `yid`. */
export interface TokenTransferRequest {
  /** The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it also pays the network fee, and the rent of a created token account. */
  from_address: string;

  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. */
  token_mint_address: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. */
  amount: string | bigint;

  /** Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction (916 bytes of UTF-8; 3,767 in version 1). */
  memo?: string;

  /** An identifier, written on chain as the memo. On `/v1/token-transfer-memo-hash` it selects the reply with the transaction alone. */
  yid?: string;

  /** A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the sender signs second, and needs no SOL. */
  fee_payer?: string;

  /** The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent prices for the same accounts, at most 1,000,000 lamports a transaction; or micro-lamports per compute unit in decimal digits. It also sets a compute limit, with room for the guard instructions that wallets insert. Default: "none". */
  priority_fee?: string | bigint;

  /** A durable nonce account, whose nonce replaces the blockhash. Its authority signs, too: the sender, the fee payer, or any other wallet. For approvals that take longer than a blockhash lives. */
  nonce_account?: string;

  /** The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet. Default: "legacy". */
  transaction_version?: 'legacy' | 0 | 1;

  /** Pay an address that no key can sign for, such as a vault, even if it has no token account yet. Default: false. */
  allow_off_curve_recipient?: boolean;

  /** "none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they are funded. What decides who receives the money, and what could never land, is still refused. Fund the fee payer before you submit the transaction. Default: "full". */
  checks?: 'full' | 'none';

  /** Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay. */
  references?: readonly string[];

  /** Simulate the transaction on the Solana node first. If that fails, the refusal `simulation_failed` has the instruction, the reason and the `logs`. Default: false. */
  simulate?: boolean;

  /** How the reply encodes the transaction: an array of integers, or one string. Default: "array". */
  encoding?: 'array' | 'base64' | 'base58';

  /** Add to the reply a `summary` of what the transaction will do. Default: false. */
  summary?: boolean;
}

/** TransactionVersion, as the service writes it. */
export type TransactionVersion = 'legacy' | 0 | 1;

/** TransferData, as the service writes it. */
export interface TransferData {
  /** The serialized transaction in base64, with 64 zero bytes for each missing signature: all of them, but that of a sponsor. */
  transaction: string;
  transaction_version: 'legacy' | 0 | 1;
  lifetime: Lifetime;

  /** Who must sign, in the order of the signatures. */
  signers: readonly string[];
  multisig_import?: MultisigImport;
  metadata?: Metadata;
  summary: Summary;
}

/** TransferHook, as the service writes it. */
export interface TransferHook {
  /** Base58 of 32 bytes. */
  program: string;

  /** The accounts that the program may write. */
  writable_accounts: readonly string[];
}

/** TransferOutcome, as the service writes it. */
export interface TransferOutcome {
  /** `landed`: it paid. `failed`: it is on chain and moved nothing. `pending`: it can still land. `expired`: it never landed and never can. `unknown`: not known now. */
  outcome: 'landed' | 'failed' | 'pending' | 'expired' | 'unknown';

  /** Whether the outcome can no longer change: `expired` always, `landed` and `failed` once finalized. */
  is_final: boolean;

  /** Why, with the numbers and what to do, in sentences. */
  reason: string;

  /**
   * The stable code of the reason of `pending` and `unknown`; more may be added.
   *
   * - `lifetime`: It can land until `last_valid_block_height`.
   * - `nonce_unused`: It can land for as long as its nonce is unused, even in a year.
   * - `nonce_used_not_final`: Another transaction has used its nonce, too recently to be certain.
   * - `blockhash_alive`: Its blockhash is still valid, and the `last_valid_block_height` of the request is missing or does not fit it.
   * - `failed_but_alive`: It failed, but the bytes that you sent have no signature: a wallet can sign them again.
   * - `not_final`: It is in a block that is not confirmed yet, or that too few nodes show.
   * - `last_valid_block_height_missing`: It was not found, and without `last_valid_block_height` nothing tells when it can no longer land.
   * - `history_pruned`: It was not found, and the node no longer has all blocks of its lifetime.
   * - `history_not_available`: It was not found, and the node keeps no history, or one that contradicts itself.
   * - `too_many_transactions`: It was not found, and its token accounts have too many transactions in its lifetime.
   * - `too_few_nodes`: It was not found, and too few nodes could say so.
   * - `nodes_disagree`: Some nodes show it on chain, and others do not.
   * - `similar_payment`: A payment is on chain that may be this one. `similar` lists the signatures.
   */
  reason_code?:
    | 'lifetime'
    | 'nonce_unused'
    | 'nonce_used_not_final'
    | 'blockhash_alive'
    | 'failed_but_alive'
    | 'not_final'
    | 'last_valid_block_height_missing'
    | 'history_pruned'
    | 'history_not_available'
    | 'too_many_transactions'
    | 'too_few_nodes'
    | 'nodes_disagree'
    | 'similar_payment';

  /** The transaction on chain, in base58. Of `landed` and `failed`. */
  signature?: string;

  /** How it was found: by its signature, by the same message, or by what it pays, where a wallet has changed it. Of `landed` and `failed`. */
  matched_by?: 'signature' | 'message' | 'content';

  /** Its slot. Of `landed` and `failed`. */
  slot?: string;

  /** Seconds since 1970 at its block; null where the node does not say. Of `landed` and `failed`. */
  block_time?: number | null;

  /** How certain its block is. Of `landed` and `failed`. */
  commitment?: 'confirmed' | 'finalized';

  /** What its fee payer paid, priority included, in lamports. Of `landed` and `failed`. */
  network_fee?: string;

  /** What it paid, in the order of its transfers. Of `landed`. */
  payments?: readonly OutcomePayment[];

  /** All transactions that make exactly this payment, oldest first, if it is not known which of them it is. */
  ambiguous?: readonly string[];

  /** Equal payments on chain that may be this one. Of `pending` and `unknown`. */
  similar?: readonly string[];

  /** The finalized block height at the time. Of `pending`, `expired` and mostly `unknown`. */
  block_height?: string;

  /** The height of the last block in which it can be: one more than was sent, and 151 more for a transaction without signatures, because wallets replace its blockhash. Of `pending` and `expired`. */
  last_valid_block_height?: string;

  /** The transaction that used its nonce, in base58. Of `expired`, with a nonce. */
  nonce_used_by?: string;
}

/** Takes exactly one of `amount_decimal`, `amount`, `amount_received_decimal` and `amount_received`. */
export interface TransferRequest {
  /** The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it also pays the network fee, and the rent of a created token account. */
  from_address: string;

  /** The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself. */
  to_address: string;

  /** The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and `amount_decimal` in SOL. */
  token_mint_address: string;

  /** How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point than the mint has decimals are refused. */
  amount_decimal?: string;

  /** How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal digits from 1 to 18446744073709551615. Or "max": all that the sender has in its token account, or all its SOL, less what the transaction costs and pays to others. Under an `Idempotency-Key` it stays what it was first. */
  amount?: string | bigint;

  /** Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction (916 bytes of UTF-8; 3,767 in version 1). */
  memo?: string;

  /** Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay. */
  references?: readonly string[];

  /** A wallet that pays the network fee and the rent of a created token account instead of the sender. It signs first; the sender signs second, and needs no SOL. "sponsor": the sponsor of this service, which has signed the transaction in the reply. */
  fee_payer?: string;

  /** The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent prices for the same accounts, at most 1,000,000 lamports a transaction; or micro-lamports per compute unit in decimal digits. It also sets a compute limit, with room for the guard instructions that wallets insert. Default: "none". */
  priority_fee?: string | bigint;

  /** The token that a sponsor is paid in, by one more payment of the sender; by default the token that is sent. Counts only with `fee_payer` "sponsor". */
  sponsor_fee_token_mint_address?: string;

  /** The most that a sponsor may take of the sender for this request, in base units of the token that it is paid in. A sponsor that asks for more is not used. Counts only with `fee_payer` "sponsor". Default: "0". */
  max_sponsor_fee?: string | bigint;

  /** When to create a recipient's token account: where it is missing, always (without effect where it exists), or never. Unless "never", a frozen account of a Token ACL mint is also thawed, except in a batch. Default: "if_missing". */
  create_token_account?: 'if_missing' | 'always' | 'never';
  metadata?: Metadata;

  /** The same in whole tokens, as exact decimal text ("1.5"). */
  amount_received_decimal?: string;

  /** How much must arrive, in base units, instead of `amount`: of a mint with a transfer fee as much more is sent as it withholds now. */
  amount_received?: string | bigint;

  /** Up to 5 more payments of the same mint in the same transaction, before the main one: a platform's fee, a partner's share. `amount` is in base units. The sender pays all of them or none. A recipient whose token account requires memos cannot get a split. */
  splits?: readonly Split[];
  tip?: Tip;

  /** Of wrapped SOL: first wrap as much SOL of the sender as its token account lacks, and create that where it is missing. Not with `amount` "max", nor with `fee_payer` "sponsor". Default: false. */
  wrap?: boolean;

  /** Of wrapped SOL: close the sender's token account after the payments, so that all that is left in it comes back as SOL. Default: false. */
  unwrap?: boolean;

  /** The order of the instructions. "x402" is what facilitators of the x402 scheme "exact" accept: compute limit, price, transfer, memo. "mpp" is what servers of the Machine Payments Protocol accept for a charge. "x402" needs `fee_payer` (the facilitator), adds a memo of 16 random bytes in hex if there is none, and excludes a created token account, `splits`, `nonce_account`, version 1 and a transfer hook. "mpp" creates token accounts of splits only, and excludes `nonce_account` and version 1. Default: "default". */
  layout?: 'default' | 'x402' | 'mpp';

  /** The blockhash that the transaction is to have, such as `extra.recentBlockhash` of an x402 answer. Refused unless the Solana node still accepts transactions with it. Not together with `nonce_account`. */
  recent_blockhash?: string;

  /** The last block height at which `recent_blockhash` is valid, in decimal digits, such as `extra.lastValidBlockHeight` of an x402 answer. Refused if that cannot be. It is returned in `lifetime`, and is not part of the transaction. */
  last_valid_block_height?: string | bigint;

  /** The sender may be a multisig's vault, for which no key signs. The transaction is then for import into a proposal of the multisig: see `docs/vaults.md`. Of the other options it takes `splits`, `memo`, `references`, `checks`, and when to create token accounts. Default: false. */
  allow_off_curve_sender?: boolean;

  /** Simulate the transaction on the Solana node first. If that fails, the refusal `simulation_failed` has the instruction, the reason and the `logs`. Default: false. */
  simulate?: boolean;

  /** A durable nonce account, whose nonce replaces the blockhash. Its authority signs, too: the sender, the fee payer, or any other wallet. For approvals that take longer than a blockhash lives. */
  nonce_account?: string;

  /** The format of the message. Version 1 holds 4,096 bytes, the others 1,232; few wallets support it yet. Default: "legacy". */
  transaction_version?: 'legacy' | 0 | 1;

  /** Pay an address that no key can sign for, such as a vault, even if it has no token account yet. Default: false. */
  allow_off_curve_recipient?: boolean;

  /** "none" skips the checks of what can change, such as balances and frozen accounts, for payments prepared before they are funded. What decides who receives the money, and what could never land, is still refused. Fund the fee payer before you submit the transaction. Default: "full". */
  checks?: 'full' | 'none';
}

/** What the sender gets as SOL when its token account is closed at the end; absent where it is not. */
export interface Unwrap {
  /** What comes back, rent included, in lamports. */
  lamports: string;
}

/** Warning, as the service writes it. */
export interface Warning {
  code: WarningCode;

  /** `note` for what is so with many tokens, such as an issuer that can freeze accounts. Show it apart. */
  level: 'warning' | 'note';
  detail: string;
}

/**
 * The stable code of a warning, to switch on; more may be added.
 *
 * - `for_import_into_multisig`: It is for import into a multisig: no key signs it, and its lifetime does not matter.
 * - `recipient_never_used`: A recipient has neither an account nor a token account on chain: the wallet is new, or the address is wrong. If it is off the curve, the detail says first that no key exists for it.
 * - `transfer_fee`: The mint withholds part of the amount.
 * - `scheduled_transfer_fee`: The mint withholds more or less of such a transfer from a later epoch on.
 * - `recipient_delegate`: A delegate may send tokens, including this payment, from the recipient's token account.
 * - `recipient_close_authority`: The close authority may take all wrapped SOL, including this payment, out of the recipient's token account.
 * - `permanent_delegate`: The permanent delegate of the mint can move or burn its tokens in any account.
 * - `transfer_hook`: The mint calls a program on this transfer; the detail names the accounts that it may write.
 * - `token_account_thawed`: The transaction thaws a frozen token account; the detail names the gate program that may still refuse.
 * - `unknown_extension`: The mint has extensions newer than this service.
 * - `sender_is_delegate`: The tokens are not the sender's own: their owner, or the mint, lets the sender send them.
 * - `sender_delegate`: A delegate may send from the sender's token account before this transfer lands.
 * - `sender_close_authority`: The close authority may take all wrapped SOL out of the sender's token account.
 * - `repeated_recipient`: The batch pays a recipient more than once.
 * - `scaled_ui_amount`: Wallets may show a multiplied amount.
 * - `interest_bearing`: Wallets may show a different amount, which grows with time.
 * - `durable_nonce`: The transaction can land long after the checked accounts have changed.
 * - `facilitator_compute_limit`: Hosted x402 facilitators may refuse the compute limit that the memo needs.
 * - `memo_control_characters`: The memo has control characters or line breaks.
 * - `memo_direction_characters`: The memo has characters that change the direction of text, so it may display differently.
 * - `memo_invisible_characters`: The memo has invisible characters, so memos that look alike may differ.
 * - `mutable_transfer_fee`: The issuer can change, from a later epoch on, how much the mint withholds.
 * - `mutable_transfer_hook`: The issuer can set another program to be called on each transfer.
 * - `freeze_authority`: The issuer can freeze any account of this mint.
 * - `mint_can_be_paused`: The issuer can pause all transfers of this mint.
 * - `mint_can_be_closed`: The mint can be closed once it has no tokens.
 * - `durable_nonces_will_be_removed`: Solana intends to remove durable nonces; no date is set.
 * - `amount_is_max`: The amount "max": what it comes to, and what is left.
 */
export type WarningCode =
  | 'for_import_into_multisig'
  | 'recipient_never_used'
  | 'transfer_fee'
  | 'scheduled_transfer_fee'
  | 'recipient_delegate'
  | 'recipient_close_authority'
  | 'permanent_delegate'
  | 'transfer_hook'
  | 'token_account_thawed'
  | 'unknown_extension'
  | 'sender_is_delegate'
  | 'sender_delegate'
  | 'sender_close_authority'
  | 'repeated_recipient'
  | 'scaled_ui_amount'
  | 'interest_bearing'
  | 'durable_nonce'
  | 'facilitator_compute_limit'
  | 'memo_control_characters'
  | 'memo_direction_characters'
  | 'memo_invisible_characters'
  | 'mutable_transfer_fee'
  | 'mutable_transfer_hook'
  | 'freeze_authority'
  | 'mint_can_be_paused'
  | 'mint_can_be_closed'
  | 'durable_nonces_will_be_removed'
  | 'amount_is_max';

/** WebhookAttempt, as the service writes it. */
export interface WebhookAttempt {
  /** When it began. */
  at: string;

  /** The HTTP status of the answer; null where there was none. */
  status: number | null;

  /** Why there was no answer. */
  error: string | null;

  /** How long it took. */
  milliseconds: number;
}

/** WebhookEndpoint, as the service writes it. */
export interface WebhookEndpoint {
  /** Its id. */
  id: string;

  /** Where events are posted. */
  url: string;

  /** The types of events that it gets; null for all. */
  events: readonly string[] | null;

  /** What its owner wrote about it. */
  description: string | null;

  /** When it was made. */
  created_at: string;

  /** Since when no attempt succeeds; null where the last one did. */
  failing_since: string | null;

  /** When it was disabled: nothing is sent since. */
  disabled_at: string | null;

  /** Why it was disabled. */
  disabled_reason: string | null;
}

/** SOL that the sender wraps first; absent where none. */
export interface Wrap {
  /** What is wrapped, in lamports. */
  lamports: string;

  /** The rent of the sender's token account, if it is created, in lamports. */
  rent: string;
}
