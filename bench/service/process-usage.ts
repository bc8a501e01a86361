import { readFileSync } from 'node:fs';

/** What a process and those that it started have used so far. */
export interface ProcessUsage {
  /** Processor time of all their threads, user and system. Linux counts it in steps of 10 ms. */
  cpuSeconds: number;
  /** Resident memory now; what they share counts for each of them. */
  residentBytes: number;
}

const ticksPerSecond = 100;
const pageBytes = 4096;

/**
 * Reads what a process and those that it started, as with `WORKERS`, have used, from `/proc/<pid>/stat` (proc(5): fields 14, 15
 * and 24) and `/proc/<pid>/task/<pid>/children`. Throws when there is no such process.
 */
export function readProcessUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field, the name, is in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const usage = { cpuSeconds: (field(14) + field(15)) / ticksPerSecond, residentBytes: field(24) * pageBytes };
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? [];
  for (const child of children.map(Number)) {
    const used = readProcessUsage(child);
    usage.cpuSeconds += used.cpuSeconds;
    usage.residentBytes += used.residentBytes;
  }
  return usage;
}
