import { median, medianRatio } from '../statistics.ts';
import { LoadGenerator, type LoadResult } from './load.ts';
import { openStage, type Stage } from './services.ts';

const connections = 64;
const warmUpSeconds = 8;
const seconds = 1.5;

/** What is compared. */
export interface PairOptions {
  /** The root of another worktree, with its packages installed. */
  other: string;
  rounds: number;
  /** Arguments of Node for the server of this tree alone. */
  nodeArguments: readonly string[];
}

type Figure = 'serverMicroseconds' | 'requestsPerSecond' | 'residentBytes';

/**
 * Compares the service of this tree with that of another: both run at the same time, and short rounds alternate between them.
 *
 * On a machine that also does other things, the ratio within a pair of rounds says more than any time, and the lowest times of
 * many rounds more than their middle.
 */
export async function comparePair({ other, rounds, nodeArguments }: PairOptions): Promise<string> {
  const stages = [await openStage(), await openStage(other)] as const;
  try {
    const [own, others] = [await startUnderLoad(stages[0], nodeArguments), await startUnderLoad(stages[1], [])];
    const results = { own: [] as LoadResult[], others: [] as LoadResult[] };
    for (let round = 0; round < rounds; round++) {
      // Each goes first as often as the other.
      if (round % 2 === 0) results.own.push(await own.run(seconds));
      results.others.push(await others.run(seconds));
      if (round % 2 === 1) results.own.push(await own.run(seconds));
    }
    await own.close();
    await others.close();
    const line = (name: string, figure: Figure): string =>
      describe(
        name,
        results.own.map((result) => result[figure]),
        results.others.map((result) => result[figure]),
      );
    return [
      line('processor µs/request', 'serverMicroseconds'),
      line('requests/s', 'requestsPerSecond'),
      line('resident bytes', 'residentBytes'),
    ].join('\n');
  } finally {
    for (const stage of stages) await stage.close();
  }
}

interface LoadedServer {
  run(forSeconds: number): Promise<LoadResult>;
  close(): Promise<void>;
}

async function startUnderLoad(stage: Stage, nodeArguments: readonly string[]): Promise<LoadedServer> {
  const server = await stage.startSplwright(stage.upstreamUrl, nodeArguments);
  const load = new LoadGenerator(stage.poolPath);
  let firstTransfer = 0;
  const run = async (forSeconds: number): Promise<LoadResult> => {
    const port = Number(new URL(server.urls[0] ?? '').port);
    const order = { port, apiKey: stage.apiKey, connections, serverProcess: server.pid, firstTransfer };
    const result = await load.run({ ...order, seconds: forSeconds });
    firstTransfer = result.nextTransfer;
    return result;
  };
  await run(warmUpSeconds);
  return { run, close: () => load.close() };
}

function describe(name: string, own: readonly number[], others: readonly number[]): string {
  const ratios = own.map((value, index) => value / (others[index] ?? Number.NaN)).toSorted((a, b) => a - b);
  const quarter = Math.floor(ratios.length / 4);
  const range = `${ratios[quarter]?.toFixed(3)} to ${ratios.at(-1 - quarter)?.toFixed(3)}`;
  return (
    `${name}: ratio ${medianRatio(own, others).toFixed(3)} (middle half ${range}); ` +
    `median ${median(own).toFixed(1)} against ${median(others).toFixed(1)}, ` +
    `lowest ${Math.min(...own).toFixed(1)} against ${Math.min(...others).toFixed(1)}`
  );
}
