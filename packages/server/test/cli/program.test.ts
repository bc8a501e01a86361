import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repository } from '../../../../test/setup/process.ts';
import { type Environment, variables } from '../../src/config/variables.ts';
import { runCaptured } from './run-captured.ts';

/** The variables that the options of `serve` stand for. */
async function servedWith(...args: readonly string[]): Promise<Environment | undefined> {
  let served: Environment | undefined;
  const serve = async (options: Environment): Promise<number> => {
    served = options;
    return 0;
  };
  const { status, stderr } = await runCaptured(args, { serve });
  assert.deepEqual([status, stderr], [0, '']);
  return served;
}

test('Without arguments the service runs', async () => {
  assert.deepEqual(await servedWith(), {});
});

test('Each option of serve stands for a variable, and --rpc-url for the Solana nodes, as often as it is given', async () => {
  assert.deepEqual(await servedWith('serve', '--port', '4000', '--host=0.0.0.0', '--log-level', 'warn'), {
    PORT: '4000',
    HOST: '0.0.0.0',
    LOG_LEVEL: 'warn',
  });
  const urls = ['--rpc-url', 'https://a.example', '--rpc-url', 'https://b.example'];
  assert.deepEqual(await servedWith('serve', ...urls), { SOLANA_RPC_URLS: 'https://a.example,https://b.example' });
  for (const { name } of variables.filter(({ isAlsoLowerCase }) => !isAlsoLowerCase)) {
    const option = `--${name.toLowerCase().replaceAll('_', '-')}`;
    assert.deepEqual(await servedWith('serve', option, 'x'), { [name]: 'x' });
  }
});

test('The help of serve has the options that its readers need first', async () => {
  const { stdout } = await runCaptured(['serve', '--help']);
  const named = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
  assert.deepEqual(named, ['--port', '--host', '--database-url', '--log-level', '--rpc-url']);
  assert.match(stdout, /^Usage: npm start -- \[options\]\n/);
});

test('A command line that is not understood is refused with status 2 and what was meant', async () => {
  for (const [args, message] of [
    [['sevre'], /^error: unknown command 'sevre'\n\(Did you mean serve\?\)\n/],
    [['serve', '--prot', '4000'], /^error: unknown option '--prot'\n\(Did you mean --port\?\)\n/],
    [['serve', '4000'], /^error: too many arguments for 'serve'/],
    [['serve', '--port'], /^error: option '--port <value>' argument missing/],
    [['serve', '--rpc-url', 'a', '--solana-rpc-urls', 'b'], /cannot be used with option '--solana-rpc-urls/],
    [['config', '--yaml'], /^error: unknown option '--yaml'/],
    [['verify'], /^error: required option '--request <file>' not specified/],
  ] as const) {
    const { status, stdout, stderr } = await runCaptured(args);
    assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    assert.match(stderr, message);
    assert.match(stderr, /--help shows the usage\.\n$/);
  }
});

test('Every command has a help with its exit status, and is the npm script that it names', async () => {
  const { scripts } = Object(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')));
  for (const command of ['serve', 'config', 'doctor', 'ping', 'inspect', 'verify', 'demo']) {
    const { status, stdout, stderr } = await runCaptured([command, '--help']);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^Usage: npm [\s\S]*\nExit status: 0/m, command);
    if (command !== 'serve') assert.ok(Object.hasOwn(scripts, command), `npm run ${command}`);
  }
  assert.deepEqual(await runCaptured(['--version']), { status: 0, stdout: '1.2.3\n', stderr: '' });
});
