/** A figure to reach. */
export interface Target {
  id: string;
  what: string;
  /** The least that the ratio must be, or the most that it may be. */
  bound: 'at least' | 'at most';
  target: number;
}

/** The figures to reach, in the order in which they are reported. */
export const targets: readonly Target[] = [
  {
    id: 'build.unseen.kit',
    what: 'whole build, unseen wallets: faster than `@solana/kit`',
    bound: 'at least',
    target: 80,
  },
  { id: 'build.unseen.web3js', what: 'the same: faster than `@solana/web3.js`', bound: 'at least', target: 35 },
  { id: 'build.unseen.bitgo', what: 'the same: faster than `@bitgo/wasm-solana`', bound: 'at least', target: 3.3 },
  {
    id: 'build.seen.kit',
    what: 'whole build, seen wallets: faster than `@solana/kit`',
    bound: 'at least',
    target: 150,
  },
  { id: 'build.seen.bitgo', what: 'the same: faster than `@bitgo/wasm-solana`', bound: 'at least', target: 8 },
  { id: 'curve.kit', what: "curve test: faster than `@solana/kit`'s", bound: 'at least', target: 30 },
  {
    id: 'service.throughput.express',
    what: 'requests per second against the Express service',
    bound: 'at least',
    target: 25,
  },
  {
    id: 'service.throughput.fastify',
    what: 'requests per second against a bare Fastify route',
    bound: 'at least',
    target: 0.28,
  },
  {
    id: 'service.cpu.fastify',
    what: 'processor time per request against a bare Fastify route',
    bound: 'at most',
    target: 3.8,
  },
  {
    id: 'service.latency.roundtrip',
    what: 'latency at 50 ms upstream, cold mint, against one upstream round trip',
    bound: 'at most',
    target: 1.1,
  },
  { id: 'service.latency.express', what: 'the same against the Express service', bound: 'at most', target: 0.3 },
  { id: 'service.upstream_calls', what: 'upstream calls per build at 64 connections', bound: 'at most', target: 0.1 },
  { id: 'service.start', what: 'seconds until it listens, on the sandbox', bound: 'at most', target: 1.2 },
  {
    id: 'service.memory.connections',
    what: 'resident MB at 64 connections, without any variable set',
    bound: 'at most',
    target: 320,
  },
  {
    id: 'service.memory',
    what: 'resident memory after 10^6 distinct wallets against after 10^3',
    bound: 'at most',
    target: 1.25,
  },
  {
    id: 'batch.http.kit',
    what: 'a batch of 1,000 over HTTP, all checks: less processor time than a loop of `@solana/kit`',
    bound: 'at least',
    target: 40,
  },
  {
    id: 'batch.core.unseen',
    what: 'processor milliseconds of the core for 1,000 unseen recipients',
    bound: 'at most',
    target: 25,
  },
  { id: 'batch.core.seen', what: 'the same for recipients seen before', bound: 'at most', target: 5 },
  {
    id: 'batch.memory',
    what: 'resident memory after 1,000 batches against before',
    bound: 'at most',
    target: 1.1,
  },
  {
    id: 'batch.others.p99',
    what: 'p99 of single transfers beside ten batches in flight against alone',
    bound: 'at most',
    target: 3,
  },
];

/** One row of `results.json`. */
export interface Result {
  id: string;
  ratio: number;
  target: number;
  met: boolean;
  /** How many runs `ratio` is the middle of, with the ends of their range; absent for a single one. */
  runs?: number;
  lowest?: number;
  highest?: number;
}

/** Holds a measured ratio against its target. Throws a `RangeError` for an id that has none. */
export function judgeRatio(id: string, measured: number): Result {
  const found = targets.find((target) => target.id === id);
  if (!found) throw new RangeError(`there is no target ${id}`);
  const ratio = Number(measured.toPrecision(3));
  const met = found.bound === 'at least' ? ratio >= found.target : ratio <= found.target;
  return { id, ratio, target: found.target, met };
}
