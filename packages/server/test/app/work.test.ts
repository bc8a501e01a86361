import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Work } from '../../src/app/work.ts';
import { isAppError } from '../../src/problems.ts';

/** Counts the turns of the event loop until it is told to stop. */
class LoopCounter {
  turn = 0;
  #next = setImmediate(() => this.#count());

  stop(): void {
    clearImmediate(this.#next);
  }

  #count(): void {
    this.turn += 1;
    this.#next = setImmediate(() => this.#count());
  }
}

/** Does work in some turns, and notes each of them. */
class Notebook {
  readonly notes: string[] = [];

  async run(work: Work, name: string, turnCount: number): Promise<string> {
    for (let turn = 1; turn <= turnCount; turn++) {
      await work.next();
      this.notes.push(`${name}${turn}`);
    }
    return name;
  }
}

describe('turns of the event loop', () => {
  it('have one step each of all that wait for them', async () => {
    const counter = new LoopCounter();
    const turns: number[] = [];
    const work = async (): Promise<void> => {
      const own = new Work();
      for (let step = 0; step < 2; step++) {
        await own.next();
        turns.push(counter.turn);
      }
    };
    await Promise.all([work(), work()]);
    counter.stop();
    assert.equal(turns.length, 4);
    assert.equal(new Set(turns).size, 4);
  });

  it('are those of the oldest work, whichever waited first', async () => {
    const notebook = new Notebook();
    const [older, younger] = [new Work(), new Work()];
    const results = await Promise.all([notebook.run(younger, 'young', 2), notebook.run(older, 'old', 3)]);
    assert.deepEqual(results, ['young', 'old']);
    assert.deepEqual(notebook.notes, ['old1', 'old2', 'old3', 'young1', 'young2']);
  });

  it('go to owners in rotation, so that one with much work delays another by one step of its own', async () => {
    const notebook = new Notebook();
    const run = (owner: string, name: string, steps: number) => notebook.run(new Work({ owner }), name, steps);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => run('busy', `busy${index}.`, 5)),
      run('other', 'other', 3),
      run('third', 'third', 3),
    ]);
    const steps = notebook.notes.slice(0, 9).map((note) => note.replace(/[0-9.]+$/, ''));
    assert.deepEqual(steps, ['busy', 'other', 'third', 'busy', 'other', 'third', 'busy', 'other', 'third']);
    assert.deepEqual(notebook.notes.slice(9).slice(-3), ['busy19.3', 'busy19.4', 'busy19.5'], 'the oldest first');
  });

  it('are not spent on work that nobody waits for: the client has hung up, or the deadline is over', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const notebook = new Notebook();
    let isGone = false;
    const gone = notebook.run(new Work({ isClientGone: () => isGone }), 'gone', 9);
    const late = notebook.run(new Work({ deadline: 5 }), 'late', 9);
    const wanted = notebook.run(new Work({ deadline: 50 }), 'wanted', 3);
    isGone = true;
    now = 5;
    const refused = async (work: Promise<string>) => {
      const error = await work.catch((reason: unknown) => reason);
      return isAppError(error) ? [error.code, error.retryAfterSeconds] : error;
    };
    assert.deepEqual(await Promise.all([refused(gone), refused(late), wanted]), [
      ['malformed_http', undefined],
      ['overloaded', 1],
      'wanted',
    ]);
    assert.deepEqual(notebook.notes, ['wanted1', 'wanted2', 'wanted3']);
  });

  it('are every second time those of short work, the oldest of it', async () => {
    const notebook = new Notebook();
    const long = [new Work(), new Work()];
    const short = [new Work({ isShort: true }), new Work({ isShort: true })];
    await Promise.all([
      ...long.map((work, index) => notebook.run(work, `long${index}.`, 3)),
      ...short.map((work, index) => notebook.run(work, `short${index}.`, 2)),
    ]);
    const order = notebook.notes.filter((note) => note.startsWith('short'));
    assert.deepEqual(order, ['short0.1', 'short0.2', 'short1.1', 'short1.2']);
    const first = notebook.notes.findIndex((note) => note.startsWith('short'));
    assert.ok(first < 2);
    assert.deepEqual(
      notebook.notes.slice(first, first + 8).map((note) => note.replace(/[0-9.]+$/, '')),
      ['short', 'long', 'short', 'long', 'short', 'long', 'short', 'long'],
    );
  });

  it('come after what else has arrived, for a millisecond, and at once where nothing has', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    // How many turns pass until a step has its own, when each of them takes so long.
    const turnsUntilStep = async (turnMs: number): Promise<number> => {
      let turns = 0;
      const countTurns = (): void => {
        turns += 1;
        now += turnMs;
        counting = setImmediate(countTurns);
      };
      let counting = setImmediate(countTurns);
      await new Work().next();
      clearImmediate(counting);
      return turns;
    };
    assert.equal(await turnsUntilStep(0.01), 2);
    assert.equal(await turnsUntilStep(0.3), 5);
    assert.equal(await turnsUntilStep(5), 2);
  });
});

describe('short steps', () => {
  const busyFor = (ms: number): void => {
    for (const end = performance.now() + ms; performance.now() < end; );
  };

  it('share a turn until they have taken some time, and then all that wait go on in a later one', async () => {
    const counter = new LoopCounter();
    const work = new Work();
    const turnOf = (ms: number): Promise<number> =>
      work.step(() => {
        busyFor(ms);
        return counter.turn;
      });
    const turns = await Promise.all([turnOf(0), turnOf(3), turnOf(0), turnOf(0)]);
    counter.stop();
    assert.equal(turns[0], turns[1]);
    assert.notEqual(turns[1], turns[2]);
    assert.equal(turns[2], turns[3]);
  });

  it('return what they compute, throw what they throw, and end with a client that has gone', async () => {
    const client = { isGone: false };
    const work = new Work({ isClientGone: () => client.isGone });
    assert.equal(await work.step(() => 7), 7);
    const failing = work.step(() => {
      busyFor(3);
      throw new Error('wrong');
    });
    await assert.rejects(failing, /wrong/);
    client.isGone = true;
    await assert.rejects(
      work.step(() => 7),
      (error) => isAppError(error, 'malformed_http'),
    );
    client.isGone = false;
    assert.equal(await work.step(() => 8), 8);
  });
});
