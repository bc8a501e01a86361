import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { allRules } from './court.ts';
import { drawWorld } from './draw-world.ts';
import { Judge } from './judge.ts';
import { transfers } from './transfers.ts';
import { describeWorld } from './world.ts';

const execute = promisify(execFile);

describe('the command that judges worlds', () => {
  it('judges the very world under the very rules that its replay line names', async () => {
    const [, rules] = allRules;
    assert.ok(rules);
    const world = drawWorld(7, 40);
    const replay = new Judge(transfers, 7, [rules]).replayCommand(40);
    const { stdout } = await execute('sh', ['-c', replay]);
    assert.ok(stdout.includes(`under ${rules.name}: ${describeWorld(world)}`), stdout);
    assert.ok(stdout.includes(replay), stdout);
    assert.match(stdout, /^1 worlds of transfers: /m);
  });

  it('judges the very outcomes of the world that its replay line names', async () => {
    const { stdout } = await execute(process.execPath, [
      'test/judge/run.ts',
      '--outcomes',
      '--seed',
      '7',
      '--world',
      '3',
    ]);
    assert.match(stdout, /history of seed 7 world 3/);
    const replay = /replay: (npm run judge -- --outcomes --seed 7 --world 3 .*)$/m.exec(stdout)?.[1];
    assert.ok(replay, stdout);
    const again = await execute('sh', ['-c', replay]);
    const stepsOf = (text: string): readonly string[] =>
      text.split('\n').filter((line) => line.startsWith('  {"kind"'));
    assert.deepEqual(stepsOf(again.stdout), stepsOf(stdout));
    assert.match(stdout, /^seed 7: 1 worlds, 0 disagreements/m);
  });

  it('draws another seed each time, prints it with its rate, and stops when its minutes are over', async () => {
    const seeds: (string | undefined)[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { stdout } = await execute(process.execPath, ['test/judge/run.ts', '--minutes', '0.001']);
      seeds.push(/^seed (\d+), /.exec(stdout)?.[1]);
      assert.match(stdout, /^seed \d+: [1-9]\d* worlds, 0 disagreements, \d+ s, \d+ worlds a second$/m);
    }
    assert.match(String(seeds[0]), /^\d+$/);
    assert.notEqual(seeds[0], seeds[1]);
  });

  it('judges no world when its options make no sense', async () => {
    for (const options of [['--worlds', 'many'], ['--minutes', '0'], ['--rules', 'none'], ['--unknown']]) {
      const run = execute(process.execPath, ['test/judge/run.ts', ...options]);
      await assert.rejects(run, (error: Error & { code?: unknown; stderr?: string }) => {
        return error.code === 64 && (error.stderr ?? '').startsWith('usage: npm run judge');
      });
    }
  });
});
