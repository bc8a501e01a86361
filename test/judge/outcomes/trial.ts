import type { Address } from '@solana/kit';
import type { Keypair } from '../../../packages/sandbox/src/ledger/keypair.ts';
import type { Random } from '../random.ts';
import type { Situation } from '../situation.ts';
import type { Cluster, Landed } from './cluster.ts';
import type { HistoryWorld, Purpose } from './history-world.ts';
import type { NodeView } from './node-view.ts';
import type { PaymentReading } from './payment-reading.ts';
import type { PostedRequest } from './request-body.ts';
import type { Services } from './services.ts';

/** A transaction that a service handed out. */
export interface Built {
  bytes: Uint8Array;
  reading: PaymentReading;
  /** `undefined` with a nonce. */
  lastValidBlockHeight: bigint | undefined;
  /** The reply, byte for byte. */
  text: string;
  /** As it is, with the signatures of all. */
  signedAsBuilt?: { bytes: Uint8Array; reading: PaymentReading };
  /** What the wallet made of it. */
  signed?: { bytes: Uint8Array; reading: PaymentReading };
  /** Why it must never land any more: what a service said. */
  deadBecause?: string;
}

/** What is asked of the services for a purpose, and what came of it. */
export interface Errand {
  purpose: Purpose | 'stranger';
  posted: PostedRequest;
  idempotencyKey: string | undefined;
  apiKey: { text: string };
  /** Everything that was handed out, the oldest first. */
  builds: Built[];
  /** What the services remember under the key, as the test knows it. */
  record: KeyRecord;
  /** The blockhashes and nonces of the moments at which it was asked for. */
  askedAt: Set<string>;
  /** The builds since the key was forgotten last: for these, at most one may land. */
  sinceForgotten: Built[];
}

/** What is remembered under an Idempotency-Key. */
export type KeyRecord =
  | { kind: 'none' }
  /** An attempt that ended without a word holds the key until then. */
  | { kind: 'building'; until: number }
  | { kind: 'built'; built: Built; until: number };

/** A world while it is lived through. */
export interface Trial {
  world: HistoryWorld;
  situation: Situation;
  cluster: Cluster;
  services: Services;
  nodes: readonly NodeView[];
  errands: Map<Purpose | 'stranger', Errand>;
  /** Who pays where wallets replace the fee payer, and for what is sent besides. */
  otherPayer: Keypair;
  nonceAccount: Address | undefined;
  random: Random;
  /** Where the services are wrong. */
  disagreements: string[];
  /** What happened, a line each. */
  log: string[];
  /** How often each outcome and each reply was seen. */
  tally: Map<string, number>;
}

/** Everything that was handed out in a trial. */
export function allBuilds({ errands }: Trial): { errand: Errand; built: Built }[] {
  return [...errands.values()].flatMap((errand) => errand.builds.map((built) => ({ errand, built })));
}

/**
 * Whose a landed transaction is: those whose bytes it is as they were handed out, or else those whose wallet made it of them.
 *
 * Two requests may have been answered with the same bytes, and a wallet may make of one what was handed out for another.
 */
export function ownersOf(trial: Trial, { reading }: Pick<Landed, 'reading'>): { errand: Errand; built: Built }[] {
  const all = allBuilds(trial);
  const asBuilt = all.filter(({ built }) => built.reading.message === reading.message);
  if (asBuilt.length > 0) return asBuilt;
  return all.filter(({ built }) => built.signed?.reading.message === reading.message);
}

/** What a transaction would live by that is built now: the newest blockhash, or the nonce. */
export function currentLifetime({ cluster, nonceAccount }: Trial): string {
  const nonce = nonceAccount === undefined ? undefined : cluster.nonceAt(cluster.tip);
  return nonce ?? cluster.ledger.latestBlockhash('confirmed').blockhash;
}

/** Counts something. */
export function count({ tally }: Trial, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}
