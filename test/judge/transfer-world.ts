import type { TokenAccountCreation } from '../../packages/core/src/request/transfer-request.ts';
import type { RecipientTokenAccount, RecipientWallet } from './world.ts';

/** What only a world of the operation `transfer` asks for. */
export interface TransferWorld {
  createTokenAccount: TokenAccountCreation;
  hasMemo: boolean;
  amountText: AmountText;
  splits: readonly SplitWorld[];
  /** The default one where it is absent. */
  layout?: 'x402';
}

/** How the amount is written: in base units, or exactly in whole tokens; the last two say what no mint of the world can move. */
export type AmountText = 'base_units' | 'shortest_decimal' | 'padded_decimal' | 'too_many_digits' | 'too_large';

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
