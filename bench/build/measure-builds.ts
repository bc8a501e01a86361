import { processorMicroseconds, timeInRounds } from '../processor-time.ts';
import { figure, type Section } from '../report/section.ts';
import { judgeRatio, type Result } from '../report/targets.ts';
import { preparePool, readPool } from '../service/pool.ts';
import { poolShape } from '../service/transfer-record.ts';
import { median, medianRatio } from '../statistics.ts';
import { bitgoBuilder } from './builder-bitgo.ts';
import { gillBuilder } from './builder-gill.ts';
import { kitBuilder } from './builder-kit.ts';
import { microBuilder } from './builder-micro.ts';
import { splwrightBuilder } from './builder-splwright.ts';
import { web3jsBuilder } from './builder-web3js.ts';
import { differenceFrom } from './equivalence.ts';
import type { Builder, TransferWork } from './transfer-work.ts';
import { type Familiarity, Works } from './works.ts';

const builders = [splwrightBuilder, kitBuilder, web3jsBuilder, gillBuilder, bitgoBuilder, microBuilder];
const timing = { rounds: 21, warmUpRounds: 6, microsecondsPerRound: 60_000 };

/**
 * Builds whose texts are made at once.
 *
 * Those of a whole round would still be held when the young generation is collected, and each collection would copy them, which
 * no service does: a request's texts die with it.
 */
const buildsAtOnce = 250;

type Operation = 'memo' | 'create';

/** Microseconds of each round, by builder. */
type Series = ReadonlyMap<Builder, readonly number[]>;

/** Measures whole builds, from texts to bytes, beside the peers whose bytes are the same transfer. */
export async function measureBuilds(): Promise<Section> {
  const pool = readPool(await preparePool());
  const notes: string[] = [];
  const series = new Map<string, Series>();
  for (const operation of ['memo', 'create'] as const) {
    const counted = await equivalentBuilders(pool, operation, notes);
    for (const familiarity of ['unseen', 'seen'] as const) {
      series.set(`${operation} ${familiarity}`, await timeBuilds(pool, counted, operation, familiarity));
    }
  }
  const ratio = (operation: Operation, familiarity: Familiarity, peer: Builder): number => {
    const times = series.get(`${operation} ${familiarity}`);
    return medianRatio(times?.get(peer) ?? [], times?.get(splwrightBuilder) ?? []);
  };
  const cell = (name: string, builder: Builder): string => {
    const times = series.get(name)?.get(builder);
    const own = series.get(name)?.get(splwrightBuilder) ?? [];
    return times ? `${figure(median(times))} (${figure(medianRatio(times, own))}×)` : 'not counted';
  };
  const judge = (familiarity: Familiarity, operation: Operation, peer: Builder): Result =>
    judgeRatio(`build.${familiarity}.${peer.id}`, ratio(operation, familiarity, peer));
  return {
    title: 'Whole builds',
    method:
      'From base58 texts, an amount and a memo to the bytes of an unsigned transaction, both token accounts derived. ' +
      'splwright also checks every text, and reads its own bytes back. `memo` is memo + TransferChecked, `create` is ' +
      'CreateIdempotent + TransferChecked. Unseen: two wallets new to the process; seen: 500 wallets in rotation. ' +
      `Microseconds of processor time, all threads; medians over ${timing.rounds} interleaved rounds, each after a quarter as many ` +
      'uncounted builds. Ratios are made round by round.',
    head: ['builder', ...[...series.keys()].map((name) => `${name} µs`)],
    rows: builders.map((builder) => [builder.name, ...[...series.keys()].map((name) => cell(name, builder))]),
    notes: [...notes, 'The ratios to BitGo are those of `create`.'],
    results: [
      judge('unseen', 'memo', kitBuilder),
      judge('unseen', 'memo', web3jsBuilder),
      judge('unseen', 'create', bitgoBuilder),
      judge('seen', 'memo', kitBuilder),
      judge('seen', 'create', bitgoBuilder),
    ],
  };
}

const comparedTransfers = 50;

async function equivalentBuilders(pool: Buffer, operation: Operation, notes: string[]): Promise<Builder[]> {
  const counted: Builder[] = [];
  for (const builder of builders) {
    const works = new Works(pool, 0).take(comparedTransfers, 'seen', operation === 'memo');
    let difference: string | undefined;
    for (const work of works) difference ??= differenceFrom(work, await builder.build(work));
    if (difference === undefined) counted.push(builder);
    else notes.push(`${builder.name} is not counted for \`${operation}\`: ${difference}.`);
  }
  return counted;
}

async function timeBuilds(
  pool: Buffer,
  counted: readonly Builder[],
  operation: Operation,
  familiarity: Familiarity,
): Promise<Series> {
  const first = operation === 'memo' ? 0 : poolShape.sharedMintTransfers / 2;
  const works = new Map(counted.map((builder) => [builder, new Works(pool, first)]));
  return timeInRounds(counted, timing, async (builder, count) => {
    let microseconds = 0;
    for (let left = count; left > 0; left -= buildsAtOnce) {
      const some = Math.min(left, buildsAtOnce);
      const prepared = works.get(builder)?.take(some, familiarity, operation === 'memo') ?? [];
      microseconds += await processorMicroseconds(() => buildEach(builder, prepared));
    }
    return microseconds;
  });
}

async function buildEach(builder: Builder, works: readonly TransferWork[]): Promise<void> {
  for (const work of works) {
    const bytes = builder.build(work);
    // Awaiting what is no promise would cost those that do not wait.
    if (bytes instanceof Promise) await bytes;
  }
}
