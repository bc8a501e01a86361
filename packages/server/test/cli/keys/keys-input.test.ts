import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandLine, onlyJson } from './command-line.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

describe('keys with a key on standard input', () => {
  it('revokes it, by - and without any argument', async (test) => {
    const { keys, isAccepted, input } = commandLine(test);
    for (const args of [['revoke', '-'], ['revoke']]) {
      const { key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      input.text = `${key}\n`;
      const { status, stderr } = await keys(...args);
      assert.deepEqual([status, stderr, await isAccepted(key)], [0, '', false]);
    }
  });

  it('is about it in every other command that names one key', async (test) => {
    const { keys, input } = commandLine(test);
    const { id, key } = onlyJson(await keys('create', '--name', 'acme', '--expires', '90d', '--json'));
    input.text = key;
    assert.equal(onlyJson(await keys('show', '-', '--json')).id, id);
    assert.equal(onlyJson(await keys('update', '-', '--new-name', 'b', '--json')).name, 'b');
    assert.deepEqual(onlyJson(await keys('usage', '-', '--json')).usage, []);
    assert.equal(onlyJson(await keys('rotate', '-', '--json')).replaces, id);
  });

  it('takes an id or a name there too, and shows the use of all keys without an argument', async (test) => {
    const { keys, input } = commandLine(test);
    onlyJson(await keys('create', '--name', 'acme', '--json'));
    input.text = 'acme\r\n';
    assert.equal((await keys('usage')).status, 0);
    assert.equal((await keys('revoke', '-')).status, 0);
  });

  it('refuses an empty input and one of several lines', async (test) => {
    const { keys, input } = commandLine(test);
    for (const [text, message] of [
      [' \n', /id or name of the key is missing/],
      ['a\nb\n', /one key, id or name, in one line/],
    ] as const) {
      input.text = text;
      const { status, stderr } = await keys('revoke', '-');
      assert.equal(status, 2);
      assert.match(stderr, message);
    }
  });

  it('warns of a whole key that is an argument, does what it should, and repeats no key', async (test) => {
    const { keys, isAccepted } = commandLine(test);
    const { key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const { status, stderr } = await keys('revoke', key);
    assert.deepEqual([status, await isAccepted(key)], [0, false]);
    assert.match(stderr, /^Warning: a whole key was given as an argument.*standard input/);
    assert.ok(!stderr.includes(key));
  });

  it('reads the real standard input', async (test) => {
    const { keys, isAccepted, databaseUrl } = commandLine(test);
    const { key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const env = { PATH: process.env.PATH, DATABASE_URL: await databaseUrl };
    const { status, stderr } = spawnSync(process.execPath, [main, 'keys', 'revoke'], { input: key, env, cwd: '/' });
    assert.deepEqual([status, String(stderr), await isAccepted(key)], [0, '', false]);
  });
});
