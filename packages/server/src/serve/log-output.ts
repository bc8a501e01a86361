import type { Writable } from 'node:stream';

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
