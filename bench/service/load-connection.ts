import { createConnection, type Socket } from 'node:net';

const receiveBytes = 16 * 1024;
const headEnd = Buffer.from('\r\n\r\n');

/** What a connection asks and tells while it works. */
export interface LoadSource {
  /** Writes the next transfer into the request; `false` when there is none left. */
  fill(request: Buffer): boolean;
  /** An answer has come, after so many milliseconds. */
  answered(milliseconds: number): void;
  /** Something else than an answer has come. */
  failed(mistake: string): void;
  /** The connection has no more to do. */
  ended(): void;
}

/**
 * One kept-alive connection that sends its next request when the answer to the last one is complete.
 *
 * Written on sockets, because an HTTP client costs as much as the server that is measured: a request is one buffer that
 * is sent again with other addresses, an answer is looked at for its status and its length.
 */
export class LoadConnection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #source: LoadSource;
  readonly #pauseMilliseconds: number;
  // What has come of an answer that did not come in one piece.
  readonly #held = Buffer.alloc(4 * receiveBytes);
  #heldLength = 0;
  #sentAt = 0;
  #isDone = false;

  constructor(port: number, request: Buffer, source: LoadSource, pauseMilliseconds: number) {
    this.#request = Buffer.from(request);
    this.#source = source;
    this.#pauseMilliseconds = pauseMilliseconds;
    this.#socket = createConnection({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.alloc(receiveBytes),
        callback: (length, buffer) => {
          this.#receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    this.#socket.once('connect', () => this.#next());
    this.#socket.once('error', (error) => this.#fail(error.message));
    this.#socket.once('close', () => this.#fail('the server closed the connection'));
  }

  #next(): void {
    if (this.#pauseMilliseconds > 0) setTimeout(() => this.#send(), this.#pauseMilliseconds);
    else this.#send();
  }

  #send(): void {
    if (!this.#source.fill(this.#request)) {
      this.#isDone = true;
      this.#socket.destroy();
      this.#source.ended();
      return;
    }
    this.#sentAt = performance.now();
    this.#socket.write(this.#request);
  }

  #receive(chunk: Buffer): void {
    const answer = this.#heldLength === 0 ? chunk : this.#append(chunk);
    if (isWhole(answer)) {
      this.#heldLength = 0;
      this.#take(answer);
    } else if (this.#heldLength === 0) {
      this.#append(chunk);
    }
  }

  // Throws a `RangeError` past its 64 KiB, as no answer here is.
  #append(chunk: Buffer): Buffer {
    this.#held.set(chunk, this.#heldLength);
    this.#heldLength += chunk.length;
    return this.#held.subarray(0, this.#heldLength);
  }

  #take(answer: Buffer): void {
    const isOk = answer[9] === 0x32 && answer[10] === 0x30 && answer[11] === 0x30;
    if (isOk) {
      this.#source.answered(performance.now() - this.#sentAt);
      this.#next();
    } else {
      this.#fail(answer.toString('latin1'));
    }
  }

  #fail(mistake: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#socket.destroy();
    this.#source.failed(mistake);
  }
}

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(headEnd);
  if (end === -1) return false;
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(answer.toString('latin1', 0, end))?.[1];
  // No server here sends chunks; one that did would never be complete, and is named by its mistake.
  return length !== undefined && Number(length) > 0 && answer.length >= end + 4 + Number(length);
}
