import { readTransferIntent } from '../../../core/src/index.ts';
import { AppError, isAppError } from '../../src/errors.ts';
import { KeyedRequests } from '../../src/idempotency/keyed-requests.ts';
import type { OutcomeItem, Verdict } from '../../src/service/outcome/verdict.ts';
import { MemoryIdempotencyStore } from './memory-store.ts';
import { sampleBuilt } from './sample-built.ts';
import { verdicts } from './verdicts.ts';

const leaseMs = 7000;
const life = 150n;
const finalizationBlocks = 32n;
const id = { scope: 'key_1', path: '/v1/transfers', key: 'order-7' };

interface WorldTransaction {
  bytes: Uint8Array;
  lastValidBlockHeight: bigint;
  isLanded: boolean;
  isHandedOut: boolean;
}

/** A request under way: it stands at one point until the test lets it go on. */
interface Actor {
  isCrashed: boolean;
  /** Lets it go on, or fails what it waits for. */
  waiting: { goOn: () => void; fail: (error: Error) => void } | undefined;
}

/** One request after another and all at once under one key, with a ledger; nothing in it happens but by its methods. */
export class KeyedWorld {
  readonly transactions: WorldTransaction[] = [];
  /** Those that stand somewhere, the oldest first. */
  readonly actors: Actor[] = [];
  readonly #rows = new MemoryIdempotencyStore();
  #now = 1_000_000;
  #blockHeight = 1000n;

  /** How many transactions were landed. */
  get payments(): number {
    return this.transactions.filter(({ isLanded }) => isLanded).length;
  }

  /** How many transactions that were handed out have landed or can. */
  get payable(): number {
    return this.transactions.filter((each) => each.isHandedOut && (each.isLanded || this.#canLand(each))).length;
  }

  /** Starts a request in a process of its own; resolves with what it got, and never when it crashed. */
  request(): Promise<'handed out' | 'already_landed' | 'refused'> {
    const actor: Actor = { isCrashed: false, waiting: undefined };
    this.actors.push(actor);
    const store = new MemoryIdempotencyStore();
    Object.assign(store, { rows: this.#rows.rows });
    // A request to the database is on its way, takes effect, and its answer is on its way.
    store.around = async (_call, effect) => {
      await this.#stand(actor);
      const result = effect();
      await this.#stand(actor);
      return result;
    };
    const requests = new KeyedRequests({
      store,
      outcomes: { find: (items) => this.#look(actor, () => items.map((item) => this.#judge(item))) },
      readBlockHeight: () => this.#look(actor, () => this.#blockHeight),
      now: () => this.#now,
      leaseMs,
      retentionMs: Number.POSITIVE_INFINITY,
    });
    const build = () => this.#look(actor, () => this.#build());
    const request = { id, bodyHash: 'a', build, assertAllowed: () => undefined };
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
    if (transaction && this.#canLand(transaction)) transaction.isLanded = true;
  }

  #canLand({ lastValidBlockHeight, isLanded }: WorldTransaction): boolean {
    return !isLanded && this.#blockHeight <= lastValidBlockHeight + life;
  }

  #build() {
    const number = this.transactions.length;
    const lastValidBlockHeight = this.#blockHeight + life;
    const built = sampleBuilt(number, lastValidBlockHeight);
    const bytes = built.transactions[0]?.bytes ?? new Uint8Array();
    this.transactions.push({ bytes, lastValidBlockHeight, isLanded: false, isHandedOut: false });
    return built;
  }

  #handOut(reply: string): void {
    const transaction = this.transactions[Number(/\d+/.exec(reply)?.[0])];
    if (!transaction) throw new Error(`nobody built ${reply}`);
    transaction.isHandedOut = true;
  }

  // What a node knows for certain at this moment.
  #judge({ intent }: OutcomeItem): Verdict {
    const transaction = this.transactions.find(({ bytes }) => messageOf(bytes) === String(intent.message));
    if (!transaction) throw new Error('nobody built this');
    if (transaction.isLanded) return verdicts.landed();
    const blockHeight = this.#blockHeight - finalizationBlocks;
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
