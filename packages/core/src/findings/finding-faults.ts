import type { Address } from '../addresses/address.ts';

/** Why a text is not an amount of base units. */
export type AmountFault =
  | 'empty'
  | 'white_space'
  | 'sign'
  | 'exponent'
  | 'not_decimal_base'
  | 'decimal_point'
  | 'decimal_comma'
  | 'digit_grouping'
  | 'not_ascii_digits'
  | 'not_a_number'
  | 'zero'
  | 'leading_zero'
  | 'too_large';

/** Why a text is not a decimal number of tokens. */
export type DecimalAmountFault =
  | 'empty'
  | 'too_long'
  | 'white_space'
  | 'sign'
  | 'exponent'
  | 'leading_zero'
  /** A point without digits on one of its sides. */
  | 'incomplete_point'
  | 'decimal_comma'
  | 'digit_grouping'
  | 'not_ascii_digits'
  | 'not_a_number'
  | 'zero';

/** A layout that whoever is paid demands, and that has no room for everything. */
export type StrictLayout = 'x402' | 'mpp';

/** What of a request a layout has no room for. Prices in micro-lamports per compute unit. */
export type LayoutConflict =
  | { kind: 'fee_payer_missing' }
  /** The layout demands a fee payer that no instruction names. */
  | { kind: 'fee_payer_used'; as: 'sender' | 'mint' | 'reference' }
  | { kind: 'creation' }
  | { kind: 'sol' }
  | { kind: 'tip' }
  | { kind: 'wrapping' }
  | { kind: 'splits' }
  | { kind: 'nonce' }
  | { kind: 'version_1' }
  | { kind: 'memo_too_long'; byteLength: number; maxByteLength: number }
  | { kind: 'price_too_high'; price: bigint; maxPrice: bigint };

/** What on the chain a layout has no room for. */
export type LayoutObstacle =
  | { kind: 'transfer_hook'; mint: Address; program: Address }
  /** The token account demands a memo directly before the transfer. */
  | { kind: 'memo_required'; wallet: Address; tokenAccount: Address }
  /** What is needed is above the most that the layout takes, mostly for a memo or a transfer hook. */
  | { kind: 'compute_limit'; mint: Address; computeUnitLimit: number; max: number };

/** Why what a request says of its lifetime does not go together: a transaction lives by a blockhash or by a nonce. */
export type LifetimeConflict = 'height_without_blockhash' | 'blockhash_and_nonce';

/** Why a transaction cannot live by the blockhash of a request. */
export type BlockhashFault =
  /** The nodes would not take a transaction with it. */
  | { kind: 'not_valid' }
  /** A valid one can have a last valid block height from `min` to `max` now. */
  | { kind: 'impossible_height'; lastValidBlockHeight: bigint; min: bigint; max: bigint };

/** Why a text is not a memo. */
export type MemoFault = 'empty' | 'lone_surrogate';

/** Why a value that is no address, amount or memo is not one of those allowed. */
export type ValueFault =
  | { kind: 'not_a_price'; max: bigint }
  | { kind: 'not_a_block_height'; max: bigint }
  | { kind: 'too_many'; count: number; max: number }
  | { kind: 'none' }
  | { kind: 'max_without_checks' }
  | { kind: 'of_wrapped_sol' }
  | { kind: 'with_max' }
  | { kind: 'repeated'; address: Address };

/** Why the signature of an account does not do what that of a wallet does. */
export type WalletFault =
  | { kind: 'holds_data' }
  | { kind: 'of_program'; program: Address }
  | { kind: 'multisig'; program: Address };

/** Why a tip is not paid to an account. */
export type TipFault = 'not_found' | 'payer' | 'program' | 'of_token_program' | 'reserved' | 'below_minimum';

/** Why the wallet does not own the account at the address of its token account. */
export type OwnershipFault =
  | { kind: 'other_owner'; owner: Address }
  | { kind: 'not_a_token_account'; program: Address };

/** The same of the sender, who may also not be the one who may close it: only `closer` may. */
export type SenderAccountFault = OwnershipFault | { kind: 'other_closer'; closer: Address };

/** Why a decimal amount has no base units. `max`: the most that a token program can move. */
export type BaseUnitFault = { kind: 'too_many_digits'; fractionDigits: number } | { kind: 'too_large'; max: bigint };

/** Of which limit a transaction is beyond. */
export type SizeExcess =
  | { kind: 'bytes'; byteLength: number; maxByteLength: number }
  | { kind: 'accounts'; accountCount: number; maxAccountCount: number };

/** Why the accounts that a transfer hook demands cannot be had. */
export type HookFault =
  | { kind: 'program_not_found'; program: Address }
  | { kind: 'list_not_found'; program: Address; list: Address }
  | { kind: 'list_unreadable'; list: Address }
  /** The list refers to data that is not there. */
  | { kind: 'data_not_found' }
  | { kind: 'account_not_found'; account: Address }
  | { kind: 'signature_demanded'; signer: Address }
  /** `computeUnits`: what the memo and the transfer with its hook were measured to take together at most. */
  | { kind: 'too_much_computation'; computeUnits: number; maxComputeUnits: number }
  /** `demandedMemoBytes`: of a memo that the token program reads and that takes of the same memory; 0 for none. */
  | { kind: 'too_many_accounts'; count: number; max: number; demandedMemoBytes: number }
  /** Accounts are found through one another, in more steps than are followed. */
  | { kind: 'too_many_steps' };

/** Why a transfer with a hook is not built: its accounts cannot be had, or one of them signs the transaction. */
export type HookRefusal = HookFault | { kind: 'signer_named'; signer: Address };
