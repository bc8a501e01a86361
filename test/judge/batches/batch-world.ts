import type { TokenAccountCreation } from '../../../packages/core/src/request/transfer-request.ts';
import type { TransactionVersion } from '../../../packages/core/src/transaction/encode-transaction.ts';
import type { NonceState, PriorityFeeWorld } from '../options-world.ts';
import type { BalanceLevel, MintWorld, RecipientTokenAccount, RecipientWallet, SenderTokenAccount } from '../world.ts';

/** A token of a batch, and what the sender has of it. */
export interface TokenOfBatch {
  mint: MintWorld;
  senderTokenAccount: SenderTokenAccount;
  balance: BalanceLevel;
}

/** A batch to judge, as drawn: plain values, from which every account follows. Its own token is that of all transfers which name none. */
export interface BatchWorld extends TokenOfBatch {
  seed: number;
  number: number;
  otherTokens: readonly TokenOfBatch[];
  transfers: readonly TransferOfBatch[];
  creation: TokenAccountCreation;
  version: TransactionVersion;
  /** Whether another wallet than the sender pays. */
  isSponsored: boolean;
  priorityFee: PriorityFeeWorld | undefined;
  nonceState: NonceState | undefined;
  lamports: BatchLamports;
  allowsOffCurveRecipient: boolean;
}

/** One transfer of a batch. */
export interface TransferOfBatch {
  /** 0 for that of the batch, otherwise the number of another. */
  token: number;
  /** Transfers with the same number pay the same wallet, which is what the first of them says. */
  recipient: number;
  wallet: RecipientWallet | 'fee_payer';
  tokenAccount: RecipientTokenAccount;
  /** Base units. */
  amount: bigint;
  amountText: 'base_units' | 'padded_decimal' | 'too_many_digits';
  memo: string | undefined;
  /** Addresses by number: those below 3 are the sender, the mint and the Memo program. */
  references: readonly number[];
}

/** How many lamports the fee payer has, by what all transactions cost and what an account must hold. */
export type BatchLamports = keyof typeof batchLamports;
/** The lamports of each level. */
export const batchLamports = {
  all_less_one: ({ cost }) => cost - 1n,
  all: ({ cost }) => cost,
  all_and_one: ({ cost }) => cost + 1n,
  all_and_minimum_less_one: ({ cost, minimum }) => cost + minimum - 1n,
  all_and_minimum: ({ cost, minimum }) => cost + minimum,
  plenty: () => 10_000_000_000_000n,
} as const satisfies Record<string, (needs: { cost: bigint; minimum: bigint }) => bigint>;

/** A batch in one line. */
export function describeBatch({ seed, number, transfers, ...rest }: BatchWorld): string {
  const few = transfers.slice(0, 8).map(({ memo, ...each }) => {
    return { ...each, memo: memo && `${Buffer.byteLength(memo)} bytes of ${memo.slice(0, 4)}` };
  });
  const text = JSON.stringify({ size: transfers.length, ...rest, transfers: few }, (_key, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  return `batch ${number} of seed ${seed}: ${text}`;
}
