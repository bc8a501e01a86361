import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { takenPort } from '../../setup/free-port.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { runCli, startCli, startServer } from './cli-process.ts';

test('The command line', { concurrency: 2 }, async (t) => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../packages/server/package.json', import.meta.url), 'utf8'),
  );

  t.test('shows its commands when asked', async (t2) => {
    const { status, stdout, stderr } = await runCli(t2, ['--help']);
    assert.deepEqual([status, stderr], [0, '']);
    for (const command of ['serve', 'keys', 'config']) assert.match(stdout, new RegExp(`^ +${command} `, 'm'));
  });

  t.test('shows its version when asked', async (t2) => {
    assert.deepEqual(await runCli(t2, ['--version']), { status: 0, stdout: `${version}\n`, stderr: '' });
  });

  t.test('lists every fault of a wrong configuration, and nothing else, with status 78', async (t2) => {
    const { status, stdout, stderr } = await runCli(t2, ['serve'], {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      SOLANA_RPC_URLS: 'https://ok.example,ftp://user:SECRET@x',
      DATABASE_URL: 'mysql://SECRET',
    });
    assert.deepEqual([status, stdout], [78, '']);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/[ :]/)[0]);
    assert.deepEqual(lines.sort(), ['DATABASE_URL', 'LOG_LEVEL', 'PORT', 'SOLANA_RPC_URLS']);
    assert.doesNotMatch(stderr, /SECRET/);
  });

  t.test('prints the configuration, that of a .env file too, and says which is whose', async (t2) => {
    const folder = temporaryFolder(t2);
    writeFileSync(`${folder}/.env`, 'PORT=81\nHOST=0.0.0.0\nSOLANA_RPC_URLS=https://rpc.example/SECRET\n');
    const { status, stdout, stderr } = await runCli(t2, ['config'], { PORT: '80' }, folder);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^ {2}PORT = 80 \(environment\)$/m);
    assert.match(stdout, /^ {2}HOST = 0\.0\.0\.0 \(\.env\)$/m);
    assert.match(stdout, /^ {2}SOLANA_RPC_URLS = https:\/\/rpc\.example\/\*\*\* \(\.env\)$/m);
  });

  t.test('says in one line that HOST is not an address of this machine, with status 1', async (t2) => {
    const environment = { HOST: '192.0.2.1', PORT: '0', SANDBOX_RPC_PORT: '0' };
    const line = 'HOST 192.0.2.1 is no address of this machine: set it to one, such as 127.0.0.1.\n';
    assert.deepEqual(await runCli(t2, ['serve'], environment), { status: 1, stdout: '', stderr: line });
  });
});

test('Options of serve come before the environment, and the greeting says where each value was found', async (t) => {
  const port = await takenPort(t);
  const environment = { PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'warn' };
  const server = startCli(t, ['serve', '--port', '0', '--sandbox-rpc-port=0', '--drain-ms', '0'], environment);
  const [text, url = ''] = await server.waitFor(/splwright listens on (http:\/\/[^\s,]+)[\s\S]*NAME\n/);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  const found =
    'PORT (option), SANDBOX_RPC_PORT (option), DRAIN_MS (option), METRICS_PORT (environment), LOG_LEVEL (environment)';
  assert.ok(text.includes(found), text);
  server.kill('SIGTERM');
  assert.deepEqual(await server.ended.then(({ status, stderr }) => [status, stderr]), [0, '']);
});

test('A running server takes a key that another process makes, and refuses it once that is revoked', async (t) => {
  const environment = { DATABASE_URL: `sqlite:${temporaryFolder(t)}/keys.db` };
  const { server, url } = await startServer(t, { ...environment, LOG_LEVEL: 'warn' });
  const statusWith = async (key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await readProblem(await fetch(url + createPath, { method: 'POST', headers, body: '{}' }))).status;
  };

  const created = await runCli(t, ['keys', 'create', '--name', 'acme', '--json'], environment);
  const { id, key } = JSON.parse(created.stdout);
  assert.equal(await statusWith(key), 400);
  const revoked = await runCli(t, ['keys', 'revoke', id], environment);
  assert.equal(revoked.status, 0, revoked.stderr);
  // Asked again and again, as a caller would; the service promises to follow within 5 seconds.
  const promised = performance.now() + 5000;
  for (let sentAt = 0; (await statusWith(key)) !== 401; ) {
    assert.ok(sentAt < promised, 'still accepted after 5 seconds');
    sentAt = performance.now();
  }

  server.kill('SIGINT');
  const ended = await server.ended;
  assert.deepEqual([ended.status, ended.stderr], [0, '']);
  assert.ok(!ended.stdout.includes(key));
});
