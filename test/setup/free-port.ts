import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Cleanup } from './service.ts';

// Below the ports that systems give to connections and to servers that ask for any: those could take it before its server
// starts, or while it is restarted.
const lowest = 20_000;
const pairs = 6_000;
// Processes that run at the same time have numbers that are near each other, and so pairs of their own.
const pairsPerProcess = 5;
let given = 0;

/** A port that is free with the one after it, for a server that cannot pick its own and tell. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + 2 * ((process.pid * pairsPerProcess + given++) % pairs);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

/** A port of loopback that is taken until the test ends. */
export async function takenPort(t: Cleanup): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => void server.close());
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '0.0.0.0');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (Object(error).code !== 'EADDRINUSE') throw error;
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
