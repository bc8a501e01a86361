import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** One stretch of load. */
export interface LoadOrder {
  port: number;
  apiKey: string;
  connections: number;
  /** The server's process, whose usage is read at the very start and end. */
  serverProcess: number;
  /** The first transfer of the pool to send; each goes out once, in order, unless `among` says otherwise. */
  firstTransfer: number;
  /** Goes round and round among so many transfers from the first on. */
  among?: number;
  /** Ends after so many seconds or so many transfers, whichever comes first. */
  seconds: number;
  transfers?: number;
  /** Milliseconds of silence before each request. */
  pauseMilliseconds?: number;
}

/** What came of one stretch of load. */
export interface LoadResult {
  /** Requests answered. */
  requests: number;
  requestsPerSecond: number;
  /** Microseconds of processor time of the server for each request, user and system, all threads. */
  serverMicroseconds: number;
  /** The same of the load generator itself. */
  generatorMicroseconds: number;
  /** Resident memory of the server at the end. */
  residentBytes: number;
  /** Milliseconds from the first byte sent to the last byte received. */
  p50: number;
  p99: number;
  /** The first transfer that was not sent. */
  nextTransfer: number;
}

/** The load generator, in a process of its own. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor(poolPath: string) {
    this.#child = fork(new URL('./load-generator.ts', import.meta.url), [poolPath]);
  }

  /** Runs one stretch of load. Throws at the first answer that is not a 200 with a body. */
  async run(order: LoadOrder): Promise<LoadResult> {
    this.#child.send(order);
    const [answer] = (await once(this.#child, 'message')) as [LoadResult | { mistake: string }];
    if ('mistake' in answer) throw new Error(`the load found a mistake: ${answer.mistake}`);
    return answer;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
