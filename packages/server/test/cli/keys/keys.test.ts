import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { runCaptured } from '../run-captured.ts';
import { commandLine } from './command-line.ts';

describe('keys', () => {
  it('answers a command line that it cannot understand with what is wrong and the usage, touching no file', async (test) => {
    const { keys, databaseUrl } = commandLine(test);
    const expectations: [string[], RegExp][] = [
      [[], /^Usage: npm run keys -- \[options\] \[command\]/],
      [['destroy'], /unknown command 'destroy'/],
      [['constructor'], /unknown command 'constructor'/],
      [['create'], /required option '--name <name>' not specified/],
      [['create', '--name', 'acme', '--expirse', '90d'], /unknown option '--expirse'\n\(Did you mean --expires\?\)/],
      [['create', '--name', '--json'], /--name.* not begin with a hyphen/],
      [['create', '--name', 'a', 'acme'], /too many arguments for 'create'/],
      [['create', '--name', 'acme', '--expires', 'soon'], /--expires <time>' argument 'soon' is invalid.*90d/],
      [['revoke'], /id or name of the key is missing/],
      [['revoke', 'a', 'b'], /too many arguments for 'revoke'/],
      [['show'], /id or name of the key is missing/],
      [['update', 'acme'], /nothing to change.*--expires 90d/],
      [['rotate', 'a', '--overlap', '1w'], /--overlap <time>' argument '1w' is invalid.*7d, 12h or 30m/],
      [['usage', '--days', '0'], /--days <number>' argument '0' is invalid.*1 to 9999/],
      [['rotate', 'a', '--id', 'b'], /one id or name only/],
      [['show', '--name', 'a', '--id', 'b'], /cannot be used with option '--name/],
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
    for (const command of ['create', 'list', 'show', 'update', 'revoke', 'rotate', 'usage', 'history']) {
      const { status, stdout, stderr } = await keys(command, '--help');
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, new RegExp(`Usage: npm run keys -- ${command}.*\n {2}npm run .*keys -- ${command}`, 's'));
      assert.match((await keys('--help')).stdout, new RegExp(`^ +${command} `, 'm'));
    }
    assert.equal(existsSync((await databaseUrl).slice('sqlite:'.length)), false);
  });

  it('refuses a database that no server could share, with the remedy', async () => {
    for (const databaseUrl of [
      'sqlite::memory:',
      'postgres://me:hunter2@127.0.0.1:1/keys',
      'sqlite:/dev/null/keys.db',
    ]) {
      const environment = { DATABASE_URL: databaseUrl };
      const { status, stdout, stderr } = await runCaptured(['keys', 'create', '--name', 'acme'], { environment });
      assert.equal(status, 1);
      assert.match(stderr, /DATABASE_URL/);
      assert.doesNotMatch(stdout + stderr, /hunter2|swk_/);
    }
  });
});
