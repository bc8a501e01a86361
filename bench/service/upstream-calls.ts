/** How many calls have come to a port of the upstream so far. */
export async function upstreamCalls(url: string): Promise<number> {
  const calls: unknown = await (await fetch(url)).json();
  return Object.values(calls ?? {}).reduce((sum, count) => sum + Number(count), 0);
}
