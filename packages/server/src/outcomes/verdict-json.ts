import { toAddress } from 'splwright-core';
import { exampleLastValidBlockHeight } from '../app/schema-parts.ts';
import { outcomeStatusText, type VerdictJson } from './outcome-schema.ts';
import { describeVerdict } from './outcome-words.ts';
import type { LandedVerdict, PendingVerdict, SeenTransaction, Verdict } from './verdict.ts';

/** The JSON text of the reply about one transaction, or about a list of them. */
export function outcomeText(verdicts: readonly Verdict[], isList: boolean): string {
  const data = verdicts.map(verdictJson);
  return JSON.stringify({ data: isList ? data : data[0], status: outcomeStatusText });
}

/** Returns a verdict as the JSON of a reply: 64-bit numbers as strings; members that do not belong to its outcome are absent. */
export function verdictJson(verdict: Verdict): VerdictJson {
  const reason = describeVerdict(verdict);
  switch (verdict.outcome) {
    case 'landed':
      return {
        outcome: 'landed',
        is_final: verdict.commitment === 'finalized',
        reason,
        ...seenJson(verdict),
        payments: verdict.payments.map(({ wallet, tokenAccount, amount, received }) => ({
          recipient: wallet ?? null,
          recipient_token_account: tokenAccount ?? null,
          amount: amount.toString(),
          received_amount: received?.toString() ?? null,
        })),
        ...(verdict.ambiguous && { ambiguous: [...verdict.ambiguous] }),
      };
    case 'failed':
      return {
        outcome: 'failed',
        is_final: verdict.commitment === 'finalized',
        reason,
        ...seenJson(verdict),
      };
    case 'pending':
      return {
        outcome: 'pending',
        is_final: false,
        reason,
        reason_code: verdict.reason,
        ...(verdict.similar && { similar: [...verdict.similar] }),
        ...heightsJson(verdict),
      };
    case 'expired':
      return {
        outcome: 'expired',
        is_final: true,
        reason,
        ...heightsJson(verdict),
        ...(verdict.nonceUsedBy !== undefined && { nonce_used_by: verdict.nonceUsedBy }),
      };
    case 'unknown':
      return {
        outcome: 'unknown',
        is_final: false,
        reason,
        reason_code: verdict.reason,
        ...(verdict.similar && { similar: [...verdict.similar] }),
        ...heightsJson(verdict),
      };
  }
}

function seenJson({ signature, matchedBy, slot, blockTime, commitment, fee }: SeenTransaction) {
  return {
    signature,
    matched_by: matchedBy,
    slot: slot.toString(),
    block_time: blockTime === null ? null : Number(blockTime),
    commitment,
    network_fee: fee.toString(),
  };
}

function heightsJson({
  blockHeight,
  lastValidBlockHeight,
}: Pick<PendingVerdict, 'blockHeight' | 'lastValidBlockHeight'>) {
  return {
    ...(blockHeight !== undefined && { block_height: blockHeight.toString() }),
    ...(lastValidBlockHeight !== undefined && { last_valid_block_height: lastValidBlockHeight.toString() }),
  };
}

const blockHeight = BigInt(exampleLastValidBlockHeight);

const landed: LandedVerdict = {
  outcome: 'landed',
  signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
  slot: 440_208_190n,
  blockTime: 1_795_000_000n,
  commitment: 'finalized',
  fee: 5_000n,
  matchedBy: 'signature',
  message: new Uint8Array(),
  payments: [
    {
      tokenAccount: toAddress('ChtcJX16gfLZ2qELbysj5isAaEpBcFpf4bKTsnLmiK3H'),
      wallet: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
      amount: 1_500_000n,
      received: 1_500_000n,
    },
  ],
};
const pending: Verdict = {
  outcome: 'pending',
  reason: 'lifetime',
  blockHeight: blockHeight - 32n,
  lastValidBlockHeight: blockHeight + 151n,
};
const expired: Verdict = {
  outcome: 'expired',
  blockHeight: blockHeight + 152n,
  lastValidBlockHeight: blockHeight + 151n,
};

const replyOf = (verdicts: readonly Verdict[], isList: boolean): { value: unknown } => ({
  value: JSON.parse(outcomeText(verdicts, isList)),
});

/** The examples of replies, by their names. */
export const outcomeExamples = {
  landed: replyOf([landed], false),
  pending: replyOf([pending], false),
  expired: replyOf([expired, landed], true),
};
