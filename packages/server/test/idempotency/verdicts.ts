import type {
  ExpiredVerdict,
  FailedVerdict,
  LandedVerdict,
  PendingVerdict,
  UnknownVerdict,
} from '../../src/outcomes/verdict.ts';

const seen = {
  signature: '5'.repeat(88),
  slot: 900n,
  blockTime: 1_795_000_000n,
  commitment: 'finalized',
  fee: 5000n,
  matchedBy: 'message',
  message: new Uint8Array([1]),
} as const;

/** A verdict of each outcome, with other members as given. */
export const verdicts = {
  landed: (more: Partial<LandedVerdict> = {}): LandedVerdict => ({
    outcome: 'landed',
    ...seen,
    payments: [],
    ...more,
  }),
  failed: (more: Partial<FailedVerdict> = {}): FailedVerdict => ({
    outcome: 'failed',
    ...seen,
    error: 'AccountInUse',
    instructions: [],
    ...more,
  }),
  pending: (more: Partial<PendingVerdict> = {}): PendingVerdict => ({
    outcome: 'pending',
    reason: 'lifetime',
    blockHeight: 900n,
    lastValidBlockHeight: 1150n,
    ...more,
  }),
  expired: (): ExpiredVerdict => ({ outcome: 'expired', blockHeight: 1151n, lastValidBlockHeight: 1150n }),
  unknown: (more: Partial<UnknownVerdict> = {}): UnknownVerdict => ({
    outcome: 'unknown',
    reason: 'history_pruned',
    ...more,
  }),
};
