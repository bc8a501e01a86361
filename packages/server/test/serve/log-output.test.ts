import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { LogOutput } from '../../src/serve/log-output.ts';

/** A reader under the control of a test, and the output that writes to it. */
class Reader {
  readonly taken: string[] = [];
  readonly drops: number[] = [];
  now = 0;
  error: Error | undefined;
  isStalled = false;
  readonly #held: (() => void)[] = [];
  readonly output: LogOutput;
  readonly #stream: Writable;

  constructor() {
    this.#stream = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        const take = (): void => {
          if (!this.error) this.taken.push(text);
          done(this.error);
        };
        if (this.isStalled) this.#held.push(take);
        else take();
      },
    });
    // As Node does for standard output, which a failed write never closes.
    this.#stream._destroy = (error, done) => {
      done(error);
      Reflect.get(this.#stream, '_undestroy').call(this.#stream);
    };
    this.output = new LogOutput({
      stream: this.#stream,
      onResume: (lines) => {
        this.drops.push(lines);
        this.output.add(`${lines} were dropped\n`);
      },
      now: () => this.now,
    });
  }

  /** Takes all that was held back, and goes on. */
  async resume(): Promise<void> {
    this.isStalled = false;
    const drained = once(this.#stream, 'drain');
    for (const take of this.#held.splice(0)) take();
    await drained;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('the log', () => {
  it('is written once a turn, in whole lines and pieces of at most 4096 bytes', async () => {
    const reader = new Reader();
    const line = `${'x'.repeat(999)}\n`;
    for (let count = 0; count < 5; count++) reader.output.add(line);
    assert.deepEqual(reader.taken, [line.repeat(4)]);
    await turn();
    assert.deepEqual(reader.taken, [line.repeat(4), line]);
  });

  it('keeps some megabyte for a reader that stalls, drops and counts the rest, and says so when it reads on', async () => {
    const reader = new Reader();
    reader.isStalled = true;
    const line = `${'x'.repeat(4095)}\n`;
    const lines = 1000;
    for (let count = 0; count < lines; count++) reader.output.add(line);
    reader.output.flush();
    await reader.resume();
    await turn();
    const [dropped = 0] = reader.drops;
    assert.equal(reader.drops.length, 1);
    const kept = reader.taken.join('').split(line).length - 1;
    assert.equal(kept + dropped, lines);
    assert.ok(kept >= 256 && kept <= 258, `${kept} lines of 4096 bytes were kept`);
    assert.equal(reader.taken.at(-1), `${dropped} were dropped\n`);
  });

  it('drops and counts while writes fail, tries again after a second, and says so when they succeed', async () => {
    const reader = new Reader();
    reader.error = new Error('EPIPE');
    for (const line of ['a\n', 'b\n', 'c\n']) {
      reader.output.add(line);
      await turn();
    }
    reader.error = undefined;
    reader.output.add('d\n');
    await turn();
    assert.deepEqual(reader.taken, [], 'not tried again yet');
    reader.now += 1000;
    reader.output.add('e\n');
    await turn();
    assert.deepEqual(reader.taken, ['e\n', '4 were dropped\n']);
  });
});
