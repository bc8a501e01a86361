import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { runKeys } from '../../../src/cli/keys/keys.ts';
import { commandLine } from './command-line.ts';

describe('keys', () => {
  it('answers a command line that it cannot understand with what is wrong and the usage, touching no file', async (test) => {
    const { keys, databaseUrl } = commandLine(test);
    const expectations: [string[], RegExp][] = [
      [[], /Usage:/],
      [['destroy'], /Unknown command "destroy"/],
      [['constructor'], /Unknown command "constructor"/],
      [['create'], /--name is missing.*Usage: npm run keys -- create --name/s],
      [['create', '--nmae', 'acme'], /^keys create: there is no option --nmae: did you mean --name\?\nUsage:/],
      [['create', '--verbose'], /^keys create: there is no option --verbose\.\nUsage:/],
      [['create', '--name', '--json'], /'--name=-XYZ'\.\nUsage:/],
      [['create', 'acme'], /Unexpected argument 'acme'.*Usage:/s],
      [['create', '--name', 'acme', '--expires', 'soon'], /--expires cannot be "soon".*90d.*Usage:/s],
      [['list', 'acme'], /Unexpected argument 'acme'.*Usage: npm run keys -- list/s],
      [['revoke'], /id or name of the key is missing.*Usage: npm run keys -- revoke/s],
      [['revoke', 'a', 'b'], /one id or name only/],
      [['show'], /id or name of the key is missing.*Usage: npm run keys -- show/s],
      [['update', 'acme'], /nothing to change.*--expires 90d.*Usage: npm run keys -- update/s],
      [['rotate', 'a', '--overlap', '1w'], /--overlap cannot be "1w".*7d, 12h or 30m/],
      [['usage', '--days', '0'], /--days cannot be "0".*1 to 9999/],
      [['rotate', 'a', '--id', 'b'], /one id or name only.*Usage: npm run keys -- rotate/s],
    ];
    for (const [args, message] of expectations) {
      const { status, stdout, stderr } = await keys(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, message);
    }
    assert.equal(existsSync((await databaseUrl).slice('sqlite:'.length)), false);
  });

  it('teaches by example with --help', async (test) => {
    const { keys, databaseUrl } = commandLine(test);
    for (const command of ['create', 'list', 'show', 'update', 'revoke', 'rotate', 'usage']) {
      const { status, stdout, stderr } = await keys(command, '--help');
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, new RegExp(`Usage: npm run keys -- ${command}.*\n {2}npm run .*keys -- ${command}`, 's'));
      assert.match((await keys('--help')).stdout, new RegExp(`npm run keys -- ${command}`));
    }
    assert.equal(existsSync((await databaseUrl).slice('sqlite:'.length)), false);
  });

  it('refuses a database that no server could share, with the remedy', async () => {
    for (const databaseUrl of [
      'sqlite::memory:',
      'postgres://me:hunter2@127.0.0.1:1/keys',
      'sqlite:/dev/null/keys.db',
    ]) {
      let output = '';
      const write = (text: string) => {
        output += text;
      };
      const args = ['create', '--name', 'acme'];
      const status = await runKeys({
        arguments: args,
        databaseUrl,
        author: { user: 'root', sudoUser: null, host: 'ops-1' },
        input: { isTerminal: true, read: async () => '' },
        stdout: write,
        stderr: write,
        now: () => new Date(),
      });
      assert.equal(status, 1);
      assert.match(output, /DATABASE_URL/);
      assert.doesNotMatch(output, /hunter2|swk_/);
    }
  });
});
