import { hash, randomUUID } from 'node:crypto';
import { readTransferIntent, type TransferIntent } from 'splwright-core';
import { Work } from '../app/work.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import type { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import type { Verdict } from '../outcomes/verdict.ts';
import { AppError } from '../problems.ts';
import type { HashedBody } from './idempotency-key.ts';
import { alreadyLanded, inProgress, keyReused, previousMayLand, storeUnavailable } from './idempotency-problems.ts';
import type {
  BuiltRecord,
  BuiltReply,
  ClaimAttempt,
  LandedTransaction,
  RequestId,
  SentTransaction,
} from './idempotent-request.ts';
import type { IdempotencyRecords } from './records/idempotency-records.ts';
import { ReplyQuota } from './reply-quota.ts';
import { blocksToWait, decideRetry, type LandedFate, type RetryDecision, retryAfterSeconds } from './retry-rule.ts';

/** What the rules of keyed requests need. */
export interface KeyedRequestsOptions {
  records: Omit<IdempotencyRecords, 'prune'>;
  outcomes: Pick<OutcomeFinder, 'find'>;
  /** Reads the block height at `confirmed`; throws the fault of the upstream. */
  readBlockHeight: (deadline: Deadline) => Promise<bigint>;
  /** Resolves with how many milliseconds a slot takes; with `undefined` where that is not known. Asked only for a wait in blocks. */
  readSlotMs: () => Promise<number | undefined>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** How long an attempt that neither completes nor releases keeps others out after the deadline of its request. */
  leaseReserveMs: number;
  /** How many milliseconds are left until a deadline. */
  timeLeftMs: (deadline: Deadline) => number;
  /** How long a reply is kept. */
  retentionMs: number;
  /** How many bytes the kept replies of one API key may take; 0 for no limit. */
  maxStoredBytes: number;
  /** Resolves once the records are known to be of the cluster that is served; rejects with the fault of the upstream or of the database. */
  confirmCluster: () => Promise<void>;
}

/** A request with an `Idempotency-Key`, which may be the first under that key or a retry. */
export interface KeyedRequest extends HashedBody {
  id: RequestId;
  /** Builds what is asked for, and has not `landed`; what it throws is the refusal of the request, and is not stored. */
  build: (landed: readonly LandedTransaction[]) => Promise<BuiltReply>;
  /** Throws when the API key may not have what was built before. */
  assertAllowed: (built: readonly TransferIntent[]) => void;
  /** The turns in which stored transactions are read and their outcomes searched; absent where the reply pays nothing. */
  work?: Work;
}

/** The reply to a keyed request: that of a build, or the stored one again. */
export interface KeyedReply extends Pick<BuiltReply, 'reply' | 'headers'> {
  isReplay: boolean;
}

/** Answers requests with an `Idempotency-Key`, so that what is built under one key is paid at most once. */
export class KeyedRequests {
  readonly #options: KeyedRequestsOptions;
  readonly #quota: ReplyQuota;

  constructor(options: KeyedRequestsOptions) {
    this.#options = options;
    this.#quota = new ReplyQuota(options);
  }

  /**
   * Builds the reply of the first request under a key, and decides for each retry what it gets.
   *
   * A reply leaves only after it was stored. Throws an `AppError`: what `build` throws, the fault of the upstream that was asked
   * what became of the transaction, or one of the refusals of `idempotency-problems.ts`.
   */
  async answer(request: KeyedRequest, deadline: Deadline): Promise<KeyedReply> {
    const { records, confirmCluster } = this.#options;
    await reached(confirmCluster());
    const claim = this.#newClaim(request, deadline);
    const claimed = await reached(records.claim(request.id, claim));
    switch (claimed.kind) {
      case 'claimed':
        return this.#buildWithinQuota(request, claim, claimed.landed);
      case 'building':
        throw inProgress();
      case 'other_body':
        throw keyReused();
      case 'built':
        return this.#answerRetry(request, claimed.record, deadline);
    }
  }

  async #answerRetry(request: KeyedRequest, record: BuiltRecord, deadline: Deadline): Promise<KeyedReply> {
    const decision = await this.#decideRetry(request, record, deadline);
    switch (decision.kind) {
      case 'replay':
        return { reply: record.reply, headers: record.headers, isReplay: true };
      case 'landed':
        throw alreadyLanded(decision.landed[0].verdict, landedOf(record, decision.landed));
      case 'may_land':
        throw previousMayLand(decision.verdict, await this.#secondsToWait(decision.verdict));
      case 'rebuild': {
        const landed = landedOf(record, decision.landed);
        if (landed.length < record.landed.length + decision.landed.length) {
          throw new Error('nothing says which transfers a stored transaction makes');
        }
        const claim = this.#newClaim(request, deadline);
        const isClaimed = await reached(this.#options.records.reclaim(request.id, record, claim, landed));
        if (!isClaimed) throw inProgress();
        return this.#build(request, claim, landed);
      }
    }
  }

  async #decideRetry(
    { id, assertAllowed, work }: KeyedRequest,
    record: BuiltRecord,
    deadline: Deadline,
  ): Promise<RetryDecision> {
    const { records, outcomes } = this.#options;
    const intents = await readIntents(record.transactions, work);
    assertAllowed(intents);
    const items = intents.map((intent, index) => {
      return { intent, lastValidBlockHeight: record.transactions[index]?.lastValidBlockHeight };
    });
    // What pays nothing, such as a payment link, stays what it is.
    if (items.length === 0) return { kind: 'replay' };
    const landedBefore = new Set(record.landed.map(({ messageHash }) => messageHash));
    const search = work ?? new Work({ deadline });
    const verdicts = await outcomes.find(items, search, async (message) => {
      const messageHash = hashMessage(message);
      return landedBefore.has(messageHash) || reached(records.isBuiltByAnother(messageHash, id));
    });
    const fates = items.flatMap(({ lastValidBlockHeight }, index) => {
      const verdict = verdicts[index];
      return verdict ? [{ verdict, lastValidBlockHeight }] : [];
    });
    if (fates.length !== items.length) throw new Error('a stored transaction has no verdict');
    return decideRetry(fates, await this.#blockHeightFor(verdicts, deadline));
  }

  async #secondsToWait(verdict: Verdict): Promise<number> {
    const slotMs = blocksToWait(verdict) === undefined ? undefined : await this.#options.readSlotMs();
    return retryAfterSeconds(verdict, slotMs);
  }

  // Read after the search, so that what is replayed can still land.
  async #blockHeightFor(verdicts: readonly Verdict[], deadline: Deadline): Promise<bigint | undefined> {
    const isNeeded = verdicts.some((verdict) => verdict.outcome === 'pending' && verdict.reason !== 'nonce_unused');
    return isNeeded ? this.#options.readBlockHeight(deadline) : undefined;
  }

  // Only for the first reply: a later one replaces the stored one.
  async #buildWithinQuota(
    request: KeyedRequest,
    claim: ClaimAttempt,
    landed: readonly LandedTransaction[],
  ): Promise<KeyedReply> {
    const { id, bodyBytes } = request;
    const room = await reached(this.#quota.reserve(id.scope, bodyBytes, claim.now)).catch(async (error: unknown) => {
      await this.#options.records.release(id, claim.attempt).catch(() => undefined);
      throw error;
    });
    return this.#build(request, claim, landed).finally(room.giveBack);
  }

  async #build(
    { id, build, work }: KeyedRequest,
    { attempt }: ClaimAttempt,
    landed: readonly LandedTransaction[],
  ): Promise<KeyedReply> {
    const { records, now, retentionMs } = this.#options;
    try {
      const built = await build(landed);
      const sent = await describeSent(built, work);
      // The chain takes equal bytes once: under two keys they would be one payment.
      const messageHashes = sent.map(({ messageHash }) => messageHash);
      if (new Set(messageHashes).size < messageHashes.length) {
        throw new Error('two transactions of a reply are the same');
      }
      const reply = { ...built, sent };
      const isStored = await reached(records.complete(id, attempt, reply, now(), retentionOf(built, retentionMs)));
      // It took longer than its lease, and another attempt has taken over: only what that one built may be paid.
      if (!isStored) throw inProgress();
      return { reply: built.reply, headers: built.headers, isReplay: false };
    } catch (error) {
      // Changes nothing where the reply was stored. When it fails too, the lease ends the claim.
      await records.release(id, attempt).catch(() => undefined);
      throw error;
    }
  }

  #newClaim({ bodyHash }: KeyedRequest, deadline: Deadline): ClaimAttempt {
    const { now, timeLeftMs, leaseReserveMs, retentionMs } = this.#options;
    const leaseMs = Math.ceil(Math.max(0, timeLeftMs(deadline))) + leaseReserveMs;
    return { bodyHash, attempt: randomUUID(), now: now(), leaseMs, retentionMs };
  }
}

/** All that has landed, of earlier replies and of the stored one. */
function landedOf({ landed, transactions }: BuiltRecord, fates: readonly LandedFate[]): readonly LandedTransaction[] {
  return [
    ...landed,
    ...fates.flatMap(({ index, verdict: { signature, slot, blockTime, message } }) => {
      const transfers = transactions[index]?.transfers;
      return transfers ? [{ transfers, signature, slot, blockTime, messageHash: hashMessage(message) }] : [];
    }),
  ];
}

/** A transaction with a durable nonce can land until the nonce is advanced. */
const minNonceRetentionMs = 30 * 86_400_000;

function retentionOf({ transactions }: BuiltReply, retentionMs: number): number {
  const hasNonce = transactions.some(({ lastValidBlockHeight }) => lastValidBlockHeight === undefined);
  return hasNonce ? Math.max(retentionMs, minNonceRetentionMs) : retentionMs;
}

async function describeSent({ transactions }: BuiltReply, work: Work | undefined): Promise<readonly SentTransaction[]> {
  const intents = await readIntents(transactions, work);
  return transactions.flatMap((transaction, index) => {
    const intent = intents[index];
    return intent ? [{ ...transaction, index, messageHash: hashMessage(intent.message), source: intent.source }] : [];
  });
}

/** Returns the SHA-256 of a message, lower-case hex. */
export function hashMessage(message: Uint8Array): string {
  return hash('sha256', message, 'hex');
}

/** Awaits an answer of the store. Throws an `AppError` of status 503 when the store does not answer, or the fault of the upstream. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof UpstreamFault || error instanceof AppError ? error : storeUnavailable(error);
  }
}

// Reading this many takes no longer than other requests may wait.
const intentsPerTurn = 8;

/** Reads what transactions are meant to pay, those of a batch in turns of the event loop. Throws for bytes that are no transfer. */
export async function readIntents(
  transactions: readonly { bytes: Uint8Array }[],
  work: Work | undefined,
): Promise<readonly TransferIntent[]> {
  const intents: TransferIntent[] = [];
  for (const { bytes } of transactions) {
    if (intents.length > 0 && intents.length % intentsPerTurn === 0) await work?.next();
    intents.push(intentOf(bytes));
  }
  return intents;
}

function intentOf(bytes: Uint8Array): TransferIntent {
  const read = readTransferIntent(bytes);
  if ('fault' in read) throw new Error(`a built transaction is no transfer: ${read.fault.kind}`);
  return read.intent;
}
