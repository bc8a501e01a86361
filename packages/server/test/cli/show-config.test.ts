import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Environment, variables } from '../../src/config/variables.ts';
import { parseConfig } from '../../src/config.ts';
import { runCaptured } from './run-captured.ts';

/** Runs the command as with these variables in the environment and those in a `.env` file. */
function run(commandLine: readonly string[], environment: Environment = {}, file: Environment = {}) {
  const inherited = new Set(Object.keys(environment));
  return runCaptured(['config', ...commandLine], { environment: { ...file, ...environment }, inherited });
}

const secretUrls = {
  SOLANA_RPC_URLS: 'https://rpc.example/SECRET?api-key=SECRET,https://user:SECRET@other.example',
  DATABASE_URL: 'postgres://app:SECRET@db/keys',
  SPONSOR_URL: 'https://kora.example/SECRET',
  SPONSOR_API_KEY: 'SECRET',
  // Of a file's URL the path would be shown.
  ADMIN_KEY: `sqlite:SECRET${'0'.repeat(32)}`,
};

test('The config command', async (t) => {
  await t.test(
    'prints every variable with its value, its source and its meaning, what is set first, in 100 columns',
    async () => {
      const { status, stdout, stderr } = await run([], { PORT: '80' }, { HOST: '0.0.0.0', PORT: '81' });
      assert.deepEqual([status, stderr], [0, '']);
      const names = [...stdout.matchAll(/^ {2}(\w+) = /gm)].map(([, name]) => name);
      const others = variables.map(({ name }) => name).filter((name) => name !== 'PORT' && name !== 'HOST');
      assert.deepEqual(names, ['PORT', 'HOST', ...others]);
      assert.match(stdout, /^Set:\n {2}PORT = 80 \(environment\)\n {6}the port it listens on; 0 picks a free one\n/);
      assert.match(stdout, /^ {2}HOST = 0\.0\.0\.0 \(\.env\)\n {6}the address it listens on\n\nDefaults:$/m);
      assert.match(stdout, /^ {2}SOLANA_RPC_URLS = none: the sandbox\n {6}RPC endpoint/m);
      const tooLong = stdout.split('\n').filter((line) => line.length > 100);
      assert.deepEqual(tooLong, []);
    },
  );

  await t.test('takes an empty variable for absent, as the service does', async () => {
    assert.match((await run([], { PORT: ' ' }, { PORT: '81' })).stdout, /^ {2}PORT = 3000$/m);
  });

  await t.test('prints one line of JSON and nothing else on request', async () => {
    const { status, stdout, stderr } = await run(['--json'], { PORT: '80' });
    assert.deepEqual([status, stderr, stdout.split('\n').length], [0, '', 2]);
    const { variables: shown, faults } = JSON.parse(stdout);
    assert.deepEqual(faults, []);
    assert.equal(shown.length, variables.length);
    const { meaning } = variables[0] ?? {};
    assert.deepEqual(shown[0], { name: 'PORT', value: '80', source: 'environment', meaning });
  });

  await t.test('shows no secret, in a table, in JSON or in a fault', async () => {
    for (const commandLine of [[], ['--json']]) {
      const { stdout, stderr } = await run(commandLine, secretUrls);
      // A name of a variable is none.
      assert.doesNotMatch((stdout + stderr).replaceAll('HMAC_SECRET', ''), /SECRET/);
      assert.match(stdout, /ADMIN_KEY(?: = |","value":")\*\*\*/);
      assert.match(stdout, /https:\/\/rpc\.example\/\*\*\*\?\*\*\*,https:\/\/\*\*\*@other\.example\//);
    }
  });

  await t.test('exits with 78 and lists every fault that the service would list', async () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'loud' };
    const parsed = parseConfig(environment);
    const faults = 'faults' in parsed ? parsed.faults : [];
    assert.equal(faults.length, 2);
    const { status, stdout, stderr } = await run([], environment);
    assert.deepEqual([status, stderr], [78, faults.map((fault) => `${fault}\n`).join('')]);
    assert.match(stdout, /^ {2}PORT = x \(environment\)$/m);
    const json = await run(['--json'], environment);
    assert.deepEqual([json.status, json.stderr], [78, '']);
    assert.deepEqual(JSON.parse(json.stdout).faults, faults);
  });

  await t.test('names a variable that looks misspelled once, with the one that was meant', async () => {
    const warning = 'SOLANA_RPC_URL is not a variable of splwright: did you mean SOLANA_RPC_URLS?';
    const environment = { SOLANA_RPC_URL: 'https://rpc.example' };
    assert.equal((await run([], environment)).stderr, `${warning}\n`);
    const json = await run(['--json'], environment);
    assert.deepEqual([json.stderr, JSON.parse(json.stdout).warnings], ['', [warning]]);
  });
});
