import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { repository } from '../../setup/process.ts';
import type { Cleanup } from '../../setup/service.ts';

/** A program of Node that is started again whenever it ends, as a supervisor does. */
export class KillableProgram {
  readonly #path: string;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(t: Cleanup, path: string, environment: Record<string, string>) {
    this.#path = path;
    this.#environment = environment;
    this.#start();
    t.after(async () => {
      this.#isOver = true;
      await this.kill();
    });
  }

  /** Kills it, and resolves once it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #start(): void {
    if (this.#isOver) return;
    const env = { ...process.env, ...this.#environment };
    this.#child = spawn(process.execPath, [this.#path], { cwd: repository, env, stdio: 'ignore' });
    this.#child.once('exit', () => this.#start());
  }
}

/** What becomes of a request: `before` and `after` say when the victim is killed, and then the answer is lost. */
export type Fate = 'answered' | 'before' | 'after';

/** A way between two programs, at whose ends one can be killed. */
export interface Way {
  /** The port at the near end, or 0 for any. */
  port?: number;
  /** The origin at the far end. */
  target: string;
  /** Called with each request, such as `GET /v1/events`, before it is passed on. */
  decide: (step: string) => Fate;
  kill: () => Promise<void>;
}

const passed = [
  'authorization',
  'content-type',
  'idempotency-key',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

/** Opens a way, and returns the origin at its near end. */
export async function openWay(t: Cleanup, { target, decide, kill }: Way): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/' } = request;
    const body = await text(request);
    const fate = decide(`${method} ${new URL(url, target).pathname.replaceAll(/we_\w+|[0-9a-f-]{36}/g, 'ID')}`);
    if (fate === 'before') await kill();
    const headers = Object.entries(request.headers).filter(([name]) => passed.includes(name));
    const answer =
      fate === 'before'
        ? undefined
        : await fetch(target + url, {
            method,
            headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
            body: method === 'GET' ? null : body,
            redirect: 'manual',
          });
    const answered = await answer?.arrayBuffer();
    if (fate === 'after') await kill();
    if (!answer || !answered || fate !== 'answered') return void response.destroy();
    const kept = [...answer.headers].filter(([name]) => /^(?:content-type|location|retry-after)$/.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(answered));
  };
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
