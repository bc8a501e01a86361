import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Work } from '../../src/app/work.ts';
import { FairPace, type PacedCall } from '../../src/links/fair-pace.ts';

/** Calls of four a second, by a clock that is set by hand: which have begun, and which were given up. */
class Calls {
  readonly begun: string[] = [];
  readonly givenUp: string[] = [];
  readonly #pace: FairPace;
  readonly #later: (ms: number) => void;

  constructor(t: TestContext, { taken = 0 }: { taken?: number } = {}) {
    t.mock.timers.reset();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let elapsed = 5_000;
    this.#later = (ms) => {
      for (let passed = 0; passed < ms; passed += 1) {
        elapsed += 1;
        t.mock.timers.tick(1);
      }
    };
    this.#pace = new FairPace(4, () => elapsed);
    for (let count = 0; count < taken; count += 1) this.add('taken', 'owner', 'client');
    this.begun.length = 0;
  }

  add(
    name: string,
    owner: string,
    client: string,
    options: { isGone?: () => boolean; precedence?: number } = {},
  ): PacedCall {
    const work = new Work(options.isGone && { isClientGone: options.isGone });
    const begin = () => this.begun.push(name);
    const giveUp = () => this.givenUp.push(name);
    const call = { parties: [owner, client], precedence: options.precedence ?? 0, work, begin, giveUp };
    this.#pace.add(call);
    return call;
  }

  remove(call: PacedCall): void {
    this.#pace.remove(call);
  }

  /** What begins within so many milliseconds. */
  beginWithin(ms: number): readonly string[] {
    const before = this.begun.length;
    this.#later(ms);
    return this.begun.slice(before);
  }
}

describe('a fair pace', () => {
  it('lets as many calls begin at once as in a second, also after a long pause', (t) => {
    const calls = new Calls(t);
    for (const name of ['1', '2', '3', '4', '5']) calls.add(name, 'owner', 'client');
    assert.deepEqual(calls.begun, ['1', '2', '3', '4']);
    assert.deepEqual(calls.beginWithin(10_000), ['5']);
    for (const name of ['6', '7', '8', '9', '10']) calls.add(name, 'owner', 'client');
    assert.deepEqual(calls.begun.slice(5), ['6', '7', '8', '9']);
  });

  it('gives turns to owners in rotation: one whom thirty clients ask for delays another by a turn', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (let client = 0; client < 30; client += 1) calls.add(`busy${client}`, 'busy', `client${client}`);
    calls.add('other1', 'other', 'a');
    calls.add('other2', 'other', 'b');
    assert.deepEqual(calls.beginWithin(1_000), ['busy0', 'other1', 'busy1', 'other2']);
  });

  it('gives turns to clients in rotation: one that asks for things of thirty owners delays another by a turn', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (let owner = 0; owner < 30; owner += 1) calls.add(`busy${owner}`, `owner${owner}`, 'busy');
    calls.add('other1', 'a', 'other');
    calls.add('other2', 'b', 'other');
    assert.deepEqual(calls.beginWithin(1_000), ['busy0', 'other1', 'busy1', 'other2']);
  });

  it('lets calls begin once, the one of higher precedence first', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (const name of ['1', '2', '3']) calls.add(name, 'owner', 'client');
    calls.add('first', 'owner', 'client', { precedence: 1 });
    assert.deepEqual(calls.beginWithin(5_000), ['first', '1', '2', '3']);
  });

  it('gives no turn to a call that is taken back, or that nobody waits for', (t) => {
    const calls = new Calls(t, { taken: 4 });
    let isGone = false;
    calls.add('gone', 'owner', 'client', { isGone: () => isGone });
    const back = calls.add('back', 'owner', 'client');
    calls.add('wanted', 'owner', 'client');
    isGone = true;
    calls.remove(back);
    assert.deepEqual([calls.beginWithin(250), calls.givenUp], [['wanted'], ['gone']]);
  });
});
