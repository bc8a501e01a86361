import type { TransferIntent } from 'splwright-core';
import { messageHashText } from '../app/message-hash.ts';
import type { BatchProgress, PendingBatchTransaction } from '../problems.ts';
import type { BuiltTransaction, LandedTransaction } from './idempotent-request.ts';

/** A transaction that may still land, or may have. */
export interface PendingTransaction extends BuiltTransaction {
  /** In hex. */
  messageHash: string;
  lifetime: TransferIntent['lifetime'];
  /** Whether its own bytes can land, and nothing was seen that may be it. */
  canBeSent: boolean;
}

/** The fates of the transactions that were built under a key: payments of those that landed are not built again. */
export interface Progress {
  /** Those of a batch. */
  landed: readonly LandedTransaction[];
  /** In the order in which they were built. */
  pending: readonly PendingTransaction[];
}

/** Returns the indices of the transfers of a batch that some transactions make. */
export function transfersOf(transactions: readonly Pick<BuiltTransaction, 'transfers'>[]): readonly number[] {
  return transactions.flatMap(({ transfers = [] }) => transfers);
}

/** Returns the base units that the sponsor gets of transactions that have landed or may. */
export function sponsorFeesOf({ landed, pending }: Progress): bigint {
  return [...landed, ...pending].reduce((sum, { sponsorFee }) => sum + BigInt(sponsorFee?.amount.base_units ?? 0), 0n);
}

/** Returns what became of the transactions of a batch as the JSON of a reply or a refusal; empty lists are left out. */
export function progressJson({ landed, pending }: Progress): BatchProgress {
  return {
    ...(landed.length > 0 && {
      landed_transactions: landed.map(({ transfers, signature }) => ({ transfers: [...transfers], signature })),
    }),
    ...(pending.length > 0 && { pending_transactions: pending.map(pendingJson) }),
  };
}

function pendingJson(pending: PendingTransaction): PendingBatchTransaction {
  const { bytes, messageHash, lifetime, lastValidBlockHeight, canBeSent, transfers = [], sponsorFee } = pending;
  return {
    // A wallet may give bytes another blockhash: those that cannot land as they are would then land after all.
    ...(canBeSent && { transaction: Buffer.from(bytes).toString('base64') }),
    message_hash: messageHashText(messageHash),
    transfers: [...transfers],
    ...(sponsorFee && { sponsor_fee: sponsorFee }),
    lifetime:
      'nonce' in lifetime
        ? { nonce: lifetime.nonce, nonce_account: lifetime.nonceAccount }
        : { blockhash: lifetime.blockhash, last_valid_block_height: `${lastValidBlockHeight}` },
  };
}
