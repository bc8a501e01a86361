import { Pool } from 'undici';
import { memoBody, memoPath } from '../../packages/server/test/app/sample-bodies.ts';
import type { Arena } from './arena.ts';

// Waiting for answers that take some 20 ms each: enough to keep any one process busy.
const clients = 64;

/** Requests a second that the service answers to clients of which each sends its next one when it has its answer. */
export async function measureCapacity({ server }: Arena, durationMs: number): Promise<number> {
  const pool = new Pool(server.url, { connections: clients, pipelining: 1 });
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify(memoBody);
  // The first half is for the process to warm up.
  const countFrom = performance.now() + durationMs / 2;
  const end = countFrom + durationMs / 2;
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() < end) {
      const reply = await pool.request({ method: 'POST', path: memoPath, headers, body });
      await reply.body.dump();
      if (reply.statusCode === 200 && performance.now() >= countFrom && performance.now() < end) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  await pool.destroy();
  return (answered * 1000) / (durationMs / 2);
}
