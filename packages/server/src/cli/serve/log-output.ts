import type { Writable } from 'node:stream';

// What is written to a pipe in one piece of at most this many bytes is never mixed with what another process writes
// (POSIX `PIPE_BUF` on Linux).
const maxPieceBytes = 4096;

/** A reader that does not keep up misses what comes while it is this far behind. */
const maxPendingBytes = 1_048_576;

/** How long to wait after a failed write: a named pipe can have a reader again, and a full disk space. */
const retryMs = 1000;

/** What a log output reports to. */
export interface LogOutputOptions {
  stream: Writable;
  /** Told how many lines were dropped, once lines are written again. */
  onResume: (droppedLines: number) => void;
  /** The monotonic clock in milliseconds. */
  now: () => number;
}

/**
 * Writes log lines, those of one turn of the event loop together, each line whole.
 *
 * A reader that stalls or goes away does no harm: what it does not take is kept up to a bound, and past that dropped and counted.
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
    // Each write hears of its own failure; without a listener the first would end the process.
    options.stream.on('error', () => undefined);
  }

  /** Takes a line, with its line break, and writes it before the turn ends. */
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

  /** Writes what is pending now, or drops it when the reader is too far behind. */
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
