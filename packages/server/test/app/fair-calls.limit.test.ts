import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairLimit } from '../../src/app/fair-calls.ts';
import { Work, type WorkOptions } from '../../src/app/work.ts';
import { isAppError } from '../../src/problems.ts';

/** Starts calls that end when they are told to, and notes which have begun. */
class Calls {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #limit: FairLimit;

  constructor(maxCalls: number) {
    this.#limit = new FairLimit(maxCalls);
  }

  start(name: string, options: WorkOptions): Promise<string> {
    return this.#limit.run(new Work(options), async () => {
      this.begun.push(name);
      await new Promise<void>((end) => this.#ends.set(name, end));
      return name;
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await new Promise(setImmediate);
  }
}

describe('a fair limit', () => {
  it('gives free places to owners in rotation, and of one owner to the oldest work', async () => {
    const calls = new Calls(2);
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) => calls.start(name, { owner: name.slice(0, 1) }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await calls.end(name);
    assert.deepEqual(calls.begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']);
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  });

  it('passes over work that nobody waits for, and goes on with the rest', async () => {
    const calls = new Calls(1);
    let isGone = false;
    const first = calls.start('first', {});
    const gone = calls.start('gone', { isClientGone: () => isGone });
    const next = calls.start('next', {});
    isGone = true;
    const refused = assert.rejects(gone, (error) => isAppError(error) && error.code === 'malformed_http');
    await calls.end('first');
    await refused;
    await calls.end('next');
    assert.deepEqual(await Promise.all([first, next]), ['first', 'next']);
    const last = calls.start('last', {});
    await calls.end('last');
    assert.equal(await last, 'last', 'its place is free again');
  });

  it('is free again after a call that fails', async () => {
    const limit = new FairLimit(1);
    const fail = async () => Promise.reject(new RangeError('failed'));
    await assert.rejects(limit.run(new Work(), fail), RangeError);
    assert.equal(await limit.run(new Work(), async () => 1), 1);
  });
});
