import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../setup/service.ts';

const main = fileURLToPath(new URL('../../packages/server/bin/splwright.js', import.meta.url));

const connect = new URL('../../packages/server/src/webhooks/connect.ts', import.meta.url);

// Receivers of tests are on this machine and have no TLS, which the service refuses on any network but its own sandbox.
const allowLoopback = `import{publicInternet as p}from'${connect}';p.requiresTls=false;p.blockList=undefined`;

/** Processes of one service on one database, which are killed and started again. */
export class MortalReplicas {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children: (ChildProcess | undefined)[];
  readonly #urls: (string | undefined)[];
  kills = 0;

  /** Starts none yet. */
  constructor(t: Cleanup, count: number, environment: Readonly<Record<string, string>>) {
    this.#children = Array.from({ length: count });
    this.#urls = Array.from({ length: count });
    this.#environment = {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(allowLoopback)}`,
      PORT: '0',
      METRICS_PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      PAY_RATE_LIMIT_PER_MINUTE: '0',
      DRAIN_MS: '0',
      ...environment,
    };
    const killAtExit = (): void => this.#children.forEach((child) => void child?.kill('SIGKILL'));
    process.once('exit', killAtExit);
    t.after(async () => {
      process.off('exit', killAtExit);
      await this.killAll();
    });
  }

  /** Where one of those that serve is reached; `undefined` while none does. */
  get url(): string | undefined {
    const urls = this.#urls.filter((url) => url !== undefined);
    return urls[Math.floor(Math.random() * urls.length)];
  }

  /** Starts those that do not run, and resolves once they serve. */
  async start(): Promise<void> {
    await Promise.all(this.#children.map((child, index) => child ?? this.#startOne(index)));
  }

  /** Kills one that runs. */
  async kill(index: number): Promise<void> {
    const child = this.#children[index];
    if (!child) return;
    this.#urls[index] = undefined;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    this.#children[index] = undefined;
    this.kills += 1;
  }

  /** Kills all that run. */
  async killAll(): Promise<void> {
    await Promise.all(this.#children.map((_, index) => this.kill(index)));
  }

  async #startOne(index: number): Promise<void> {
    for (;;) {
      const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
      const child = spawn(process.execPath, [main, 'serve'], { env: this.#environment, stdio });
      this.#children[index] = child;
      const ended = once(child, 'close');
      const url = new Promise<string>((resolve) => {
        if (!child.stdout) return;
        createInterface(child.stdout).on('line', (line) => {
          const found = /splwright listens on (http:\/\/[^\s,]+)/.exec(line)?.[1];
          if (found !== undefined) resolve(found);
        });
      });
      const found = await Promise.race([url, ended.then(() => undefined)]);
      // On a busy machine its database may not answer in time: then it ends by itself.
      if (found === undefined && child.signalCode === null) continue;
      if (this.#children[index] === child) this.#urls[index] = found;
      return;
    }
  }
}
