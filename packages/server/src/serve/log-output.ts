import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { ReplyLog } from '../app/observe-replies.ts';

// A write to a pipe of up to this many bytes is never mixed with the writes of other processes (POSIX `PIPE_BUF` on Linux).
const maxPieceBytes = 4096;

/** While a reader is this far behind, further lines are dropped. */
const maxPendingBytes = 1_048_576;

/** The pause after a failed write: a named pipe can get a reader again, and a full disk free space. */
const retryMs = 1000;

/** The stream of a log output, and its reports. */
export interface LogOutputOptions {
  stream: Writable;
  /** Called with the number of dropped lines once lines are written again. */
  onResume: (droppedLines: number) => void;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/**
 * Writes log lines: each line whole, and those of one turn of the event loop together.
 *
 * A reader that stalls or goes away does no harm: unread lines are kept up to a bound, and past that dropped and counted.
 */
export class LogOutput {
  readonly #options: LogOutputOptions;
  #pending = '';
  #pendingLines = 0;
  #isScheduled = false;
  #droppedLines = 0;
  #isStalled = false;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogOutputOptions) {
    this.#options = options;
    // The callback of each write reports its failure; without a listener the event would end the process.
    options.stream.on('error', () => undefined);
  }

  /** Adds a line, with its line break, which is written at the end of the turn of the event loop. */
  add(line: string): void {
    if (this.#pending.length + line.length > maxPieceBytes) this.flush();
    this.#pending += line;
    this.#pendingLines += 1;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Writes pending lines now, or drops them when the reader is too far behind. */
  flush(): void {
    const [text, lines] = [this.#pending, this.#pendingLines];
    this.#pending = '';
    this.#pendingLines = 0;
    if (text === '') return;
    const { stream, now } = this.#options;
    this.#isStalled ||= stream.writableLength > maxPendingBytes;
    if (this.#isStalled || now() < this.#retryAt) this.#droppedLines += lines;
    else stream.write(text, (error) => this.#written(lines, error));
  }

  #written(lines: number, error: Error | null | undefined): void {
    const { stream, now, onResume } = this.#options;
    if (error) {
      this.#droppedLines += lines;
      this.#retryAt = now() + retryMs;
      // What else was pending has failed with it.
      this.#isStalled = false;
      return;
    }
    if (stream.writableLength > 0) return;
    this.#isStalled = false;
    const dropped = this.#droppedLines;
    this.#droppedLines = 0;
    if (dropped > 0) onResume(dropped);
  }
}

// ".001" for 1: making the text of a fraction costs as much as the rest of a line.
const decimals = Array.from({ length: 1_000 }, (_, thousandths) => String(thousandths / 1_000).slice(1));

/**
 * Makes a log that writes the lines of `logger.info(reply, 'request')` in a fraction of the time; `base` is that of the logger.
 *
 * Nothing in them needs escaping or masking: an id has plain characters and no API key, and the other texts are names of routes
 * and methods.
 */
export function createReplyLog(logger: Logger, base: object, write: (line: string) => void): ReplyLog {
  const level = logger.levels.values.info;
  const members = JSON.stringify(base).slice(1, -1);
  let now = Number.NaN;
  let start = '';
  return ({ request_id, method, route, status, milliseconds }) => {
    if (!logger.isLevelEnabled('info')) return;
    const at = Date.now();
    if (at !== now) {
      now = at;
      start = `{"level":${level},"time":${at},${members},"request_id":"`;
    }
    const thousandths = Math.round(milliseconds * 1_000);
    const duration = `${Math.floor(thousandths / 1_000)}${decimals[thousandths % 1_000]}`;
    write(
      `${start}${request_id}","method":"${method}","route":"${route}","status":${status},"milliseconds":${duration},"msg":"request"}\n`,
    );
  };
}
