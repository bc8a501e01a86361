import { describeChainError } from './transaction-error-words.ts';
import type {
  ExpiredVerdict,
  FailedVerdict,
  LandedVerdict,
  PendingReason,
  PendingVerdict,
  SeenTransaction,
  UnknownReason,
  UnknownVerdict,
  Verdict,
} from './verdict.ts';

/** The code of the reason of `pending` and `unknown`. */
export type OutcomeReason = PendingReason | UnknownReason;

/** The meaning of each reason of `pending` and `unknown`, in their order: codes are stable, never removed and never reused. */
export const outcomeReasons: Readonly<Record<OutcomeReason, string>> = {
  lifetime: 'It can land until `last_valid_block_height`.',
  nonce_unused: 'It can land for as long as its nonce is unused, even in a year.',
  nonce_used_not_final: 'Another transaction has used its nonce, too recently to be certain.',
  blockhash_alive:
    'Its blockhash is still valid, and the `last_valid_block_height` of the request is missing or does not fit it.',
  failed_but_alive: 'It failed, but the bytes that you sent have no signature: a wallet can sign them again.',
  not_final: 'It is in a block that is not confirmed yet, or that too few nodes show.',
  last_valid_block_height_missing:
    'It was not found, and without `last_valid_block_height` nothing tells when it can no longer land.',
  history_pruned: 'It was not found, and the node no longer has all blocks of its lifetime.',
  history_not_available: 'It was not found, and the node keeps no history, or one that contradicts itself.',
  too_many_transactions: 'It was not found, and its token accounts have too many transactions in its lifetime.',
  too_few_nodes: 'It was not found, and too few nodes could say so.',
  nodes_disagree: 'Some nodes show it on chain, and others do not.',
  similar_payment: 'A payment is on chain that may be this one. `similar` lists the signatures.',
};

/** Describes what became of a transaction, in sentences, with its numbers and what to do. */
export function describeVerdict(verdict: Verdict): string {
  switch (verdict.outcome) {
    case 'landed':
      return describeLanded(verdict);
    case 'failed':
      return describeFailed(verdict);
    case 'pending':
      return pendingWords[verdict.reason](verdict);
    case 'expired':
      return describeExpired(verdict);
    case 'unknown':
      return `${unknownWords[verdict.reason](verdict)} Do not build the payment again until that is certain.`;
  }
}

const recognized: Readonly<Record<SeenTransaction['matchedBy'], string>> = {
  signature: '',
  message: ', exactly as you sent it',
  content: ', changed by a wallet and recognized by what it pays',
};

function describeLanded({ slot, signature, matchedBy, commitment, ambiguous }: LandedVerdict): string {
  const found = `It landed in slot ${slot} as ${signature}${recognized[matchedBy]}.`;
  const several =
    ambiguous === undefined
      ? ''
      : ` ${ambiguous.length} transactions make exactly this payment, and nothing tells which of them is yours: ` +
        `${ambiguous.join(', ')}. Give each payment a memo or a reference of its own.`;
  const certainty = commitment === 'finalized' ? 'It is final.' : 'It is confirmed but not final yet: ask again.';
  return `${found}${several} ${certainty}`;
}

function describeFailed({ slot, signature, matchedBy, commitment, error, instructions, fee }: FailedVerdict): string {
  const found = `It failed in slot ${slot} as ${signature}${recognized[matchedBy]}, and moved nothing.`;
  const certainty =
    commitment === 'finalized'
      ? 'This is final: fix the cause and build the payment again.'
      : 'This is not final yet: ask again before you build the payment again.';
  return `${found} ${describeChainError(error, instructions, fee)} ${certainty}`;
}

const pendingWords: { readonly [Reason in PendingReason]: (verdict: PendingVerdict) => string } = {
  lifetime: (verdict) =>
    `It has not landed but can${describeDeadline(verdict)}.${describeSimilar(verdict.similar)} Ask again later, and do not build the payment ` +
    'again before this one has expired.',
  nonce_unused: ({ similar }) =>
    `It has not landed but can for as long as its nonce is unused.${describeSimilar(similar)} To void it, use the nonce for ` +
    'another transaction, then ask again.',
  nonce_used_not_final: ({ similar }) =>
    'It has not landed, and another transaction has used its nonce too recently to be certain.' +
    `${describeSimilar(similar)} Ask again later.`,
  blockhash_alive: ({ blockHeight, lastValidBlockHeight, similar }) =>
    `It has not landed but still can: its blockhash is valid${
      lastValidBlockHeight === undefined || blockHeight === undefined
        ? ''
        : `, although the finalized block height ${blockHeight} is past ${lastValidBlockHeight}`
    }.${describeSimilar(similar)} Send the last_valid_block_height that came with it: without it we cannot tell when it has expired.`,
  failed_but_alive: (verdict) =>
    `It was submitted and failed${describeSignatures(verdict.similar)}, but the bytes that were sent have no signature: a wallet can sign them ` +
    `again, with another blockhash, and they can${describeDeadline(verdict)}. Ask again later, and do not build the payment again before they ` +
    'have expired.',
  not_final: ({ similar }) =>
    `It is in a block that is not confirmed yet, or that too few nodes show.${describeSimilar(similar)} Ask again.`,
};

function describeExpired({ blockHeight, lastValidBlockHeight, nonceUsedBy }: ExpiredVerdict): string {
  const why =
    blockHeight !== undefined && lastValidBlockHeight !== undefined
      ? `the finalized block height ${blockHeight} is past ${lastValidBlockHeight}, the last at which it could land`
      : `another transaction has used its nonce${nonceUsedBy === undefined ? '' : `, ${nonceUsedBy}, and is final`}`;
  return `It has not landed and never can: ${why}. Build the payment again if you still want to make it.`;
}

const unknownWords: { readonly [Reason in UnknownReason]: (verdict: UnknownVerdict) => string } = {
  last_valid_block_height_missing: ({ similar }) =>
    `It was not found among the newest transactions, and its blockhash is no longer valid.${describeSimilar(similar)} Send the ` +
    'last_valid_block_height that came with it: without it we cannot tell how far back to look.',
  history_pruned: ({ similar }) =>
    'It was not found, and the Solana node no longer has all blocks in which it can be.' +
    `${describeSimilar(similar)} Ask a service whose node keeps a longer history, or look through the sender's token account yourself.`,
  history_not_available: ({ similar }) =>
    'It was not found, and the Solana node keeps no history of transactions, or one that contradicts itself.' +
    `${describeSimilar(similar)} The operator can add a node with history to SOLANA_RPC_URLS.`,
  too_many_transactions: ({ similar }) =>
    'It was not found among the newest transactions of its token accounts, which have too many in its lifetime to look at all.' +
    `${describeSimilar(similar)} Ask for it alone, or with the signed transaction, and give each payment a memo and a reference of its own.`,
  too_few_nodes: ({ nodes, similar }) =>
    `It was not found, but ${nodes === undefined ? 'too few' : `only ${nodes.have} of the ${nodes.need}`} Solana nodes that must say ` +
    `so could.${describeSimilar(similar)} Ask again, or have the operator look at the upstreams.`,
  nodes_disagree: ({ nodes, similar }) =>
    `Some Solana nodes show it on chain${describeSignatures(similar)}, and others do not${
      nodes === undefined ? '' : `: ${nodes.have} of the ${nodes.need} that are needed`
    }. Ask again.`,
  similar_payment: ({ similar }) =>
    `It was not found, but a payment is on chain that may be this one${describeSignatures(similar)}. Compare them yourself, and give each ` +
    'payment a memo or a reference of its own.',
};

function describeDeadline({ blockHeight, lastValidBlockHeight }: PendingVerdict): string {
  if (lastValidBlockHeight === undefined) return ' still land';
  const now = blockHeight === undefined ? '' : `; the finalized block height is ${blockHeight}`;
  return ` still land until block height ${lastValidBlockHeight}${now}`;
}

function describeSimilar(similar: readonly string[] | undefined): string {
  return similar === undefined || similar.length === 0
    ? ''
    : ` A payment is on chain that may be this one: ${similar.join(', ')}.`;
}

function describeSignatures(signatures: readonly string[] | undefined): string {
  return signatures === undefined || signatures.length === 0 ? '' : ` (${signatures.join(', ')})`;
}
