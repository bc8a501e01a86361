import { randomUUID } from 'node:crypto';
import { readTransferIntent, type TransferIntent } from 'splwright-core';
import { hashMessage } from '../app/message-hash.ts';
import type { Metadata } from '../app/metadata.ts';
import { Work } from '../app/work.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import type { OutcomeFinder } from '../outcomes/outcome-finder.ts';
import type { Verdict } from '../outcomes/verdict.ts';
import { AppError, isAppError } from '../problems.ts';
import { type PendingTransaction, type Progress, progressJson, transfersOf } from './batch-progress.ts';
import type { HashedBody } from './idempotency-key.ts';
import {
  alreadyLanded,
  identicalTransaction,
  inProgress,
  keyReused,
  previousMayLand,
  storeUnavailable,
} from './idempotency-problems.ts';
import type {
  BuiltRecord,
  BuiltReply,
  BuiltTransaction,
  ClaimAttempt,
  Knowledge,
  LandedTransaction,
  RequestId,
  SentTransaction,
} from './idempotent-request.ts';
import type { IdempotencyRecords } from './records/idempotency-records.ts';
import { ReplyQuota } from './reply-quota.ts';
import { blocksToWait, retryAfterSeconds, stateOf, type TransactionState } from './retry-rule.ts';

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
  /**
   * Builds what is asked for, and has neither landed nor may; what it throws is the refusal of the request, and is not stored.
   *
   * `before`: what was built before, of a request that keeps its amount.
   */
  build: (progress: Progress, before?: TransferIntent) => Promise<BuiltReply>;
  /** Whether the one transaction of the request pays what the first one did: one that never lands is known until another is built. */
  keepsAmount?: boolean;
  /** Throws when the API key may not have what was built before. */
  assertAllowed: (built: readonly TransferIntent[]) => void;
  /** Of the events of its transactions. */
  metadata?: Metadata | undefined;
  /** The turns in which stored transactions are read and their outcomes searched; absent where the reply pays nothing. */
  work?: Work;
  /** Of a batch: how many transfers it has, and the text of a reply in which nothing is new. */
  batch?: { transferCount: number; describe: (progress: Progress) => string };
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
        return this.#buildFirst(request, claim);
      case 'building':
        throw inProgress();
      case 'other_body':
        throw keyReused();
      case 'built':
        return this.#answerRetry(request, claimed.record, deadline);
    }
  }

  async #answerRetry(request: KeyedRequest, record: BuiltRecord, deadline: Deadline): Promise<KeyedReply> {
    const asked = await this.#askFor(request, record, deadline);
    const states = asked.map(({ state }) => state);
    if (record.whole && states.every((state) => state.kind === 'may_land' && state.canBeSent)) {
      return { ...record.whole, isReplay: true };
    }
    const { progress, known } = progressOf(asked, record, request.keepsAmount);
    const made = transfersOf([...progress.landed, ...progress.pending]);
    if (states.some(({ kind }) => kind === 'dead') || made.length < (request.batch?.transferCount ?? 0)) {
      const claim = this.#newClaim(request, deadline);
      const claimed = await reached(this.#options.records.reclaim(request.id, record, claim, known));
      if (!claimed) throw inProgress();
      const before = request.keepsAmount ? asked[0]?.intent : undefined;
      return this.#build(request, claim, claimed, progress, before);
    }
    const ofBatch = request.batch && progressJson(progress);
    const [landed] = states.flatMap((state) => (state.kind === 'landed' ? state.verdict : []));
    const [open] = states.flatMap((state) => (state.kind === 'may_land' ? state.verdict : []));
    if (open && request.batch && progress.pending.some(({ canBeSent }) => canBeSent)) {
      return { reply: request.batch.describe(progress), headers: {}, isReplay: false };
    }
    if (open) throw previousMayLand(open, await this.#secondsToWait(open), ofBatch);
    if (!landed) throw new Error('nothing is known of a request for which something was built');
    throw alreadyLanded(landed, ofBatch);
  }

  /** Asks what became of every transaction that is not known to be final. */
  async #askFor(
    { id, assertAllowed, work }: KeyedRequest,
    record: BuiltRecord,
    deadline: Deadline,
  ): Promise<readonly AskedTransaction[]> {
    const { records, outcomes } = this.#options;
    const intents = await readIntents(record.transactions, work);
    assertAllowed(intents);
    // What pays nothing, such as a payment link, stays what it is.
    if (intents.length === 0) return [];
    const items = intents.map((intent, index) => {
      return { intent, lastValidBlockHeight: record.transactions[index]?.lastValidBlockHeight };
    });
    const landedBefore = new Set(record.landed.map(({ messageHash }) => messageHash));
    const search = work ?? new Work({ deadline });
    const verdicts = await outcomes.find(items, search, async (message) => {
      const messageHash = hashMessage(message);
      return landedBefore.has(messageHash) || reached(records.isBuiltByAnother(messageHash, id));
    });
    const blockHeight = await this.#blockHeightFor(verdicts, deadline);
    return record.transactions.map((built, index) => {
      const [intent, verdict] = [intents[index], verdicts[index]];
      if (!intent || !verdict) throw new Error('a stored transaction has no verdict');
      const { lastValidBlockHeight } = built;
      return { built, intent, state: stateOf({ verdict, lastValidBlockHeight }, blockHeight) };
    });
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

  // Only the first reply needs room: a later one takes the place of what was stored.
  async #buildFirst(request: KeyedRequest, claim: ClaimAttempt): Promise<KeyedReply> {
    const { id, bodyBytes } = request;
    const room = await reached(this.#quota.reserve(id.scope, bodyBytes, claim.now)).catch(async (error: unknown) => {
      await this.#options.records.release(id, claim.attempt).catch(() => undefined);
      throw error;
    });
    return this.#build(request, claim, undefined, { landed: [], pending: [] }).finally(room.giveBack);
  }

  async #build(
    { id, build, work, metadata, batch, keepsAmount }: KeyedRequest,
    { attempt }: ClaimAttempt,
    from: BuiltRecord | undefined,
    progress: Progress,
    before?: TransferIntent,
  ): Promise<KeyedReply> {
    const { records, now, retentionMs } = this.#options;
    const { transactions = [], landed = [] } = from ?? {};
    const kept = keepsAmount ? [] : transactions;
    try {
      const built = await build(progress, before);
      const sent = await describeSent(built, work);
      assertDistinct(sent, kept, landed);
      const all = [...kept, ...built.transactions];
      const isWhole = kept.length === 0 && transfersOf([...landed, ...all]).length >= (batch?.transferCount ?? 0);
      const storedAt = now();
      const counted = built.counted?.(storedAt) ?? [];
      const stored = { whole: isWhole ? built : undefined, transactions: all, sent, metadata, counted, replaces: from };
      const keptMs = retentionOf(all, retentionMs);
      try {
        const isStored = await reached(records.complete(id, attempt, stored, storedAt, keptMs));
        // It took longer than its lease, and another attempt has taken over: only what that one built may be paid.
        if (!isStored) throw inProgress();
      } catch (error) {
        // Where only the answer of the database was lost, it is stored.
        if (!isAppError(error, 'idempotency_unavailable')) await built.giveBack?.().catch(() => undefined);
        throw error;
      }
      return { reply: built.reply, headers: built.headers, isReplay: false };
    } catch (error) {
      // Changes nothing where the reply was stored. When it fails too, the lease ends the claim.
      await records.release(id, attempt).catch(() => undefined);
      throw batch && isAppError(error) ? error.withProgress(progressJson(progress)) : error;
    }
  }

  #newClaim({ bodyHash }: KeyedRequest, deadline: Deadline): ClaimAttempt {
    const { now, timeLeftMs, leaseReserveMs, retentionMs } = this.#options;
    const leaseMs = Math.ceil(Math.max(0, timeLeftMs(deadline))) + leaseReserveMs;
    return { bodyHash, attempt: randomUUID(), now: now(), leaseMs, retentionMs };
  }
}

/** A transaction of a record, and what became of it. */
interface AskedTransaction {
  built: BuiltTransaction;
  intent: TransferIntent;
  state: TransactionState;
}

/** Returns the fates of all transactions of a request, and those to know from now on: none that is dead, unless it `keepsDead`. */
function progressOf(
  asked: readonly AskedTransaction[],
  record: BuiltRecord,
  keepsDead = false,
): { progress: Progress; known: Knowledge } {
  const landed: LandedTransaction[] = [];
  const final: LandedTransaction[] = [];
  const pending: PendingTransaction[] = [];
  const kept: BuiltTransaction[] = [];
  for (const { built, intent, state } of asked) {
    if (asked.length > 1 && !built.transfers)
      throw new Error('nothing says which transfers a stored transaction makes');
    if (state.kind === 'dead') {
      if (keepsDead) kept.push(built);
      continue;
    }
    if (state.kind === 'landed' && built.transfers) {
      const { signature, slot, blockTime, message, commitment } = state.verdict;
      const { transfers, sponsorFee } = built;
      landed.push({ transfers, signature, slot, blockTime, messageHash: hashMessage(message), sponsorFee });
      // Until then a fork may undo it: it is asked for again.
      if (commitment === 'finalized') final.push(...landed.slice(-1));
    } else if (state.kind === 'may_land') {
      const messageHash = hashMessage(intent.message);
      pending.push({ ...built, messageHash, lifetime: intent.lifetime, canBeSent: state.canBeSent });
    }
    if (state.kind !== 'landed' || state.verdict.commitment !== 'finalized') kept.push(built);
  }
  return {
    progress: { landed: [...record.landed, ...landed], pending },
    known: { transactions: kept, landed: [...record.landed, ...final] },
  };
}

/** Throws where two transactions of a request would have the same bytes, of which the chain takes one. */
function assertDistinct(
  sent: readonly SentTransaction[],
  kept: readonly BuiltTransaction[],
  landed: readonly LandedTransaction[],
): void {
  const hashes = sent.map(({ messageHash }) => messageHash);
  if (new Set(hashes).size < hashes.length) throw new Error('two transactions of a reply are the same');
  const known = new Set([
    ...kept.map(({ bytes }) => hashMessage(intentOf(bytes).message)),
    ...landed.map(({ messageHash }) => messageHash),
  ]);
  if (hashes.some((hash) => known.has(hash))) throw identicalTransaction(sent);
}

/** A transaction with a durable nonce can land until the nonce is advanced. */
const minNonceRetentionMs = 30 * 86_400_000;

function retentionOf(transactions: readonly BuiltTransaction[], retentionMs: number): number {
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
