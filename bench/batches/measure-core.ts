import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../packages/core/src/index.ts';
import { bitgoBuilder } from '../build/builder-bitgo.ts';
import { kitBuilder } from '../build/builder-kit.ts';
import { web3jsBuilder } from '../build/builder-web3js.ts';
import type { Builder } from '../build/transfer-work.ts';
import { processorMicroseconds } from '../processor-time.ts';
import { type BatchWork, batchFrom, recipientCount } from './batch-work.ts';
import { buildInCore, chainFacts } from './core-batch.ts';

const rounds = 9;
const warmUpRounds = 2;
// Until V8 has compiled all of it: both what is done for recipients that were never seen, and for those that were.
// A batch of these takes twice as long among the first hundred as after two hundred.
const coreWarmUps = 120;

/** What one way of paying a thousand recipients took. */
export interface BatchCost {
  name: string;
  /** Of processor time, of each round. */
  milliseconds: number[];
  transactions: number;
  bytes: number;
}

/** The ways that need no server: the core, with recipients that it has and has not seen, and a loop of each peer. */
export interface CoreCosts {
  unseen: BatchCost;
  seen: BatchCost;
  kit: BatchCost;
  web3js: BatchCost;
  bitgo: BatchCost;
}

/**
 * Measures the ways that need no server, each round with a thousand recipients of its own: first the core, alone in the process,
 * then its peers in interleaved rounds.
 *
 * Between loops of the peers, which take a hundred times as long, the core would be charged with what they leave to other
 * threads: their garbage, and their code that V8 still compiles.
 */
export async function measureCore(pool: Buffer): Promise<CoreCosts> {
  const unseen = costOf('splwright, the core alone, recipients never seen');
  const seen = costOf('splwright, the core alone, the same recipients again');
  for (let round = -coreWarmUps; round < rounds; round++) {
    const firstRecord = (coreWarmUps + round) * recipientCount;
    const work = batchFrom(pool, firstRecord);
    const read = chainFacts(pool, firstRecord);
    const blockhash = encodeBase58(randomBytes(32));
    for (const cost of [unseen, seen]) await note(cost, round, () => buildInCore(work, read, blockhash));
  }
  const kit = costOf('a loop of @solana/kit');
  const web3js = costOf('a loop of @solana/web3.js and @solana/spl-token');
  const bitgo = costOf('a loop of @bitgo/wasm-solana');
  for (let round = -warmUpRounds; round < rounds; round++) {
    const work = batchFrom(pool, (coreWarmUps + rounds + warmUpRounds + round) * recipientCount);
    const blockhash = encodeBase58(randomBytes(32));
    await note(kit, round, () => loop(kitBuilder, work, blockhash));
    await note(web3js, round, () => loop(web3jsBuilder, work, blockhash));
    await note(bitgo, round, () => loop(bitgoBuilder, work, blockhash));
  }
  return { unseen, seen, kit, web3js, bitgo };
}

// Rounds below 0 only warm up.
async function note(
  cost: BatchCost,
  round: number,
  build: () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>,
): Promise<void> {
  let built: readonly Uint8Array[] = [];
  const microseconds = await processorMicroseconds(async () => {
    built = await build();
  });
  if (round < 0) return;
  cost.milliseconds.push(microseconds / 1_000);
  cost.transactions = built.length;
  cost.bytes = built.reduce((sum, { length }) => sum + length, 0);
}

function costOf(name: string): BatchCost {
  return { name, milliseconds: [], transactions: 0, bytes: 0 };
}

// A transaction for each recipient, as the libraries' documentation pays one.
async function loop(
  builder: Builder,
  { sender, mint, transfers }: BatchWork,
  blockhash: string,
): Promise<Uint8Array[]> {
  const built: Uint8Array[] = [];
  for (const { recipient, amount } of transfers) {
    const bytes = builder.build({ sender, recipient, mint, blockhash, amount, memo: undefined });
    built.push(bytes instanceof Promise ? await bytes : bytes);
  }
  return built;
}
