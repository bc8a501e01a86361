import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../src/cli/parse-arguments.ts';
import { parseServeArguments, serveHelp } from '../../src/cli/serve-arguments.ts';
import { variables } from '../../src/config/variables.ts';

test('Each option stands for a variable, and --rpc-url for the Solana nodes, as often as it is given', () => {
  assert.deepEqual(parseServeArguments([]), {});
  assert.deepEqual(parseServeArguments(['--port', '4000', '--host=0.0.0.0', '--log-level', 'warn']), {
    PORT: '4000',
    HOST: '0.0.0.0',
    LOG_LEVEL: 'warn',
  });
  const urls = ['--rpc-url', 'https://a.example', '--rpc-url', 'https://b.example'];
  assert.deepEqual(parseServeArguments(urls), { SOLANA_RPC_URLS: 'https://a.example,https://b.example' });
  for (const { name } of variables) {
    const option = `--${name.toLowerCase().replaceAll('_', '-')}`;
    assert.deepEqual(parseServeArguments([option, 'x']), { [name]: 'x' });
  }
});

test('What is no option is refused with the one that was meant', () => {
  for (const [args, message] of [
    [['--prot', '4000'], 'there is no option --prot: did you mean --port?'],
    [['--verbose'], 'there is no option --verbose'],
    [['4000'], /^Unexpected argument '4000'/],
    [['--port'], /argument missing/],
    [['--rpc-url', 'a', '--solana-rpc-urls', 'b'], 'give --rpc-url or --solana-rpc-urls, not both'],
  ] as const) {
    assert.throws(() => parseServeArguments(args), { name: UsageError.name, message });
  }
});

test('The help has the options that its readers need first, each of which there is', () => {
  for (const flag of ['--help', '-h']) assert.equal(parseServeArguments([flag]), 'help');
  const named = [...serveHelp.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
  assert.deepEqual(named, ['--port', '--host', '--rpc-url', '--database-url', '--log-level']);
  for (const option of named) assert.equal(Object.keys(parseServeArguments([option, 'x'])).length, 1);
});
