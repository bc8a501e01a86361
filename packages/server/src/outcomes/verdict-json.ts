import { outcomeStatusText, type VerdictJson } from './outcome-schema.ts';
import { describeVerdict } from './outcome-words.ts';
import type { PendingVerdict, SeenTransaction, Verdict } from './verdict.ts';

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
          recipient_token_account: tokenAccount,
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
