import type { NodesWorld } from './node-world.ts';
import type { WalletChange } from './wallet.ts';

/** A payment and what happens to it, as drawn: plain values. */
export interface HistoryWorld {
  seed: number;
  number: number;
  nodes: NodesWorld;
  /** Whether each node fails now and then: then only what must never be said is judged. */
  isStormy: boolean;
  steps: readonly Step[];
}

/** One of the services that share a database. */
export type Instance = 0 | 1;

/**
 * What a request is for: the payment under its Idempotency-Key (0), a twin of it under another (1 and 2), or a twin that is built
 * without one (`plain`).
 */
export type Purpose = 0 | 1 | 2 | 'plain';

/** Something that happens. */
export type Step =
  /** The request for a purpose is sent; for the first time, or once more. */
  | { kind: 'request'; purpose: Purpose; instance: Instance; rewritten: boolean }
  /** The same request several times at once, to both services. */
  | { kind: 'requests_at_once'; purpose: Exclude<Purpose, 'plain'>; count: number }
  /** Another body under the key. */
  | { kind: 'other_body'; purpose: Exclude<Purpose, 'plain'>; instance: Instance }
  /** Somebody else, with an API key of his own, uses the same Idempotency-Key. */
  | { kind: 'stranger'; instance: Instance }
  /** The wallet signs what was built last for a purpose, with changes; it signs each thing once. */
  | { kind: 'sign'; purpose: Purpose; changes: readonly WalletChange[] }
  /** What the wallet signed of the last build, or of an earlier one, is sent; it is signed as built where it was not. */
  | { kind: 'submit'; purpose: Purpose; earlier: number }
  /** The same, while the sender's token account is frozen. */
  | { kind: 'submit_failing'; purpose: Purpose; earlier: number }
  | { kind: 'pass'; until: Moment; by: number; skipped: number }
  /** The nonce is advanced by a transaction that lives by it, or by one that lives by a blockhash. */
  | { kind: 'advance_nonce'; livesBy: 'nonce' | 'blockhash' }
  /** Other payments of the sender, and to the recipient. */
  | { kind: 'traffic'; payments: readonly Traffic[] }
  | { kind: 'rotate_api_key' }
  /** A service dies while it answers: before or after the reply is stored. */
  | { kind: 'crash'; purpose: Exclude<Purpose, 'plain'>; instance: Instance; when: 'before_storing' | 'after_storing' }
  /** A service takes long to build, maybe longer than its lease, and meanwhile the other one is asked. */
  | { kind: 'stall'; purpose: Exclude<Purpose, 'plain'>; instance: Instance; outlastsLease: boolean }
  /** The lease of whoever builds passes. */
  | { kind: 'pass_lease' }
  /** The time passes for which keys are remembered. */
  | { kind: 'forget' }
  /** The chain cannot be read for this request. */
  | { kind: 'unreadable'; purpose: Purpose; instance: Instance }
  /** The outcome is asked for while the payment lands, or time passes, between two answers of a node. */
  | { kind: 'meddle'; at: number; what: 'submit' | 'pass' | 'advance_nonce' };

/** Until when time passes. `by`: blocks more, or fewer. */
export type Moment =
  /** Some blocks from now. */
  | 'soon'
  /** The last block that takes the newest build for the payment as it is. */
  | 'own_end'
  /** That block is final. */
  | 'own_end_final'
  /** The last block that takes what a wallet gave a new blockhash is final. */
  | 'last_end_final';

/** A payment between the same accounts, or some of them, that is another one. */
export interface Traffic {
  /** The same payment with another memo, another amount, or without one of its references; or an incoming one. */
  differs: 'memo' | 'amount' | 'references' | 'incoming';
  fails: boolean;
}

/** The kinds of steps. */
export type StepKind = Step['kind'];
