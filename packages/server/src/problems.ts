import { type FindingCode, findingCodes } from 'splwright-core';

/** Routes with refusals in common: all routes, those that need a key, of these what builds transfers, finds outcomes or makes links; what pays a link. */
export type RouteGroup = 'every' | 'keyed' | 'transfer' | 'outcome' | 'link' | 'payment';

/** An answer other than success: one row for each stable code. */
export interface Problem {
  /** HTTP status. Field faults carry the status of the `invalid_request` that reports them. */
  status: number;
  /** A short sentence, the same for every occurrence. */
  title: string;
  /** Its meaning and the way out, for the page of the problem. */
  remedy: string;
  /** For a refusal of what could land on chain: why it is refused all the same. */
  safety?: string;
}

// The rows by the routes that can answer them.

const ofEveryRoute = {
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    remedy: 'Send the whole request promptly, and try again.',
  },
  malformed_http: {
    status: 400,
    title: 'The request is not valid HTTP',
    remedy: 'Check the request line, the headers, and that `Content-Length` is the length of the body.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    remedy: 'Send fewer or shorter headers.',
  },
} as const satisfies Record<string, Problem>;

const ofKeyedRoutes = {
  api_key_missing: {
    status: 401,
    title: 'No API key was sent',
    remedy:
      'Send the header `Authorization: Bearer <API key>`. Operators create keys: `npm run keys -- create --name NAME`.',
  },
  api_key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    remedy: 'Check the key, or use a new one. It is unknown, revoked or expired.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    remedy:
      'Wait `Retry-After` seconds. The `RateLimit` header says how many requests are left (`r`) and for how many seconds (`t`).',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    remedy: 'Try again. If it happens again, give the operator the `request_id`.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    remedy: 'Try again after `Retry-After` seconds, at a lower rate.',
  },
  key_store_unavailable: {
    status: 503,
    title: 'API keys cannot be checked now',
    remedy: 'Try again after `Retry-After` seconds. The key may be valid.',
  },
} as const satisfies Record<string, Problem>;

const ofBodies = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    remedy: 'Send one JSON object, in UTF-8, with each field once.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is invalid',
    remedy: 'Fix every error in `errors`; each has a JSON pointer and a code of its own.',
  },
  missing_field: {
    status: 400,
    title: 'A required field is missing',
    remedy: 'Add the field that the detail names.',
  },
  unknown_field: {
    status: 400,
    title: 'A field is unknown',
    remedy: 'Remove or rename the field: a misspelled field must never move money.',
  },
  wrong_type: {
    status: 400,
    title: 'A value has the wrong JSON type',
    remedy:
      'Send the JSON type that the detail names. Amounts are strings: a JSON number cannot hold every 64-bit amount exactly.',
  },
  invalid_value: {
    status: 400,
    title: 'A value is not one of those allowed',
    remedy: 'Send one of the values that the detail lists.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    remedy: 'Send a smaller body. The detail says how many bytes the service accepts.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not declared as JSON',
    remedy: 'Send the header `Content-Type: application/json`, in UTF-8 and without a content encoding.',
  },
  upstream_error: {
    status: 502,
    title: 'The Solana node gave an invalid answer',
    remedy: 'Try again. If it happens again, give the operator the `request_id`.',
  },
  upstream_unavailable: {
    status: 503,
    title: 'The Solana node cannot be reached or is not healthy',
    remedy: 'Try again after `Retry-After` seconds.',
  },
  upstream_timeout: {
    status: 504,
    title: 'The Solana node did not answer in time',
    remedy: 'Try again.',
  },
} as const satisfies Record<string, Problem>;

const ofTransfersAndLinks = {
  invalid_address: {
    status: 400,
    title: 'A value is not a Solana address',
    remedy: 'Send the base58 text of 32 bytes: 32 to 44 characters, without 0, O, I and l.',
  },
  invalid_amount: {
    status: 400,
    title: 'The amount is not a number of base units',
    remedy:
      'Send base units as a string of digits, 1 to 18446744073709551615: with 6 decimals "1500000" is 1.5 tokens.',
  },
  invalid_memo: {
    status: 400,
    title: 'The memo is not valid text',
    remedy: 'Send at least one character of valid Unicode, without lone surrogates.',
  },
  memo_too_long: {
    status: 400,
    title: 'The memo does not fit the transaction',
    remedy:
      'Shorten the memo: the detail says how many bytes fit. A transaction holds 1,232 bytes, or 4,096 with `transaction_version` 1.',
  },
  memo_too_costly: {
    status: 400,
    title: 'The memo costs more to run than a transaction may spend',
    remedy:
      'Use fewer characters outside the Latin alphabets: the classic Memo program spends up to 20,000 compute units on one, and a transaction may spend 1,400,000.',
    safety: 'It would land under the newer Memo program, and might just fit under the classic one.',
  },
  memo_holds_api_key: {
    status: 400,
    title: 'The memo has an API key in it',
    remedy: 'Send another memo: everyone can read it on chain forever. If the key was ever sent in a memo, rotate it.',
    safety: 'It would land, and publish the key.',
  },
  amount_and_amount_decimal: {
    status: 400,
    title: 'Several amounts are present',
    remedy:
      'Send one: `amount` in base units, or `amount_decimal` in whole tokens; `/v1/transfers` also takes `amount_received` and `amount_received_decimal`.',
  },
  key_not_allowed: {
    status: 403,
    title: 'The API key is not allowed to do this',
    remedy: 'Use another key, or ask the operator to allow what the detail names: `npm run keys -- update`.',
  },
  daily_limit_reached: {
    status: 403,
    title: 'The API key has reached its daily limit',
    remedy:
      'The detail says how much is left until 00:00 UTC. Send less, wait, or ask the operator to raise the `--daily-limit` of the key, or its `--sponsored-lamports-per-day`.',
  },
  sponsor_not_configured: {
    status: 422,
    title: 'The service has no sponsor',
    remedy: 'Name a wallet of yours as the `fee_payer`, or ask the operator to set `SPONSOR_URL`.',
    safety: 'With another fee payer it could land.',
  },
  sponsor_refused: {
    status: 422,
    title: 'The sponsor does not sign this transaction',
    remedy: 'The detail says by which rule, and what to change or what the operator of the sponsor would set.',
    safety: 'With another fee payer it could land.',
  },
  sponsor_fee_too_high: {
    status: 422,
    title: 'The sponsor asks for more than `max_sponsor_fee`',
    remedy:
      'The detail has both numbers. Send a higher `max_sponsor_fee`, in base units of the token that the fee is paid in.',
    safety: 'It could land, for more than you allow.',
  },
  sponsor_error: {
    status: 502,
    title: 'The sponsor gave an answer that must not be used',
    remedy:
      'Nothing was handed out. Tell the operator, with the `request_id`: a sponsor must add its signature and change nothing.',
  },
  sponsor_unavailable: {
    status: 503,
    title: 'The sponsor cannot sign now',
    remedy: 'Try again after `Retry-After` seconds, or name a wallet of yours as the `fee_payer`.',
  },
  sponsor_timeout: {
    status: 504,
    title: 'The sponsor did not answer in time',
    remedy: 'Try again.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Another request with this `Idempotency-Key` is being answered',
    remedy: 'Repeat the request after `Retry-After` seconds: it then gets that reply.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The `Idempotency-Key` header is not valid',
    remedy: 'Send one header of 1 to 255 visible ASCII characters without spaces, such as a UUID, and never a secret.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The `Idempotency-Key` belongs to a request with another body',
    remedy: 'To retry, send the same JSON body. For another payment send another `Idempotency-Key`.',
  },
  reply_quota_reached: {
    status: 507,
    title: 'The API key has reached its limit of stored replies',
    remedy:
      'Wait until older replies are deleted, or send without an `Idempotency-Key`. Retries of stored requests still work.',
  },
  idempotency_unavailable: {
    status: 503,
    title: 'The `Idempotency-Key` cannot be looked up now',
    remedy: 'Repeat the request after `Retry-After` seconds. No transaction was handed out.',
  },
} as const satisfies Record<string, Problem>;

const ofTokensAndRecipients = {
  mint_not_found: {
    status: 422,
    title: 'The mint does not exist',
    remedy: 'Check `token_mint_address`, and that the service reads the cluster of this mint.',
  },
  not_a_mint: {
    status: 422,
    title: 'The address is not a token mint',
    remedy: 'Send the address of a mint of SPL Token or Token-2022, not of a wallet or token account.',
  },
  mint_too_large: {
    status: 422,
    title: 'The mint holds more data than this service reads',
    remedy: 'Use another token, or ask its issuer to shorten its metadata. No mint in use holds more than 512 KiB.',
    safety: 'The transfer might land, under rules of the mint that were not read.',
  },
  amount_not_representable: {
    status: 422,
    title: 'The amount has no exact base units in this mint',
    remedy: 'Send no more digits after the point than the mint has decimals, or `amount` in base units.',
  },
  mint_paused: {
    status: 422,
    title: 'The mint is paused',
    remedy: 'Try again after the issuer of the token resumes transfers.',
  },
  mint_non_transferable: {
    status: 422,
    title: 'Tokens of this mint cannot be transferred',
    remedy: 'Use another token: the mint forbids every transfer.',
  },
  recipient_token_account_not_owned: {
    status: 422,
    title: "The recipient's associated token account has another owner",
    remedy:
      'The account has another owner now, or is not a token account of this mint. Ask the recipient for another wallet.',
    safety: 'The transfer would land and pay another wallet.',
  },
  recipient_token_account_frozen: {
    status: 422,
    title: "The recipient's token account is frozen",
    remedy: 'Ask the issuer of the token to thaw it, or ask the recipient for another wallet.',
  },
  recipient_refuses_public_credits: {
    status: 422,
    title: "The recipient's token account takes confidential transfers only",
    remedy: 'Ask the recipient to allow public (non-confidential) credits.',
  },
  new_token_account_would_be_frozen: {
    status: 422,
    title: 'A new token account of this mint would be frozen',
    remedy: 'Have the recipient create it, and the issuer thaw it, first.',
  },
  recipient_requires_memo: {
    status: 422,
    title: 'The recipient requires a memo',
    remedy: 'Add a `memo` or `yid` to the request.',
  },
  recipient_is_token_account: {
    status: 422,
    title: 'The recipient is a token account, not a wallet',
    remedy: 'Send the address of the wallet that owns it.',
    safety: 'Tokens sent to a token account of it could not be recovered.',
  },
  recipient_is_mint: {
    status: 422,
    title: 'The recipient is a token mint, not a wallet',
    remedy: 'Send the address of a wallet.',
    safety: 'The tokens would be lost.',
  },
  recipient_is_program: {
    status: 422,
    title: 'The recipient is a program, not a wallet',
    remedy: 'Send the address of a wallet.',
    safety: 'The tokens would be lost.',
  },
  recipient_multisig_of_other_program: {
    status: 422,
    title: 'The recipient is a multisig of the other token program',
    remedy: 'Send the address of a wallet, or of a multisig of the token program of this mint.',
    safety: 'A token program accepts only its own multisigs: the tokens could not be sent on.',
  },
  recipient_not_a_wallet: {
    status: 422,
    title: 'The recipient is an account of a program, not a wallet',
    remedy: 'Send the address of a wallet. If this account should hold the token, create its token account first.',
    safety: 'The program may have no way to send the tokens on.',
  },
  recipient_off_curve: {
    status: 422,
    title: 'The recipient is an address that no key can sign for',
    remedy: 'Send the address of a wallet. To pay a vault of a program on purpose, send `allow_off_curve_recipient`.',
    safety: 'It may be a token account that does not exist yet, or a vault that cannot send this token on.',
  },
  recipient_is_reserved: {
    status: 422,
    title: 'The recipient is a reserved address',
    remedy: 'Send the address of a wallet.',
    safety:
      'Programs and sysvars have such addresses, and what the incinerator gets is destroyed: no key can send the SOL on.',
  },
  recipient_below_rent_minimum: {
    status: 422,
    title: 'The recipient would hold less than the rent-exempt minimum',
    remedy:
      'Send at least what the account lacks: the first payment to a new wallet must come to the rent-exempt minimum.',
  },
  transfer_hook_unresolvable: {
    status: 422,
    title: "The mint's transfer hook cannot be satisfied",
    remedy:
      'The hook program, its account list, another account or a signature is missing. Ask the issuer of the token.',
    safety: 'A hook program without an account list might still run.',
  },
  transaction_too_costly: {
    status: 422,
    title: 'The transaction would cost more compute units than the network allows',
    remedy: 'Shorten the memo, or send fewer splits: a transaction may spend 1,400,000 compute units.',
    safety: 'It would land under the newer Memo program, and might just fit under the classic one.',
  },
  transaction_too_large: {
    status: 422,
    title: 'The transaction would be larger than the network accepts',
    remedy:
      'Shorten the memo, send fewer references or splits, or use `transaction_version` 1, which holds 4,096 bytes instead of 1,232.',
  },
  nothing_received: {
    status: 422,
    title: 'The recipient would receive nothing',
    remedy: "The mint's transfer fee takes all of the amount. Ask for more, or for another token.",
    safety: 'The payment would land, and nothing would arrive.',
  },
} as const satisfies Record<string, Problem>;

const ofSenders = {
  same_wallet: {
    status: 400,
    title: 'Sender and recipient are the same wallet',
    remedy: 'Send to another wallet.',
    safety: 'A transfer from a wallet to itself lands, moves nothing and costs the fee.',
  },
  sender_off_curve: {
    status: 400,
    title: 'The sender cannot sign',
    remedy:
      "Use the address of a wallet: one off the Ed25519 curve, such as a program-derived address, has no private key. For a multisig's vault, send `allow_off_curve_sender` to `/v1/transfers`.",
  },
  sender_not_a_wallet: {
    status: 422,
    title: 'The sender is not a wallet',
    remedy: 'Use a wallet: an account of the System program without data. Nothing else can pay the network fee.',
    safety: 'A durable nonce account could pay, but its SOL is not meant for fees.',
  },
  sender_token_account_not_found: {
    status: 422,
    title: 'The sender has no token account for this mint',
    remedy: 'The sender must first receive some of this token at its associated token account.',
  },
  sender_token_account_not_owned: {
    status: 422,
    title: "The sender's associated token account has another owner",
    remedy: 'The account has another owner now, or is not a token account of this mint. Send from another wallet.',
  },
  sender_token_account_frozen: {
    status: 422,
    title: "The sender's token account is frozen",
    remedy: 'Ask the issuer of the token to thaw it, or send from another wallet.',
  },
  insufficient_token_balance: {
    status: 422,
    title: 'The sender has too few tokens',
    remedy: 'Send a smaller amount, or fund the sender first. Amounts are in base units.',
  },
  insufficient_sol: {
    status: 422,
    title: 'The fee payer has too little SOL',
    remedy:
      'Fund the wallet. It pays the network fee and the rent of a created account; what remains must be zero or at least the rent-exempt minimum.',
    safety: 'Some runtimes let a wallet pay that already holds less than the minimum.',
  },
  transfer_hook_names_signer: {
    status: 422,
    title: "The mint's transfer hook would be handed an account that signs the transaction",
    remedy:
      'The hook could act with the signature of the fee payer or the sender. Leave the account out of `references`, or ask the issuer of the token.',
    safety: 'It lands where Token-2022 passes no signature on to the hook, which older versions did.',
  },
  simulation_failed: {
    status: 422,
    title: 'The simulation failed',
    remedy: 'The detail says which instruction failed and why; `logs` has the logs of the programs.',
  },
} as const satisfies Record<string, Problem>;

const ofTransfers = {
  memo_and_yid: {
    status: 400,
    title: '`memo` and `yid` are both present',
    remedy: 'Send `memo` or `yid`, not both. With `memo` the reply includes the blockhash; with `yid` it does not.',
  },
  amount_or_amount_decimal_required: {
    status: 400,
    title: 'No amount is present',
    remedy:
      'Send one: `amount` in base units, or `amount_decimal` in whole tokens; `/v1/transfers` also takes `amount_received` and `amount_received_decimal`.',
  },
  memo_or_yid_required: {
    status: 400,
    title: 'Neither `memo` nor `yid` is present',
    remedy: 'Send `memo` or `yid`, not both. With `memo` the reply includes the blockhash; with `yid` it does not.',
  },
  fee_payer_off_curve: {
    status: 400,
    title: 'The fee payer cannot sign',
    remedy:
      'Use the address of a wallet: one off the Ed25519 curve, such as a program-derived address, has no private key.',
  },
  lifetime_conflict: {
    status: 400,
    title: 'Two fields set the validity of the transaction',
    remedy: 'Send `recent_blockhash`, with `last_valid_block_height` or without, or `nonce_account`, or none of them.',
  },
  layout_conflict: {
    status: 400,
    title: 'The layout conflicts with another field',
    remedy:
      'With the layout "x402", send as `fee_payer` the facilitator that the 402 answer names, and no `nonce_account`, `splits`, `transaction_version` 1 or `create_token_account` "always"; with "mpp", no `nonce_account` and no `transaction_version` 1.',
    safety: 'It could land, but no facilitator of x402, or server of MPP, would accept it.',
  },
  identical_transaction: {
    status: 409,
    title: 'Another request has the same transaction',
    remedy:
      'Repeat the request after `Retry-After` seconds: with a newer blockhash it is a transaction of its own. Give each payment its own memo or reference to avoid this. With the same nonce account, or a `recent_blockhash` that you name, only one can land.',
  },
  already_landed: {
    status: 409,
    title: 'The payment has landed',
    remedy:
      'Do not pay it again: `landed` (of a batch `landed_transactions`) says what landed. For another payment send another `Idempotency-Key`.',
  },
  previous_may_land: {
    status: 409,
    title: 'What was built before may still land',
    remedy:
      'Repeat the request after `Retry-After` seconds. It is built again once the earlier transaction can never land.',
  },
  fee_payer_not_a_wallet: {
    status: 422,
    title: 'The fee payer is not a wallet',
    remedy: 'Use a wallet: an account of the System program without data. Nothing else can pay the network fee.',
    safety: 'A durable nonce account could pay, but its SOL is not meant for fees.',
  },
  recipient_token_account_not_found: {
    status: 422,
    title: 'The recipient has no token account for this mint',
    remedy:
      'Use `/v1/create-token-account-transfer`, or `/v1/transfers` without `create_token_account` "never", which create it; the fee payer pays its rent. A layout cannot: have the recipient create it first.',
  },
  nonce_account_not_found: {
    status: 422,
    title: 'The nonce account does not exist',
    remedy: 'Create and initialize a nonce account first, or leave `nonce_account` out.',
  },
  not_a_nonce_account: {
    status: 422,
    title: 'The address is not a nonce account',
    remedy: 'Send the address of a durable nonce account.',
  },
  nonce_account_not_initialized: {
    status: 422,
    title: 'The nonce account is not initialized',
    remedy: 'Initialize the nonce account first.',
  },
  nonce_authority_not_a_signer: {
    status: 422,
    title: "The nonce account's authority cannot sign",
    remedy: 'Use a nonce account whose authority is a wallet: it signs, too.',
  },
  tip_account_not_payable: {
    status: 422,
    title: 'The account cannot be tipped',
    remedy: 'Send a tip account of the service that sends your transactions.',
    safety: 'Such an account exists, and is not a program or a token account: a tip sent elsewhere would be lost.',
  },
  blockhash_not_valid: {
    status: 422,
    title: 'The blockhash is not valid',
    remedy:
      'Get a newer blockhash from your source, or leave `recent_blockhash` out: the service then takes the newest one.',
    safety:
      'A node may not know yet what another has just confirmed; and a wrong `last_valid_block_height` harms no transaction.',
  },
  priority_fee_too_high: {
    status: 422,
    title: 'The priority fee is above what this service allows',
    remedy: 'Send a lower price or a level. `priority_fee` is in micro-lamports per compute unit, not in lamports.',
    safety: 'It would land, and pay more than this service allows.',
  },
  layout_not_possible: {
    status: 422,
    title: 'This payment cannot be made in the layout',
    remedy:
      'The layout "x402" allows no transfer hook, and no recipient that requires a memo before each transfer; the layout "mpp" no compute limit above 200,000. Use another token or way of paying, or a shorter memo.',
    safety: 'It could land, but no facilitator of x402, or server of MPP, would accept it.',
  },
  nonce_for_several_transactions: {
    status: 422,
    title: 'A nonce account is good for one transaction',
    remedy: 'Send fewer transfers, so that one transaction holds them, or leave `nonce_account` out.',
    safety: 'Each transaction could land, but only one of them.',
  },
} as const satisfies Record<string, Problem>;

const ofOutcomes = {
  invalid_transaction: {
    status: 400,
    title: 'A value is not a transaction',
    remedy:
      'Send the bytes of a built or signed transaction, as an array of integers, base64 or base58: at most 1,232, or 4,096 in version 1.',
  },
  not_a_transfer: {
    status: 400,
    title: 'The transaction makes no payment that can be looked for',
    remedy:
      'Send a transaction whose payments are all from one wallet in one token: top-level `TransferChecked` of SPL Token or Token-2022, or transfers of SOL. What comes from a vault is found at its recipient, by `GET /v1/incoming`.',
  },
  invalid_block_height: {
    status: 400,
    title: 'The value is not a block height',
    remedy:
      'Send it as it came with the transaction, in the reply or the header `Solana-Last-Valid-Block-Height`: a string of digits.',
  },
  transaction_and_transactions: {
    status: 400,
    title: '`transaction` and `transactions` are both present',
    remedy: 'Send `transaction` to ask for one outcome, or `transactions` to ask for several, not both.',
  },
  transaction_or_transactions_required: {
    status: 400,
    title: 'Neither `transaction` nor `transactions` is present',
    remedy: 'Send `transaction` to ask for one outcome, or `transactions` to ask for several, not both.',
  },
} as const satisfies Record<string, Problem>;

const ofLinks = {
  amount_and_amount_bounds: {
    status: 400,
    title: 'A fixed amount is present with `amount_min` or `amount_max`',
    remedy:
      'Send `amount` or `amount_decimal` for a fixed amount, or `amount_min` with `amount_max` to let the payer choose.',
  },
  amount_or_amount_bounds_required: {
    status: 400,
    title: 'Neither a fixed amount nor both `amount_min` and `amount_max` are present',
    remedy:
      'Send `amount` or `amount_decimal` for a fixed amount, or `amount_min` with `amount_max` to let the payer choose.',
  },
  payment_links_off: {
    status: 501,
    title: 'This service has no payment links',
    remedy: 'The operator can switch them on with `PUBLIC_URL`.',
  },
  payment_links_unavailable: {
    status: 503,
    title: 'Payment links cannot be looked up now',
    remedy: 'Try again after `Retry-After` seconds.',
  },
  too_many_open_links: {
    status: 507,
    title: 'The API key has reached its limit of open payment links',
    remedy: 'Cancel links, let them expire, or make links that expire sooner (`expires_in`). Paid links do not count.',
  },
} as const satisfies Record<string, Problem>;

// Routes that can answer these name them themselves.
const ofOneRoute = {
  amount_out_of_bounds: {
    status: 400,
    title: 'The payment link does not take this amount',
    remedy:
      'Send `amount` in the query, in whole tokens ("1.5"), within the bounds that `GET /pay/{id}` names. Leave it out where the amount is fixed.',
  },
  route_not_found: {
    status: 404,
    title: 'There is nothing at this path',
    remedy: 'See `/openapi.json` for the paths of this service.',
  },
  api_key_not_found: {
    status: 404,
    title: 'There is no API key with this id',
    remedy:
      'Check the id: `GET /v1/admin/keys` lists all keys. Revoked keys cannot be changed, and expired keys cannot be rotated.',
  },
  payment_link_not_found: {
    status: 404,
    title: 'There is no payment link with this id',
    remedy: 'Check the id. Each API key finds only the links that it has made.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'A refund needs an `Idempotency-Key`',
    remedy: 'Send an `Idempotency-Key` of its own for each refund, and the same one in each retry.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    title: 'There is no webhook endpoint with this id',
    remedy: 'Check the id. Each API key finds only the endpoints that it has made.',
  },
  event_not_found: {
    status: 404,
    title: 'There is no event with this id',
    remedy: 'Check the id. Each API key finds only its own events, and those for 30 days.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  payment_link_paid: {
    status: 409,
    title: 'The payment link is paid',
    remedy: 'A paid link cannot be canceled. Read it to see who paid, and how much.',
  },
  refund_not_possible: {
    status: 409,
    title: 'The payment cannot be refunded',
    remedy: 'Do what the detail says: name a payment, or wait until it is final.',
  },
  refund_too_large: {
    status: 409,
    title: 'The refund is more than what is left of the payment',
    remedy: 'Send a smaller `amount`. What other refunds hold is free again once they can no longer land.',
  },
  payment_link_changed: {
    status: 409,
    title: 'The token of the payment link has changed',
    remedy: 'The mint has changed since the link was made, or withholds more now. Make a new link.',
  },
  sponsored_payment_open: {
    status: 409,
    title: 'The payer has another sponsored payment that can still land',
    remedy:
      'A sponsored transaction keeps its deadline in every wallet, so that a payer has one at a time. Sign that one, or ask again after `Retry-After` seconds.',
  },
  payment_link_closed: {
    status: 410,
    title: 'The payment link can no longer be paid',
    remedy:
      'It is paid, expired or canceled, or its API key is revoked, expired or no longer allowed to make it. Ask for a new link.',
  },
  webhooks_unavailable: {
    status: 503,
    title: 'Webhooks cannot be looked up now',
    remedy: 'Try again after `Retry-After` seconds.',
  },
  too_many_webhook_endpoints: {
    status: 507,
    title: 'The API key has reached its limit of webhook endpoints',
    remedy: 'Delete an endpoint that is no longer used.',
  },
  too_many_recipients: {
    status: 507,
    title: 'The API key has reached its limit of watched wallets',
    remedy: 'Stop watching wallets that you no longer need: PUT an empty list.',
  },
} as const satisfies Record<string, Problem>;

/** The table of every problem: codes are stable, never removed and never reused. */
export const problems = {
  ...ofEveryRoute,
  ...ofKeyedRoutes,
  ...ofBodies,
  ...ofTransfersAndLinks,
  ...ofTokensAndRecipients,
  ...ofSenders,
  ...ofTransfers,
  ...ofOutcomes,
  ...ofLinks,
  ...ofOneRoute,
} as const satisfies Record<string, Problem>;

const answeredBy: readonly [routes: readonly RouteGroup[], rows: object][] = [
  [['every'], ofEveryRoute],
  [['keyed'], ofKeyedRoutes],
  [['transfer', 'outcome', 'link'], ofBodies],
  [['transfer', 'link'], ofTransfersAndLinks],
  [['transfer', 'link', 'payment'], ofTokensAndRecipients],
  [['transfer', 'payment'], ofSenders],
  [['transfer'], ofTransfers],
  [['outcome'], ofOutcomes],
  [['link'], ofLinks],
];

/** Returns the groups of routes that can answer a problem. */
export function routesOf(code: string): readonly RouteGroup[] {
  return answeredBy.find(([, rows]) => Object.hasOwn(rows, code))?.[0] ?? [];
}

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problems;

/** Of a 422, what `checks: "none"` makes of it: refused all the same, or left out, since funding or time can change it. */
export function uncheckedOf(code: string): 'refused' | 'funding' | 'time' | undefined {
  if (!isFindingCode(code)) return refusedOutsideCore.has(code) ? 'refused' : undefined;
  const unchecked = findingCodes[code];
  return unchecked === 'request' ? undefined : unchecked;
}

// What a simulation finds, and what is known of an earlier request, is no finding of the core.
const refusedOutsideCore: ReadonlySet<string> = new Set<ProblemCode>([
  ...(['simulation_failed', 'idempotency_key_reused'] as const),
  ...(['sponsor_not_configured', 'sponsor_refused', 'sponsor_fee_too_high'] as const),
]);

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(findingCodes, code);
}

/** One thing that is wrong with a request: what, where in its body, and in which words. */
export interface DescribedFinding {
  code: ProblemCode;
  /** JSON pointer (RFC 6901) into the request body; `""` is the body as a whole. */
  pointer: string;
  /** A sentence that names the thing, the numbers and the remedy. Shown to the caller: never a secret. */
  detail: string;
}

/** A transaction that landed, as a refusal names it. */
export interface LandedTransfer {
  signature: string;
  /** Decimal digits. */
  slot: string;
  /** Seconds since the Unix epoch; `null` where the node does not know it. */
  block_time: number | null;
}

/** The fee of a sponsor, as replies and refusals name it. */
export interface SponsorFeeJson {
  token_mint_address: string;
  recipient: string;
  recipient_token_account: string;
  amount: { base_units: string; decimal: string; ui_amount?: string };
}

/** A transaction of a batch that may still land, or may have. */
export interface PendingBatchTransaction {
  /** In base64; absent where these bytes cannot land any more, or are on their way. */
  transaction?: string;
  message_hash: string;
  /** The transfers that it makes, by their indices in the request. */
  transfers: number[];
  lifetime: { blockhash?: string; last_valid_block_height?: string; nonce?: string; nonce_account?: string };
  sponsor_fee?: SponsorFeeJson;
}

/** The fates of the transactions of a batch under its `Idempotency-Key`, as replies and refusals name them. */
export interface BatchProgress {
  landed_transactions?: { transfers: number[]; signature: string }[];
  pending_transactions?: PendingBatchTransaction[];
}

/** An error that is meant for the caller: everything in it may be shown, except `cause`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ProblemCode;
  readonly findings: readonly DescribedFinding[];
  /** The output of the programs in a simulation, line by line. */
  readonly logs: readonly string[] | undefined;
  /** The transaction of the request that has landed. */
  readonly landed: LandedTransfer | undefined;
  /** Of a batch that was built before. */
  readonly progress: BatchProgress | undefined;
  /** Seconds after which a retry makes sense, for the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** Told to the payer of a payment link in place of `detail`. */
  readonly payerMessage: string | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    options: {
      findings?: readonly DescribedFinding[];
      logs?: readonly string[] | undefined;
      landed?: LandedTransfer | undefined;
      progress?: BatchProgress | undefined;
      retryAfterSeconds?: number | undefined;
      payerMessage?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.findings = options.findings ?? [];
    this.logs = options.logs;
    this.landed = options.landed;
    this.progress = options.progress;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.payerMessage = options.payerMessage;
  }

  /** Returns the same error, with what the payer of a payment link is told. */
  forPayer(payerMessage: string): AppError {
    return new AppError(this.code, this.message, { ...this, cause: this.cause, payerMessage });
  }

  /** Returns the same error, with what became of the transactions of a batch. */
  withProgress(progress: BatchProgress): AppError {
    return new AppError(this.code, this.message, { ...this, cause: this.cause, progress });
  }
}

/** Says whether a caught value is an `AppError`, of the given code if one is given. */
export function isAppError(error: unknown, code?: ProblemCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}
