import type { FastifyBaseLogger } from 'fastify';
import { type ProblemCode, problems } from '../problems.ts';

/** A key whose requests were refused by a limit, and the code of the refusals. */
export interface LimitedKey {
  keyId: string;
  code: ProblemCode;
}

/** One line a minute for each key and code is enough: the metrics count requests by status. */
const logIntervalMs = 60_000;
/** More lines a minute would fill a disk; the others are still counted by `splwright keys usage`. */
const maxLinesPerInterval = 100;

type OnLimited = (keyId: string, code: ProblemCode) => void;

/** Reports which API keys are refused by a limit, and by which: in the log, in metrics and in `/readyz`. */
export class LimitedKeys {
  readonly #log: Pick<FastifyBaseLogger, 'warn'>;
  readonly #elapsed: () => number;
  readonly #onLimited: OnLimited | undefined;
  readonly #noted = new Map<string, LimitedKey>();
  #since: number;

  /** `elapsed` is a monotonic clock in milliseconds. `onLimited` is called for each request. */
  constructor(log: Pick<FastifyBaseLogger, 'warn'>, elapsed: () => number, onLimited?: OnLimited) {
    this.#log = log;
    this.#onLimited = onLimited;
    this.#elapsed = elapsed;
    this.#since = elapsed();
  }

  /** Notes that a request of a key was refused; does nothing unless the code is a limit. */
  note(keyId: string, code: ProblemCode): void {
    if (!isLimit(code)) return;
    this.#onLimited?.(keyId, code);
    this.#forgetOld();
    const entry = `${keyId} ${code}`;
    if (this.#noted.size >= maxLinesPerInterval || this.#noted.has(entry)) return;
    this.#noted.set(entry, { keyId, code });
    this.#log.warn({ key_id: keyId, code }, 'requests of an API key are refused by a limit');
  }

  /** The keys that were noted in this minute, at most a hundred. */
  get current(): readonly LimitedKey[] {
    this.#forgetOld();
    return [...this.#noted.values()];
  }

  #forgetOld(): void {
    const now = this.#elapsed();
    if (now - this.#since < logIntervalMs) return;
    this.#noted.clear();
    this.#since = now;
  }
}

/** Returns whether a problem is a limit on what a caller may use: status 429 or 507, or `overloaded`. */
export function isLimit(code: ProblemCode): boolean {
  const { status }: { status: number } = problems[code];
  return status === 429 || status === 507 || code === 'overloaded';
}
