import assert from 'node:assert/strict';
import { readTransferIntent } from '../../../core/src/index.ts';
import { type Progress, transfersOf } from '../../src/idempotency/batch-progress.ts';
import type { BuiltReply, BuiltTransaction } from '../../src/idempotency/idempotent-request.ts';
import { KeyedRequests } from '../../src/idempotency/keyed-requests.ts';
import type { OutcomeItem, Verdict } from '../../src/outcomes/verdict.ts';
import { AppError, isAppError } from '../../src/problems.ts';
import { sampleBuilt } from './sample-built.ts';
import { verdicts } from './verdicts.ts';
import { WatchedRecords } from './watched-records.ts';

const leaseMs = 7000;
const life = 150n;
const finalizationBlocks = 32n;
/** Opened once: every world forgets what the one before has stored. */
const allRecords = new WatchedRecords();
const id = { scope: 'key_1', path: '/v1/transfers', key: 'order-7' };

interface WorldTransaction {
  bytes: Uint8Array;
  lastValidBlockHeight: bigint;
  /** The transfers that it makes. */
  transfers: readonly number[];
  /** The height of the block in which it landed. */
  landedAt: bigint | undefined;
  isHandedOut: boolean;
}

/** A request under way: it stands at one point until the test lets it go on. */
interface Actor {
  isCrashed: boolean;
  /** Lets it go on, or fails what it waits for. */
  waiting: { goOn: () => void; fail: (error: Error) => void } | undefined;
}

/**
 * One request after another and all at once under one key, with a ledger; nothing in it happens but by its methods.
 *
 * A request of several transfers is a batch: its transactions make one, two or three of them.
 */
export class KeyedWorld {
  readonly transactions: WorldTransaction[] = [];
  /** Those that stand somewhere, the oldest first. */
  readonly actors: Actor[] = [];
  readonly #transferCount: number;
  #now = 1_000_000;
  #blockHeight = 1000n;
  /** How many builds had to leave out what had landed, and what could still land. */
  partBuilds = { landed: 0, pending: 0 };
  /** The transfers that cannot be built now. */
  readonly frozen = new Set<number>();

  private constructor(transferCount: number) {
    this.#transferCount = transferCount;
  }

  /** A world in which nothing has happened. */
  static async start(transferCount: number): Promise<KeyedWorld> {
    await allRecords.clear();
    return new KeyedWorld(transferCount);
  }

  /** How often each transfer was made. */
  get payments(): readonly number[] {
    return this.#count(({ landedAt }) => landedAt !== undefined);
  }

  /** How often each transfer was or can be made by transactions that were handed out. */
  get payable(): readonly number[] {
    return this.#count((each) => each.isHandedOut && (each.landedAt !== undefined || this.#canLand(each)));
  }

  /**
   * Starts a request in a process of its own; resolves with what it got, and never when it crashed. `skips`: whether it wants the
   * rest of a batch where some of it is frozen.
   */
  request(skips = false): Promise<'handed out' | 'already_landed' | 'refused'> {
    const actor: Actor = { isCrashed: false, waiting: undefined };
    this.actors.push(actor);
    // A request to the database is on its way, takes effect, and its answer is on its way.
    const standing =
      <Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) =>
      async (...input: Input): Promise<Result> => {
        await this.#stand(actor);
        const result = await call(...input);
        await this.#stand(actor);
        return result;
      };
    const requests = new KeyedRequests({
      records: {
        claim: standing(allRecords.claim),
        reclaim: standing(allRecords.reclaim),
        complete: standing(allRecords.complete),
        release: standing(allRecords.release),
        isBuiltByAnother: standing(allRecords.isBuiltByAnother),
        storedBytesOf: async () => 0,
      },
      outcomes: { find: (items) => this.#look(actor, () => items.map((item) => this.#judge(item))) },
      readBlockHeight: () => this.#look(actor, () => this.#blockHeight),
      readSlotMs: async () => undefined,
      now: () => this.#now,
      leaseReserveMs: leaseMs - 5000,
      timeLeftMs: (deadline) => deadline,
      retentionMs: 1e12,
      maxStoredBytes: 0,
      confirmCluster: async () => undefined,
    });
    const build = (progress: Progress) => this.#look(actor, () => this.#build(progress, skips));
    const transferCount = this.#transferCount;
    const describe = (progress: Progress): string => JSON.stringify(this.#sendableOf(progress));
    const batch = transferCount > 1 ? { batch: { transferCount, describe } } : {};
    const request = { id, bodyHash: 'a', bodyBytes: 300, build, assertAllowed: () => undefined, ...batch };
    return requests
      .answer(request, 5000)
      .then(
        ({ reply }) => {
          this.#handOut(reply);
          return 'handed out' as const;
        },
        (error: unknown) => {
          if (!isAppError(error)) throw error;
          return error.code === 'already_landed' ? ('already_landed' as const) : ('refused' as const);
        },
      )
      .finally(() => this.#remove(actor));
  }

  /** Lets the request at this place of the list go on; or its database or its node fails; or its process is killed. */
  async step(index: number, how: 'goes on' | 'fails' | 'crashes'): Promise<void> {
    const actor = this.actors[index % Math.max(this.actors.length, 1)];
    const waiting = actor?.waiting;
    if (!actor || !waiting) return;
    actor.waiting = undefined;
    if (how === 'goes on') waiting.goOn();
    else if (how === 'fails') waiting.fail(new AppError('upstream_unavailable', 'away'));
    else this.#remove(actor);
    await settled();
  }

  /** Lets blocks and time pass. */
  pass(blocks: number, milliseconds: number): void {
    this.#blockHeight += BigInt(blocks);
    this.#now += milliseconds;
  }

  /** Lands a transaction that was handed out, if it still can: by its bytes, or as a wallet has changed them. */
  land(index: number): void {
    const handedOut = this.transactions.filter(({ isHandedOut }) => isHandedOut);
    const transaction = handedOut[index % Math.max(handedOut.length, 1)];
    if (transaction && this.#canLand(transaction)) transaction.landedAt = this.#blockHeight;
  }

  /** Lands those of the transactions that were handed out and still can whose bits are set; the bits of all are those of -1. */
  landSome(bits: number): void {
    const left = this.transactions.filter((each) => each.isHandedOut && this.#canLand(each));
    for (const [index, transaction] of left.entries()) {
      if ((bits >> (index % 8)) & 1) transaction.landedAt = this.#blockHeight;
    }
  }

  /** A fork drops what is not final. */
  fork(): void {
    const final = this.#blockHeight - finalizationBlocks;
    for (const each of this.transactions) {
      if (each.landedAt !== undefined && each.landedAt > final) each.landedAt = undefined;
    }
  }

  #count(isCounted: (transaction: WorldTransaction) => boolean): readonly number[] {
    const made = this.transactions.filter(isCounted).flatMap(({ transfers }) => transfers);
    return Array.from({ length: this.#transferCount }, (_, index) => made.filter((each) => each === index).length);
  }

  #canLand({ lastValidBlockHeight, landedAt }: WorldTransaction): boolean {
    return landedAt === undefined && this.#blockHeight <= lastValidBlockHeight + life;
  }

  #build(progress: Progress, skips: boolean): BuiltReply {
    const { landed, pending } = progress;
    for (const { signature, transfers } of landed) {
      assert.deepEqual(transfers, this.transactions[Number(signature)]?.transfers);
    }
    if (landed.length > 0) this.partBuilds.landed += 1;
    if (pending.length > 0) this.partBuilds.pending += 1;
    const made = transfersOf([...landed, ...pending]);
    const wanted = Array.from({ length: this.#transferCount }, (_, index) => index).filter(
      (each) => !made.includes(each),
    );
    const open = wanted.filter((each) => !this.frozen.has(each));
    const isRefused = open.length < wanted.length && (!skips || (open.length === 0 && made.length === 0));
    if (isRefused) throw new AppError('recipient_token_account_frozen', 'frozen');
    const lastValidBlockHeight = this.#blockHeight + life;
    const numbers = [...this.#sendableOf(progress)];
    const transactions: BuiltTransaction[] = [];
    while (open.length > 0) {
      const number = this.transactions.length;
      const transfers = open.splice(0, 1 + (number % 3));
      const bytes = sampleBuilt(number, lastValidBlockHeight).transactions[0]?.bytes ?? new Uint8Array();
      this.transactions.push({ bytes, lastValidBlockHeight, transfers, landedAt: undefined, isHandedOut: false });
      numbers.push(number);
      transactions.push({ bytes, lastValidBlockHeight, ...(this.#transferCount > 1 && { transfers }) });
    }
    return { reply: JSON.stringify(numbers), headers: {}, transactions };
  }

  /** The numbers of those that a reply hands out again. */
  #sendableOf({ pending }: Progress): readonly number[] {
    return pending
      .filter(({ canBeSent }) => canBeSent)
      .map(({ bytes }) => this.transactions.findIndex((each) => String(each.bytes) === String(bytes)));
  }

  #handOut(reply: string): void {
    for (const number of JSON.parse(reply)) {
      const transaction = this.transactions[number];
      if (!transaction) throw new Error(`nobody built ${reply}`);
      transaction.isHandedOut = true;
    }
  }

  // What a node knows for certain at this moment.
  #judge({ intent }: OutcomeItem): Verdict {
    const number = this.transactions.findIndex(({ bytes }) => messageOf(bytes) === String(intent.message));
    const transaction = this.transactions[number];
    if (!transaction) throw new Error('nobody built this');
    const blockHeight = this.#blockHeight - finalizationBlocks;
    if (transaction.landedAt !== undefined) {
      const commitment = transaction.landedAt <= blockHeight ? 'finalized' : 'confirmed';
      return verdicts.landed({ signature: String(number), commitment, message: intent.message });
    }
    const lastValidBlockHeight = transaction.lastValidBlockHeight + life;
    return blockHeight > lastValidBlockHeight
      ? verdicts.expired()
      : verdicts.pending({ blockHeight, lastValidBlockHeight });
  }

  async #look<T>(actor: Actor, look: () => T): Promise<T> {
    await this.#stand(actor);
    const seen = look();
    await this.#stand(actor);
    return seen;
  }

  #stand(actor: Actor): Promise<void> {
    return new Promise((resolve, reject) => {
      actor.waiting = { goOn: resolve, fail: reject };
    });
  }

  #remove(actor: Actor): void {
    const index = this.actors.indexOf(actor);
    if (index !== -1) this.actors.splice(index, 1);
  }
}

function messageOf(bytes: Uint8Array): string {
  const read = readTransferIntent(bytes);
  return 'intent' in read ? String(read.intent.message) : '';
}

/** Lets everything happen that waits for nothing from outside. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
