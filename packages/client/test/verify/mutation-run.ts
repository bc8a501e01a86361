import { address, lamports } from '@solana/kit';
import { describeBatch } from '../../../../test/judge/batches/batch-world.ts';
import { drawBatch } from '../../../../test/judge/batches/draw-batch.ts';
import { allRules, type Court, openCourt, passTime } from '../../../../test/judge/court.ts';
import { drawWorld } from '../../../../test/judge/draw-world.ts';
import { describeWorld } from '../../../../test/judge/world.ts';
import type { Keypair } from '../../../sandbox/src/ledger/keypair.ts';
import { VerificationError, type VerifiedTransaction, verifyBatch, verifyTransfer } from '../../src/verify/index.ts';
import { answerBatch } from './batch-worlds.ts';
import { differenceOf, type Effect, effectOf } from './effects.ts';
import { Draw, kinds, mutate, type Original } from './mutations.ts';
import { takeApart } from './parts.ts';
import { answerWorld, particularsOf, replyWith, withSponsor } from './worlds.ts';

const enoughLamports = 10n ** 10n;

/** What came of many changed transactions. */
export interface MutationTally {
  changed: number;
  worlds: number;
  /** By what is particular about them. */
  particulars: Map<string, number>;
  /** By the code of the refusal. */
  refused: Map<string, number>;
  /** Passed, executed, and did the same as the original. */
  same: number;
  /** Passed, executed, and moved nothing: by the error. */
  movedNothing: Map<string, number>;
  /** Passed and did something else: what must not be. */
  differing: string[];
  /** Refused ones that were executed too, and those of them that would have done the same, by kind. */
  refusedExecuted: number;
  falseAlarms: Map<string, number>;
}

/** How many are changed and how. */
export interface MutationOptions {
  seed: number;
  count: number;
  /** Of each world. */
  perWorld: number;
  /** About one in so many of those refused is executed too. */
  executeEvery: number;
  onWorld?: (tally: MutationTally) => void;
}

/** Changes what the service builds in random worlds, verifies each, and executes each that passes next to the original. */
export async function runMutations(options: MutationOptions): Promise<MutationTally> {
  const { seed, perWorld } = options;
  const tally: MutationTally = {
    changed: 0,
    worlds: 0,
    particulars: new Map(),
    refused: new Map(),
    same: 0,
    movedNothing: new Map(),
    differing: [],
    refusedExecuted: 0,
    falseAlarms: new Map(),
  };
  let courts = allRules.map((rules) => openCourt(rules));
  const draw = new Draw(seed);
  for (let number = 0; tally.changed < options.count; number++) {
    // A ledger keeps what was written to it.
    if (number % 2_000 === 1_999) courts = allRules.map((rules) => openCourt(rules));
    const court = courts[number % courts.length];
    if (!court) throw new Error('there is no court');
    if (number % 50 === 49) for (const each of courts) passTime(each, 10);
    const subject = await (number % 8 === 7
      ? drawPartOfBatch(court, seed, number, draw)
      : drawTransfer(court, seed, number));
    if (!subject) continue;
    tally.worlds++;
    for (const each of subject.particulars) count(tally.particulars, each);
    const trial = new Trial(court, subject);
    for (let time = 0; time < perWorld && tally.changed < options.count; time++) await trial.run(draw, tally, options);
    options.onWorld?.(tally);
  }
  return tally;
}

/** A transaction that the service built, and how a caller checks another in its place. */
interface Subject {
  bytes: Uint8Array;
  feePayer: string;
  priorityFee: bigint;
  sponsor: Keypair | undefined;
  particulars: readonly string[];
  description: string;
  /** Rejects with a `VerificationError`. Half of the callers know decimals and lifetime. */
  verify(bytes: Uint8Array, isKnowing: boolean): Promise<VerifiedTransaction>;
}

async function drawTransfer(court: Court, seed: number, number: number): Promise<Subject | undefined> {
  const world = drawWorld(seed, number);
  const answered = await answerWorld(court, world, true);
  // Base58 is slow, and says nothing that base64 does not.
  if (!answered || answered.request.encoding === 'base58') return undefined;
  const { bytes, sponsor, request, path, lifetimeToken, isHooked } = answered;
  const { feePayer, priorityFee, tokenProgram, decimals } = answered.built.plan;
  return {
    ...{ bytes, sponsor, feePayer, priorityFee },
    particulars: particularsOf(answered),
    description: describeWorld(world),
    verify: (changed, isKnowing) => {
      const known = isKnowing ? { decimals, tokenProgram, lifetimeToken } : {};
      const options = { ...known, operation: path, allowTransferHook: isHooked, allowThaw: true };
      return verifyTransfer(request, replyWith(answered, changed), options);
    },
  };
}

// All transactions of a batch are verified each time.
const maxTransactions = 4;

async function drawPartOfBatch(court: Court, seed: number, number: number, draw: Draw): Promise<Subject | undefined> {
  const batch = drawBatch(seed, number);
  const answered = await answerBatch(court, batch);
  const transactions = answered?.reply.data.transactions ?? [];
  const index = draw.below(Math.max(1, transactions.length));
  const part = transactions[index];
  if (!answered || !part || transactions.length > maxTransactions) return undefined;
  const { request, reply, stage, priorityFees } = answered;
  return {
    bytes: Uint8Array.from(Buffer.from(part.transaction, 'base64')),
    feePayer: stage.situation.feePayer,
    priorityFee: priorityFees[index] ?? 0n,
    sponsor: undefined,
    particulars: [
      new Set(batch.transfers.map(({ token }) => token)).size > 1 ? 'a batch of several tokens' : 'a batch',
    ],
    description: describeBatch(batch),
    verify: async (changed) => {
      const transaction = Buffer.from(changed).toString('base64');
      const data = { ...reply.data, transactions: transactions.with(index, { ...part, transaction }) };
      const options = { allowTransferHook: true, allowThaw: true, maxBatchPriorityFeeLamports: 10n ** 10n };
      const verified = (await verifyBatch(request, { data }, options)).transactions[index];
      if (!verified) throw new Error('the batch has fewer transactions');
      return verified;
    },
  };
}

/** One transaction, which is changed many times. */
class Trial {
  readonly #court: Court;
  readonly #subject: Subject;
  readonly #transaction: Original;
  readonly #original: Effect;

  constructor(court: Court, subject: Subject) {
    this.#court = court;
    this.#subject = subject;
    const { bytes } = subject;
    this.#transaction = { bytes, parts: takeApart(bytes) };
    this.#original = effectOf(court.ledger, bytes);
  }

  async run(draw: Draw, tally: MutationTally, { executeEvery }: MutationOptions): Promise<void> {
    const kind = draw.pick(kinds);
    const changed = mutate(this.#transaction, kind, draw);
    if (!changed) return;
    // A sponsor that was broken into signs whatever it is sent.
    const { sponsor, description } = this.#subject;
    const bytes = sponsor && draw.below(4) > 0 ? withSponsor(changed, sponsor) : changed;
    tally.changed++;
    const verified = await this.#verify(bytes, draw);
    if (verified instanceof VerificationError) {
      count(tally.refused, verified.code);
      if (draw.below(executeEvery) === 0) this.#executeRefused(bytes, kind, tally);
      return;
    }
    const effect = effectOf(this.#court.ledger, bytes);
    if ('failure' in effect) return count(tally.movedNothing, effect.failure.replace(/\d+/, 'N'));
    const difference = this.#differenceOf(bytes, effect, verified);
    if (difference === undefined) tally.same++;
    else tally.differing.push(`${kind}: ${difference}\n${description}\n${Buffer.from(bytes).toString('base64')}`);
  }

  #differenceOf(
    bytes: Uint8Array,
    effect: Effect,
    { feePayer, priorityFeeLamports }: VerifiedTransaction,
  ): string | undefined {
    const { ledger } = this.#court;
    const allowance = { feePayer, lamports: priorityFeeLamports - this.#subject.priorityFee };
    const payer = ledger.getAccount(address(feePayer));
    if (!('failure' in this.#original) || !payer) return differenceOf(ledger, this.#original, effect, allowance);
    // The fee of the original may be more than its payer has, and that of the changed one not: compared where both are paid.
    ledger.setAccount({ ...payer, lamports: lamports(payer.lamports + enoughLamports) });
    const original = effectOf(ledger, this.#transaction.bytes);
    const difference = differenceOf(ledger, original, effectOf(ledger, bytes), allowance);
    ledger.setAccount(payer);
    return difference;
  }

  async #verify(bytes: Uint8Array, draw: Draw): Promise<VerifiedTransaction | VerificationError> {
    try {
      return await this.#subject.verify(bytes, draw.below(2) === 0);
    } catch (error) {
      if (error instanceof VerificationError) return error;
      throw error;
    }
  }

  #executeRefused(bytes: Uint8Array, kind: string, tally: MutationTally): void {
    const { ledger } = this.#court;
    tally.refusedExecuted++;
    const effect = effectOf(ledger, bytes);
    if ('failure' in effect || 'failure' in this.#original) return;
    const allowance = { feePayer: this.#subject.feePayer, lamports: 0n };
    if (differenceOf(ledger, this.#original, effect, allowance) === undefined) count(tally.falseAlarms, kind);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** What came of it, in lines. */
export function describeMutations(tally: MutationTally): string {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([name, times]) => `${times} ${name}`)
      .join(', ');
  const refused = [...tally.refused.values()].reduce((sum, times) => sum + times, 0);
  return [
    `${tally.changed} changed transactions of ${tally.worlds} worlds, with ${list(tally.particulars)}: ${refused} refused (${list(tally.refused)})`,
    `passed and executed: ${tally.same} did the same; moved nothing: ${list(tally.movedNothing) || 'none'}; did something else: ${tally.differing.length}`,
    `of ${tally.refusedExecuted} refused ones that were executed too these would have done the same: ${list(tally.falseAlarms) || 'none'}`,
    ...tally.differing.slice(0, 5),
  ].join('\n');
}
