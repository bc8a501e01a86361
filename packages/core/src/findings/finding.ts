import type { Address, AddressFault } from '../addresses/address.ts';
import type { FindingCode } from './finding-codes.ts';
import type {
  AmountFault,
  BaseUnitFault,
  BlockhashFault,
  DecimalAmountFault,
  HookFault,
  LayoutConflict,
  LayoutObstacle,
  LifetimeConflict,
  MemoFault,
  OwnershipFault,
  SenderAccountFault,
  SizeExcess,
  StrictLayout,
  TipFault,
  ValueFault,
  WalletFault,
} from './finding-faults.ts';

/** Where a request names a recipient: that of the transfer, or that of a split or of a transfer of a batch, by its index. */
export type RecipientField = 'to' | { split: number; part: 'to' } | { transfer: number; part: 'to' };

/** A value of one transfer of a batch, by the index of the transfer. */
export type BatchTransferField =
  | { transfer: number; part: 'to' | 'mint' | 'amount' | 'amountDecimal' | 'memo' | 'references' }
  | { transfer: number; part: 'references'; index: number };

/** A value of a transfer request, as the core calls it; of references and splits the index of the one that is meant. */
export type FindingField =
  | 'from'
  | 'mint'
  | 'amount'
  | 'amountDecimal'
  | 'amountReceived'
  | 'amountReceivedDecimal'
  | 'amountMin'
  | 'memo'
  | 'feePayer'
  | 'sponsorFee'
  | 'createTokenAccount'
  | 'wrap'
  | 'unwrap'
  | 'transactionVersion'
  | 'priorityFee'
  | 'nonceAccount'
  | 'recentBlockhash'
  | 'lastValidBlockHeight'
  | 'references'
  | { references: number }
  | 'splits'
  | { split: number; part: 'amount' }
  | { tip: 'account' | 'lamports' }
  | 'transfers'
  | BatchTransferField
  | RecipientField;

/** A finding of one of these codes. */
export type FindingOf<Code extends FindingCode> = {
  [Each in Code]: { code: Each; field: FindingField; context: FindingContexts[Each] };
}[Code];

/**
 * One reason for which a transfer is refused, as data: what is wrong, with which value of the request, and what was found.
 *
 * It has no words: the server has the sentence for each code.
 */
export type Finding = FindingOf<FindingCode>;

interface WalletTokenAccount {
  wallet: Address;
  mint: Address;
  /** The address that is derived from both. */
  tokenAccount: Address;
}

/** Tokens of a wallet in a token account of its own that is not the derived one. */
export interface TokensElsewhere {
  tokenAccount: Address;
  /** Base units. */
  amount: bigint;
}

/** The sender's token account, without what is asked for. */
interface SenderWithout extends WalletTokenAccount {
  decimals: number;
  /** Absent where there are none, and before they are looked for. */
  elsewhere?: TokensElsewhere;
}

/** What was found, by code: everything that a sentence about it needs. Amounts in base units, SOL in lamports. */
export interface FindingContexts extends Record<FindingCode, object> {
  invalid_value: ValueFault;
  invalid_address: { fault: AddressFault };
  /** `decimalFault`: of a decimal number of tokens instead of base units. */
  invalid_amount: { fault: AmountFault; max: bigint } | { decimalFault: DecimalAmountFault };
  invalid_memo: { fault: MemoFault };
  /** `maxByteLength`: what this transaction has room for. */
  memo_too_long: { byteLength: number; maxByteLength: number };
  /** Compute units: of the memo, and the most of a transaction and of a memo in it. */
  memo_too_costly: { computeUnits: number; maxOfTransaction: number; maxOfMemo: number };
  same_wallet: { wallet: Address };
  sender_off_curve: { sender: Address };
  fee_payer_off_curve: { feePayer: Address };
  lifetime_conflict: { conflict: LifetimeConflict };
  layout_conflict: { layout: StrictLayout; conflict: LayoutConflict };
  mint_not_found: { mint: Address };
  /** `program`: the owner of the account that is there. */
  not_a_mint: { mint: Address; program: Address };
  mint_too_large: { mint: Address; byteLength: number; readByteLength: number };
  amount_not_representable: { mint: Address; decimals: number; fault: BaseUnitFault };
  mint_paused: { mint: Address };
  mint_non_transferable: { mint: Address };
  sender_not_a_wallet: { wallet: Address; fault: WalletFault };
  fee_payer_not_a_wallet: { wallet: Address; fault: WalletFault };
  sender_token_account_not_found: SenderWithout;
  sender_token_account_not_owned: WalletTokenAccount & { fault: SenderAccountFault };
  sender_token_account_frozen: WalletTokenAccount;
  /** `available`: the balance, or the delegated amount when an owner that is its own delegate is held to that. */
  insufficient_token_balance: SenderWithout & {
    limitedBy: 'balance' | 'delegation';
    available: bigint;
    /** All of it, with the sponsor's fee. */
    amount: bigint;
    /** What the sponsor gets of the amount, where the fee is paid in the same token; absent otherwise. */
    sponsorFee?: bigint;
  };
  /**
   * `rent`: for the account that is created, 0 for none. `sent`: the SOL that is paid, 0 where tokens are. `minimumBalance`: what an account
   * without data must hold.
   */
  insufficient_sol: {
    wallet: Address;
    balance: bigint;
    networkFee: bigint;
    priorityFee: bigint;
    rent: bigint;
    sent: bigint;
    minimumBalance: bigint;
  };
  recipient_token_account_not_found: WalletTokenAccount & {
    freezesNewAccounts: boolean;
    layout: 'default' | StrictLayout;
  };
  recipient_token_account_not_owned: WalletTokenAccount & { fault: OwnershipFault };
  recipient_token_account_frozen: WalletTokenAccount;
  recipient_refuses_public_credits: WalletTokenAccount;
  new_token_account_would_be_frozen: WalletTokenAccount;
  recipient_requires_memo: WalletTokenAccount;
  /** `owner`: the wallet that owns the token account, where it can be read. */
  recipient_is_token_account: { recipient: Address; program: Address; owner: Address | undefined };
  recipient_is_mint: { recipient: Address; program: Address };
  recipient_is_program: { recipient: Address };
  /** `program`: the token program of the multisig; `tokenProgram`: that of the mint. */
  recipient_multisig_of_other_program: { recipient: Address; mint: Address; program: Address; tokenProgram: Address };
  recipient_not_a_wallet: { recipient: Address; program: Address };
  recipient_off_curve: { recipient: Address };
  recipient_is_reserved: { recipient: Address };
  tip_account_not_payable: { account: Address; fault: TipFault };
  /** Lamports: what it holds, what it is paid in one transaction, and what it must hold then. */
  recipient_below_rent_minimum: { recipient: Address; balance: bigint; amount: bigint; minimumBalance: bigint };
  nonce_account_not_found: { nonceAccount: Address };
  /** `expectedByteLength`: that of a nonce account. */
  not_a_nonce_account: {
    nonceAccount: Address;
    program: Address;
    byteLength: number;
    expectedByteLength: number;
  };
  nonce_account_not_initialized: { nonceAccount: Address; fault: 'not_initialized' | 'old_version' };
  blockhash_not_valid: { blockhash: string; fault: BlockhashFault };
  nonce_authority_not_a_signer: { nonceAccount: Address; authority: Address };
  /** `isLeast`: whether `priorityFee` is the least that it can come to. */
  priority_fee_too_high: { priorityFee: bigint; isLeast: boolean; max: bigint };
  transfer_hook_unresolvable: { mint: Address; fault: HookFault };
  transfer_hook_names_signer: { mint: Address; signer: Address };
  layout_not_possible: { layout: StrictLayout; obstacle: LayoutObstacle };
  /** `hookAccountCount`: those of all transfers. */
  /** `isTwin`: it would fit without the compute limit that tells it from one of the same batch that pays the same. */
  transaction_too_large: {
    excess: SizeExcess;
    hookAccountCount: number;
    splitCount: number;
    hasMemo: boolean;
    isTwin: boolean;
  };
  /** Compute units that the instructions were measured to take up to, without what a hook itself takes. */
  transaction_too_costly: { computeUnits: number; max: number; hasMemo: boolean };
  /** `amount`: the least that a payment link asks for. `basisPoints`: the highest fee that the mint may withhold from it. */
  nothing_received: { mint: Address; amount: bigint; decimals: number; basisPoints: number };
  nonce_for_several_transactions: { nonceAccount: Address; transactionCount: number };
}
