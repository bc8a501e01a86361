/**
 * Microseconds of processor time that something takes: user and system, all threads of this process.
 *
 * Time on the clock would count what neighbours on the machine do; the processor time of one thread alone would leave out
 * the hashes that WebCrypto computes on others.
 */
export async function processorMicroseconds(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

// Of each round, before its time is taken: the way before leaves its garbage, its code to compile and caches full of its own.
const settlingShare = 0.25;

/**
 * Times several ways of doing the same in interleaved rounds, each for about as long.
 *
 * `run` does one way's work `count` times, on input that it prepares itself; it returns microseconds. The result holds
 * microseconds per unit of work, by way and round. The first rounds only warm up, and so does the beginning of each.
 */
export async function timeInRounds<T>(
  ways: readonly T[],
  options: { rounds: number; warmUpRounds: number; microsecondsPerRound: number },
  run: (way: T, count: number) => Promise<number>,
): Promise<Map<T, number[]>> {
  const counts = new Map(ways.map((way) => [way, 20]));
  const times = new Map<T, number[]>(ways.map((way) => [way, []]));
  for (let round = -options.warmUpRounds; round < options.rounds; round++) {
    for (const way of ways) {
      const count = counts.get(way) ?? 1;
      await run(way, Math.ceil(count * settlingShare));
      const each = (await run(way, count)) / count;
      if (round >= 0) times.get(way)?.push(each);
      counts.set(way, Math.max(20, Math.min(count * 8, Math.round(options.microsecondsPerRound / each))));
    }
  }
  return times;
}
