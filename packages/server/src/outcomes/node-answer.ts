import type { LandedTransaction } from '../chain/chain-history.ts';
import type { UnknownReason } from './verdict.ts';

/** A transaction that a node shows and that is the one asked for, or may be. */
export interface Match {
  signature: string;
  /**
   * - `signature`, `message`: certainly this one
   * - `content`: equal in all that it pays, within the validity window of this one
   * - `similar`: a payment that may be this one
   */
  by: 'signature' | 'message' | 'content' | 'similar';
  commitment: 'confirmed' | 'finalized';
  landed: LandedTransaction;
}

/** Whether a transaction succeeded. */
export function hasPaid({ landed }: Pick<Match, 'landed'>): boolean {
  return landed.error === null;
}

/** Whether a transaction is certainly the one asked for. */
export function isCertain({ by }: Match): boolean {
  return by === 'signature' || by === 'message';
}

/** Whether a transaction has paid what the one asked for pays, and is not only similar. */
export function isOwn(match: Match): boolean {
  return match.by !== 'similar' && hasPaid(match);
}

/** Returns matches sorted by slot, oldest first; those of one slot stay in their order. */
export function oldestFirst(matches: readonly Match[]): readonly Match[] {
  return matches.toSorted((one, other) => Number(one.landed.slot - other.landed.slot));
}

/** A node's opinion of a transaction, beside the matches that it shows. */
export type Stance =
  /** It shows what became of it. */
  | { kind: 'shows' }
  /** It is not there, and never will be. */
  | { kind: 'denies'; nonceUsedBy?: string }
  /** It can land, as far as this node has come. */
  | { kind: 'waits'; reason: 'lifetime' | 'nonce_unused' | 'nonce_used_not_final' }
  /** It can land, or is about to be seen, whatever other nodes say. */
  | { kind: 'insists'; reason: 'blockhash_alive' | 'not_final' }
  /** It has landed, and the node cannot show it. */
  | { kind: 'hides' }
  | { kind: 'cannot_tell'; reason: UnknownReason };

/** One node's answer about one transaction. */
export interface NodeAnswer {
  /** The oldest first, also within a slot. */
  matches: readonly Match[];
  stance: Stance;
  /** Its finalized block height. */
  blockHeight?: bigint | undefined;
  /** The height of the last block that can take the transaction. */
  lastValidBlockHeight?: bigint | undefined;
}

/** Returns the answer of a node that shows no match. */
export function withStance(stance: Stance): NodeAnswer {
  return { matches: [], stance };
}

/** Thrown when a node's answers do not suffice, or contradict one another. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
  readonly reason: UnknownReason;

  constructor(reason: UnknownReason) {
    super(reason);
    this.reason = reason;
  }
}
