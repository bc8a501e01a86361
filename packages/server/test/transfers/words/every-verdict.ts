import { type InstructionSummary, toAddress } from 'splwright-core';
import type {
  FailedVerdict,
  LandedVerdict,
  PendingReason,
  PendingVerdict,
  SeenTransaction,
  UnknownReason,
  UnknownVerdict,
  Verdict,
} from '../../../src/outcomes/verdict.ts';
import { alice, bob, usdc } from '../../app/sample-bodies.ts';

const [mine, other] = ['5'.repeat(88), '4'.repeat(88)];
const [sender, recipient, mint] = [toAddress(alice), toAddress(bob), toAddress(usdc)];
const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const blockHeight = 419_208_400n;

// A variant that is added to a type of the rule and not here does not compile.
const keysOf = <Text extends string>(texts: Record<Text, true>): Text[] =>
  Object.keys(texts).filter((text): text is Text => text in texts);
const ways = keysOf<SeenTransaction['matchedBy']>({ signature: true, message: true, content: true });
const commitments = keysOf<SeenTransaction['commitment']>({ confirmed: true, finalized: true });

/** Every reason of `pending`. */
export const pendingReasons = keysOf<PendingReason>({
  lifetime: true,
  nonce_unused: true,
  nonce_used_not_final: true,
  blockhash_alive: true,
  failed_but_alive: true,
  not_final: true,
});
/** Every reason of `unknown`. */
export const unknownReasons = keysOf<UnknownReason>({
  last_valid_block_height_missing: true,
  history_pruned: true,
  history_not_available: true,
  too_many_transactions: true,
  too_few_nodes: true,
  nodes_disagree: true,
  similar_payment: true,
});

/** A transaction on chain that was found. */
export const seen: SeenTransaction = {
  signature: mine,
  slot: 440_208_190n,
  blockTime: 1_795_000_000n,
  commitment: 'finalized',
  fee: 5_000n,
  matchedBy: 'signature',
  message: new Uint8Array(),
};
const payments = [{ tokenAccount: recipient, wallet: sender, amount: 1_500_000n, received: 1_485_000n }];
const transfer: InstructionSummary = {
  kind: 'transfer_checked',
  tokenProgram,
  source: sender,
  mint,
  destination: recipient,
  authority: sender,
  amount: 1_500_000n,
  decimals: 6,
  otherAccounts: [],
};
const memo: InstructionSummary = { kind: 'memo', program: recipient, text: 'x', signers: [] };

const landed: readonly LandedVerdict[] = ways.flatMap((matchedBy) =>
  commitments.flatMap((commitment) =>
    [undefined, [other, mine]].map(
      (ambiguous): LandedVerdict => ({
        outcome: 'landed',
        ...seen,
        matchedBy,
        commitment,
        payments,
        ...(ambiguous && { ambiguous }),
      }),
    ),
  ),
);
const failed: readonly FailedVerdict[] = ways.flatMap((matchedBy) =>
  commitments.flatMap((commitment) =>
    [
      { InstructionError: [1, { Custom: 1 }] },
      { InstructionError: [0, 'InvalidInstructionData'] },
      { InsufficientFundsForRent: { account_index: 2 } },
    ].map(
      (error): FailedVerdict => ({
        outcome: 'failed',
        ...seen,
        matchedBy,
        commitment,
        error,
        instructions: [memo, transfer],
      }),
    ),
  ),
);

const heights = { blockHeight, lastValidBlockHeight: 419_208_373n };
const similar = [other];

/** Every outcome, with every reason and everything that may be there or not. */
export const everyVerdict: readonly Verdict[] = [
  ...landed,
  ...failed,
  ...pendingReasons.flatMap((reason): PendingVerdict[] => [
    { outcome: 'pending', reason },
    { outcome: 'pending', reason, similar },
    ...(isOfBlocks(reason)
      ? [
          { outcome: 'pending' as const, reason, ...heights },
          { outcome: 'pending' as const, reason, ...heights, similar },
        ]
      : []),
  ]),
  { outcome: 'expired', ...heights },
  { outcome: 'expired' },
  { outcome: 'expired', nonceUsedBy: other },
  ...unknownReasons.flatMap((reason): UnknownVerdict[] => [
    { outcome: 'unknown', reason },
    { outcome: 'unknown', reason, similar },
    ...(isOfNodes(reason) ? [{ outcome: 'unknown' as const, reason, nodes: { have: 1, need: 2 }, similar }] : []),
  ]),
];

function isOfBlocks(reason: PendingReason): boolean {
  return reason === 'lifetime' || reason === 'blockhash_alive' || reason === 'failed_but_alive';
}

function isOfNodes(reason: UnknownReason): boolean {
  return reason === 'too_few_nodes' || reason === 'nodes_disagree';
}
