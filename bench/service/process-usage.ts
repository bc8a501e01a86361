import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessUsage {
  /** Processor time of all its threads, user and system. Linux counts it in steps of 10 ms. */
  cpuSeconds: number;
  /** Resident memory now. */
  residentBytes: number;
}

const ticksPerSecond = 100;
const pageBytes = 4096;

/** Reads what a process has used, from `/proc/<pid>/stat` (proc(5): fields 14, 15 and 24). Throws when there is no such process. */
export function readProcessUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field, the name, is in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { cpuSeconds: (field(14) + field(15)) / ticksPerSecond, residentBytes: field(24) * pageBytes };
}
