import type { Result } from './targets.ts';

/** The README's figures about speed, made from the results and from nothing else. Throws when one is missing. */
export function renderReadmeRows(results: readonly Result[]): string {
  const ratio = (id: string): number => {
    const result = results.find((row) => row.id === id);
    if (!result) throw new RangeError(`there is no result ${id}`);
    return result.ratio;
  };
  return [
    `- A build between wallets never seen before is ${ratio('build.unseen.kit')} × as fast as with \`@solana/kit\`, ${ratio('build.unseen.bitgo')} × as with \`@bitgo/wasm-solana\`.`,
    `- A reply with a mint never seen before takes ${ratio('service.latency.roundtrip')} × one upstream round trip.`,
  ].join('\n');
}
