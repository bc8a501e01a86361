import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { FairPace, type PacedCall } from '../../src/app/fair-calls.ts';
import { Work } from '../../src/app/work.ts';

/** Calls of four a second, by a clock that is set by hand: which have begun, and which were given up. */
class Calls {
  readonly begun: string[] = [];
  readonly givenUp: string[] = [];
  readonly #pace: FairPace;
  readonly #later: (ms: number) => void;

  constructor(t: TestContext, { taken = 0, maxWaiting = 100 }: { taken?: number; maxWaiting?: number } = {}) {
    t.mock.timers.reset();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let elapsed = 5_000;
    this.#later = (ms) => {
      for (let passed = 0; passed < ms; passed += 1) {
        elapsed += 1;
        t.mock.timers.tick(1);
      }
    };
    this.#pace = new FairPace({ perSecond: 4, maxWaiting, elapsed: () => elapsed });
    for (let count = 0; count < taken; count += 1) this.add('taken', 'owner', 'client');
    this.begun.length = 0;
  }

  add(name: string, owner: string, client: string, options: { isGone?: () => boolean; age?: number } = {}): PacedCall {
    const work = new Work({ owner: client, ...(options.isGone && { isClientGone: options.isGone }) });
    const begin = () => this.begun.push(name);
    const giveUp = () => this.givenUp.push(name);
    const call = { owner, work, age: options.age ?? work.age, begin, giveUp };
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

  it('gives every second turn to owners in rotation: one whom thirty clients ask for delays another by a turn', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (let client = 0; client < 30; client += 1) calls.add(`busy${client}`, 'busy', `client${client}`);
    calls.add('other1', 'other', 'a');
    calls.add('other2', 'other', 'b');
    assert.ok(calls.beginWithin(1_000).includes('other1'));
    assert.ok(calls.beginWithin(1_000).includes('other2'));
  });

  it('gives the other turns to clients in rotation: one that asks for things of thirty owners delays another by a turn', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (let owner = 0; owner < 30; owner += 1) calls.add(`busy${owner}`, `owner${owner}`, 'busy');
    calls.add('other1', 'a', 'other');
    calls.add('other2', 'owner1', 'other');
    assert.ok(calls.beginWithin(1_000).includes('other1'));
    assert.ok(calls.beginWithin(1_000).includes('other2'));
  });

  it('lets calls begin once, those of lower age first', (t) => {
    const calls = new Calls(t, { taken: 4 });
    for (const name of ['1', '2', '3']) calls.add(name, 'owner', 'client');
    calls.add('first', 'owner', 'client', { age: -1 });
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

  it('gives up the last call of the owner or client with the most when too many wait', (t) => {
    const calls = new Calls(t, { taken: 4, maxWaiting: 4 });
    for (let client = 0; client < 5; client += 1) calls.add(`busy${client}`, 'busy', `client${client}`);
    calls.add('own', 'quiet', 'quiet');
    assert.deepEqual(calls.givenUp, ['busy4', 'busy3']);
    const others = new Calls(t, { taken: 4, maxWaiting: 4 });
    for (let owner = 0; owner < 5; owner += 1) others.add(`busy${owner}`, `owner${owner}`, 'busy');
    others.add('own', 'quiet', 'quiet');
    assert.deepEqual(others.givenUp, ['busy4', 'busy3']);
  });
});
