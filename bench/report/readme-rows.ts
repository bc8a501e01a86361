import type { Result } from './targets.ts';

/** Gives the measured ratio of an id. */
type RatioOf = (id: string) => number;

const headlines: readonly (readonly [what: string, say: (ratio: RatioOf) => string])[] = [
  [
    'a build between wallets never seen before',
    (ratio) =>
      `${ratio('build.unseen.kit')} × as fast as \`@solana/kit\`, ${ratio('build.unseen.web3js')} × \`@solana/web3.js\`, ` +
      `${ratio('build.unseen.bitgo')} × \`@bitgo/wasm-solana\``,
  ],
  [
    'requests per second, every check on',
    (ratio) =>
      `${ratio('service.throughput.express')} × a service on Express and web3.js, ` +
      `${ratio('service.throughput.fastify')} × a bare Fastify route`,
  ],
  ['upstream calls per build, 64 connections', (ratio) => `${ratio('service.upstream_calls')}; that service makes 4`],
  [
    'latency with a mint never seen before',
    (ratio) =>
      `${ratio('service.latency.roundtrip')} × one upstream round trip of 50 ms, ` +
      `${ratio('service.latency.express')} × that service`,
  ],
];

/** The README's table about speed, made from the results and from nothing else. Throws when one is missing. */
export function renderReadmeRows(results: readonly Result[]): string {
  const ratio = (id: string): number => {
    const result = results.find((row) => row.id === id);
    if (!result) throw new RangeError(`there is no result ${id}`);
    return result.ratio;
  };
  return [
    '| | |',
    '|---|---|',
    ...headlines.map(([what, say]) => `| ${what} | ${say(ratio)} |`),
    `| the median of whole runs | ${results[0]?.runs ?? 1} |`,
  ].join('\n');
}
