import type { TokenAccountCreation } from '../../packages/core/src/request/transfer-request.ts';
import type { TransferOperation } from '../../packages/server/src/operation.ts';
import type { OptionsWorld } from './options-world.ts';

/** A situation to judge, as drawn: plain values, from which every account follows. */
export interface World {
  seed: number;
  number: number;
  operation: Exclude<TransferOperation, 'batch'>;
  mint: MintWorld;
  /** Base units. */
  amount: bigint;
  memo: MemoWorld;
  senderWallet: SenderWallet;
  lamports: LamportLevel;
  senderTokenAccount: SenderTokenAccount;
  balance: BalanceLevel;
  recipientWallet: RecipientWallet;
  recipientTokenAccount: RecipientTokenAccount;
  options: OptionsWorld;
  /** With the operation `transfer`, and only with it. */
  transfer?: TransferWorld;
}

/** What is at the address given as mint. `name`: of one that is not the first of its world. */
export type MintWorld =
  | { kind: 'classic'; decimals: number; name?: string }
  | { kind: 'native'; tokenProgram: TokenProgramName }
  | { kind: 'token_2022'; decimals: number; extensions: readonly MintExtension[]; name?: string }
  | { kind: 'oddity'; tokenProgram: TokenProgramName; oddity: MintOddity };

/** Which of the two token programs. */
export type TokenProgramName = 'classic' | 'token_2022';

/** What may be at the address given as mint instead of one. */
export type MintOddity = (typeof mintOddities)[number];
/** Every thing that may be at the address given as mint instead of one. */
export const mintOddities = [
  'missing',
  'wallet',
  'token_account',
  'uninitialized',
  'multisig',
  'too_short',
  'foreign_program',
] as const;

/** One extension of a Token-2022 mint. */
export type MintExtension =
  | { kind: 'transfer_fee'; older: FeeWorld; newer: FeeWorld; newerCounts: 'before' | 'from_now' | 'later' }
  | { kind: 'pausable'; paused: boolean }
  /** `tokenAcl`: where it freezes, and the freeze authority is the Token ACL program. */
  | { kind: 'default_account_state'; frozen: boolean; tokenAcl?: TokenAclWorld }
  | { kind: 'permanent_delegate'; delegate: 'somebody' | 'sender' }
  | { kind: 'transfer_hook'; hook: HookWorld }
  | { kind: PlainExtension };

/** By its gate program, how the Token ACL program thaws token accounts; `closed`: only the issuer does. */
export type TokenAclWorld = (typeof tokenAclWorlds)[number];
/** Every way in which the Token ACL program thaws token accounts. */
export const tokenAclWorlds = ['allowing', 'allowing_with_accounts', 'blocking', 'closed'] as const;

/** Extensions that come in one state only. */
type PlainExtension = (typeof plainExtensions)[number];
/** Every extension that comes in one state only. `unknown_type` is one that no program of today has. */
export const plainExtensions = [
  'non_transferable',
  'mint_close_authority',
  'interest_bearing',
  'scaled_ui_amount',
  'confidential_transfer',
  'confidential_transfer_fee',
  'metadata_pointer',
  'metadata',
  'group_pointer',
  'group',
  'group_member_pointer',
  'permissioned_burn',
  'unknown_type',
] as const;

/** What a mint withholds. */
export interface FeeWorld {
  basisPoints: number;
  maximumFee: bigint;
}

/** What a mint's transfer hook is. */
export type HookWorld = UnrunnableHook | RunningHook;
/** A hook that is not set, or that cannot be called. */
type UnrunnableHook = 'none' | 'program_missing' | 'list_missing';
/** A hook that runs, by the extra accounts that it wants. */
export type RunningHook = (typeof runningHooks)[number];
/** Every hook that runs. */
export const runningHooks = [
  'no_extras',
  'fixed_and_derived',
  'derived_by_another_program',
  'sender_again',
  'fee_payer',
  'of_destination_data',
  'signer',
  'most_extras',
  'most_derived_extras',
  'one_extra_too_many',
  'most_extras_of_five_seeds',
  'one_too_many_of_five_seeds',
  'most_extras_of_nine_seeds',
  'one_too_many_of_nine_seeds',
  'most_extras_of_long_seeds',
  'one_too_many_of_long_seeds',
  'extras_past_the_packet',
] as const;

/** The account that signs, and that pays unless another does. A multisig is one of the mint's token program; for a vault its program signs. */
export type SenderWallet =
  | 'system'
  | 'foreign_program'
  | 'nonce'
  | 'system_with_data'
  | 'multisig'
  | 'off_curve'
  | 'vault';

/** How many lamports who pays has, by what the transfer needs: fee, rent and the minimum of an account. */
export type LamportLevel = keyof typeof lamportLevels;
/** The lamports of each level. */
export const lamportLevels = {
  none: () => 0n,
  one: () => 1n,
  fee_less_one: ({ fee }) => fee - 1n,
  fee: ({ fee }) => fee,
  fee_and_one: ({ fee }) => fee + 1n,
  fee_and_minimum_less_one: ({ fee, minimum }) => fee + minimum - 1n,
  fee_and_minimum: ({ fee, minimum }) => fee + minimum,
  fee_and_rent_less_one: ({ fee, rent }) => fee + rent - 1n,
  fee_and_rent: ({ fee, rent }) => fee + rent,
  fee_and_rent_and_one: ({ fee, rent }) => fee + rent + 1n,
  all_less_one: ({ fee, rent, minimum }) => fee + rent + minimum - 1n,
  all: ({ fee, rent, minimum }) => fee + rent + minimum,
  plenty: () => 1_000_000_000n,
} as const satisfies Record<string, (needs: LamportNeeds) => bigint>;

/** What a transfer takes of who pays for it, in lamports. */
interface LamportNeeds {
  /** For the signatures and for priority. */
  fee: bigint;
  /** To create the recipient's token account; 0 when nothing is created. */
  rent: bigint;
  /** What an account without data must hold. */
  minimum: bigint;
}

/** The sender's token account. */
export type SenderTokenAccount =
  | 'open'
  | 'missing'
  | 'prefunded'
  | 'frozen'
  | 'owner_changed'
  | 'delegate'
  | 'delegate_is_owner_for_less'
  | 'delegate_is_owner_for_enough'
  | 'delegate_is_owner_for_first_payment'
  | 'delegate_of_another'
  | 'cpi_guard'
  | 'memo_required';

/** The sender's balance, by the amount. */
export type BalanceLevel = 'zero' | 'one_less' | 'exact' | 'plenty';

/** What the address given as recipient is. */
export type RecipientWallet = (typeof recipientWallets)[number];
/** Everything that the address given as recipient may be: `multisig` is one of the mint's token program, `other_multisig` of the other. */
export const recipientWallets = [
  'funded',
  'unfunded',
  'nonce',
  'off_curve',
  'off_curve_funded',
  'token_account',
  'uninitialized_token_account',
  'own_token_account',
  'mint',
  'the_mint',
  'program',
  'token_program',
  'system_program',
  'sysvar',
  'foreign_account',
  'foreign_account_off_curve',
  'multisig',
  'other_multisig',
  'sender',
] as const;

/** The recipient's token account. */
export type RecipientTokenAccount =
  | 'open'
  | 'missing'
  | 'prefunded_less'
  | 'prefunded_more'
  | 'frozen'
  | 'memo_required'
  | 'memo_not_required'
  | 'cpi_guard'
  | 'confidential'
  | 'confidential_only'
  | 'owner_changed';

/** The memo: a text, and whether the classic Memo program may need more than the default compute limit for it. */
export interface MemoWorld {
  text: string;
  costly: boolean;
  /** Makes the text as long, by repeating it, as the largest transaction takes, and by so many bytes longer. */
  beyondLimit?: number;
}

/** A world in one line. */
export function describeWorld(world: World): string {
  const { seed, number, memo, ...rest } = world;
  const described = {
    ...rest,
    memo: `${Buffer.byteLength(memo.text)} bytes of ${JSON.stringify([...memo.text].slice(0, 4).join(''))}`,
    ...(memo.beyondLimit !== undefined && { memoBeyondLimit: memo.beyondLimit }),
  };
  const text = JSON.stringify(described, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
  return `seed ${seed} world ${number}: ${text}`;
}

/** What only a world of the operation `transfer` asks for. */
export interface TransferWorld {
  createTokenAccount: TokenAccountCreation;
  hasMemo: boolean;
  amountText: AmountText;
  splits: readonly SplitWorld[];
  /** Of wrapped SOL: whether what is missing is wrapped first, and whether what is left is unwrapped. */
  wraps?: boolean;
  unwraps?: boolean;
  /** The default one where it is absent. */
  layout?: 'x402' | 'mpp';
}

/**
 * How the amount is asked for: in base units, or exactly in whole tokens; the next two say what no mint of the world can move; the next two
 * what must arrive, of which it is the least to send; the last one that all is sent.
 */
type AmountText =
  | ('base_units' | 'shortest_decimal' | 'padded_decimal')
  | ('too_many_digits' | 'too_large')
  | ('received' | 'received_decimal' | 'max');

/** A payment to another recipient. */
export interface SplitWorld {
  payee: SplitPayee;
  /** Base units. */
  amount: bigint;
}

/** Who gets a split: a recipient of its own, the main one or that of an earlier split again, or the payer of the fee. */
export type SplitPayee =
  | { kind: 'other'; wallet: RecipientWallet; tokenAccount: RecipientTokenAccount }
  | { kind: 'recipient' }
  | { kind: 'split'; index: number }
  | { kind: 'fee_payer'; tokenAccount: RecipientTokenAccount };

/** A world in which nothing is odd. */
export const plainWorld: World = {
  seed: 0,
  number: 0,
  operation: 'memo_transfer',
  mint: { kind: 'classic', decimals: 6 },
  amount: 1_000n,
  memo: { text: 'order 7', costly: false },
  senderWallet: 'system',
  lamports: 'plenty',
  senderTokenAccount: 'open',
  balance: 'plenty',
  recipientWallet: 'funded',
  recipientTokenAccount: 'open',
  options: {},
};

/** What makes a plain world one in which the recipient's token account is created. */
export const creating = { operation: 'create_transfer', recipientTokenAccount: 'missing' } as const;

/** A Token-2022 mint with these extensions. */
export function token2022(...extensions: MintExtension[]): World['mint'] {
  return { kind: 'token_2022', decimals: 6, extensions };
}

/** What a transfer asks for when it asks for nothing. */
export const plainTransfer: TransferWorld = {
  createTokenAccount: 'if_missing',
  hasMemo: false,
  amountText: 'base_units',
  splits: [],
};
