import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type PoolShape, poolShape, recordLength } from './transfer-record.ts';

/** Where what the benchmark makes for itself is kept. */
export const workFolder = join(tmpdir(), 'splwright-bench');

/** The part of the pool that one worker fills. */
export interface PoolShare {
  memory: SharedArrayBuffer;
  shape: PoolShape;
  first: number;
  count: number;
}

/** The path of the file of transfers between wallets that no one has seen before; made when it is missing. */
export async function preparePool(): Promise<string> {
  const { sharedMintTransfers, ownMintTransfers } = poolShape;
  const path = join(workFolder, `transfers-1-${sharedMintTransfers}-${ownMintTransfers}.bin`);
  if (existsSync(path)) return path;
  mkdirSync(workFolder, { recursive: true });
  const total = sharedMintTransfers + ownMintTransfers;
  const memory = new SharedArrayBuffer(total * recordLength);
  const workers = availableParallelism();
  const share = Math.ceil(total / workers);
  await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const first = index * share;
      return fillShare({ memory, shape: poolShape, first, count: Math.min(share, total - first) });
    }),
  );
  // Under its own name only once it is whole.
  writeFileSync(`${path}.part`, new Uint8Array(memory));
  renameSync(`${path}.part`, path);
  return path;
}

function fillShare(share: PoolShare): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pool-worker.ts', import.meta.url), { workerData: share });
    worker.once('error', reject);
    worker.once('exit', (status) =>
      status === 0 ? resolve() : reject(new Error(`a pool worker ended with ${status}`)),
    );
  });
}

/** Reads the pool into memory, record after record. */
export function readPool(path: string): Buffer {
  return readFileSync(path);
}
