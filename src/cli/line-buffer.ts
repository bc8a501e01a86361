// What is written to a pipe in one piece of at most this many bytes is never mixed with what another process writes
// (POSIX `PIPE_BUF` on Linux).
const longestPiece = 4096;

/** Writes lines in fewer and larger pieces: those of one turn of the event loop together, each line whole. */
export class LineBuffer {
  readonly #write: (text: string) => void;
  #pending = '';
  #isScheduled = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Takes a line, with its line break, and writes it before the turn ends. */
  add(line: string): void {
    if (this.#pending.length + line.length > longestPiece) this.flush();
    this.#pending += line;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Writes what is pending now. */
  flush(): void {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '') this.#write(text);
  }
}
