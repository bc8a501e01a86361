import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/setup/free-port.ts';
import type { Cleanup } from '../../test/setup/service.ts';

/** A HAProxy in front of two servers. */
export interface TestProxy {
  url: string;
  /** Resolves once it sends requests to this server. */
  untilUp(server: 'a' | 'b'): Promise<void>;
  /** How many requests it has sent to this server. */
  requestsOf(server: 'a' | 'b'): Promise<number>;
}

/** Starts HAProxy with the configuration of operators, and ends it with the test. Throws when it is not installed. */
export async function startProxy(t: Cleanup, servers: { a: string; b: string }): Promise<TestProxy> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const file = new URL('../haproxy/haproxy.cfg', import.meta.url).pathname;
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: {
      ...process.env,
      LISTEN: `127.0.0.1:${port}`,
      STATS: `127.0.0.1:${statsPort}`,
      SPLWRIGHT_A: servers.a,
      SPLWRIGHT_B: servers.b,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', () => reject(new Error('HAProxy is not installed: apt-get install haproxy')));
    child.once('exit', (status) => reject(new Error(`HAProxy ended with ${status}:\n${output}`)));
  });
  failed.catch(() => undefined);
  t.after(async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const columnOf = async (server: string, column: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${statsPort}/;csv`);
    const [names = [], ...rows] = (await response.text()).split('\n').map((line) => line.split(','));
    const row = rows.find(([proxy, name]) => proxy === 'splwright' && name === server);
    return row?.[names.indexOf(column)] ?? '';
  };
  const untilUp = async (server: string): Promise<void> => {
    const giveUpAt = performance.now() + 30_000;
    // Until it listens, nobody answers.
    while (!(await columnOf(server, 'status').catch(() => '')).startsWith('UP')) {
      if (performance.now() > giveUpAt) throw new Error(`HAProxy does not find ${server} ready:\n${output}`);
      await setTimeout(100);
    }
  };
  return {
    url: `http://127.0.0.1:${port}`,
    untilUp: (server) => Promise.race([untilUp(server), failed]),
    requestsOf: async (server) => Number(await columnOf(server, 'req_tot')),
  };
}
