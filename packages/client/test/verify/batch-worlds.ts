import { type BatchStage, stageBatch, writeBatch } from '../../../../test/judge/batches/batch-stage.ts';
import { type BatchWorld, batchLamports } from '../../../../test/judge/batches/batch-world.ts';
import { decideOn } from '../../../../test/judge/batches/decide-batch.ts';
import type { Court } from '../../../../test/judge/court.ts';
import { decimalText, priorityFeeText } from '../../../../test/judge/request.ts';
import type { BuiltBatch } from '../../../core/src/batch/batch-summary.ts';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { lifetimeJson } from '../../../server/src/transfers/transaction-replies.ts';

/** The body of a reply, parsed. */
export interface BatchReply {
  data: {
    transactions: { transaction: string; transfers: number[]; signers: string[] }[];
    transaction_version: unknown;
    lifetime: object;
  };
}

/** A request and its reply, as the service writes them. */
export interface AnsweredBatch {
  request: object;
  reply: BatchReply;
  stage: BatchStage;
  /** Of each transaction, in lamports. */
  priorityFees: readonly bigint[];
}

/** Lets the service answer a batch on a court's ledger; undefined where it refuses. */
export async function answerBatch({ ledger }: Court, batch: BatchWorld): Promise<AnsweredBatch | undefined> {
  const stage = await stageBatch(batch);
  ledger.advanceSlots(1);
  await writeBatch(ledger, stage, batchLamports.plenty());
  const verdict = await decideOn(ledger, stage);
  if (!('decided' in verdict)) return undefined;
  // The builder answers what it has decided together with the bytes.
  const { transactions, bytes, lifetime } = verdict.decided as BuiltBatch;
  const [first] = transactions;
  if (!first) throw new Error('a batch has a transaction');
  const { nonce, version } = first.plan;
  const data = {
    transactions: transactions.map(({ transfers }, index) => ({
      transaction: Buffer.from(bytes[index] ?? []).toString('base64'),
      transfers: [...transfers],
      signers: [...decodeTransaction(bytes[index] ?? new Uint8Array()).signers],
    })),
    transaction_version: version,
    lifetime: lifetimeJson(nonce, lifetime),
  };
  return {
    request: requestOf(stage),
    reply: { data },
    stage,
    priorityFees: transactions.map(({ plan }) => plan.priorityFee),
  };
}

function requestOf({ batch, situation, situations, references }: BatchStage): object {
  const { sender, mint, feePayer, nonceAccount, payments } = situation;
  return {
    from_address: sender,
    token_mint_address: mint,
    create_token_account: batch.creation,
    transaction_version: batch.version,
    allow_off_curve_recipient: batch.allowsOffCurveRecipient,
    fee_payer: batch.isSponsored ? feePayer : undefined,
    priority_fee: priorityFeeText(batch.priorityFee, undefined),
    nonce_account: nonceAccount,
    transfers: batch.transfers.map(({ amount, amountText, memo, token }, index) => ({
      to_address: payments[index]?.recipient,
      ...(token !== 0 && { token_mint_address: situations[index]?.mint }),
      ...(amountText === 'base_units'
        ? { amount: `${amount}` }
        : { amount_decimal: decimalText(amount, situations[index]?.decimals ?? 0) }),
      memo,
      references: references[index],
    })),
  };
}
