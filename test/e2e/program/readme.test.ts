import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { configurationDocument } from '../../../docs/variable-documents.ts';
import { repository, runCommand, startServer } from '../../setup/process.ts';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');
const ciScript = readFileSync(join(repository, '.ci/run'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'splwright-readme-'));
const environment = {
  PORT: '0',
  SANDBOX_RPC_PORT: '0',
  // What the README says must work on a real node, whose preflight is strict.
  SANDBOX_STRICT_PREFLIGHT: 'true',
  DATABASE_URL: `sqlite:${join(folder, 'keys.db')}`,
  METRICS_PORT: '0',
  SOLANA_RPC_URLS: '',
};
const server = await startServer('npm start', environment);
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const here = (text: string): string => text.replaceAll('http://127.0.0.1:3000', server.url);
const port = new URL(server.url).port;

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, body = '']) => body,
  );
}

const [start = '', ...later] = blocks('sh');

describe('the README', () => {
  it('is at most 77 lines long', () => assert.ok(readme.split('\n').length <= 77));

  it('starts the service with commands that are those of the tests', () => {
    assert.equal(start, 'npm ci\nnpm start\n');
    assert.match(ciScript, /^part install npm ci$/m);
    assert.match(server.output, /sandbox/);
  });

  it('has commands that run in their order in one shell: a transfer is built and landed', async () => {
    const script = here(later.join('')).replace(/\b(?:request|reply)\.json/g, (name) => join(folder, name));
    const { status, stdout, stderr } = await runCommand(`set -e\n${script}`, {
      ...environment,
      SPLWRIGHT_URL: server.url,
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^.*1\.5.*\nlanded: [1-9A-HJ-NP-Za-km-z]{80,90}\n/m);
    const reply = JSON.parse(readFileSync(join(folder, 'reply.json'), 'utf8')) as Record<string, object>;
    // What the text shows of it.
    const shown = /The reply is `([^`]+)`/.exec(readme)?.[1] ?? '';
    const members = [...shown.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    const { data = {}, status: said } = reply;
    assert.deepEqual(members, [
      'data',
      ...Object.keys(data)
        .filter((name) => name !== 'transaction_version')
        .flatMap((name) => (name === 'lifetime' ? [name, 'blockhash', 'last_valid_block_height'] : [name])),
      'status',
    ]);
    assert.ok(shown.includes(`"status":"${said}"`));
  });

  it('writes files that git and the check leave alone', () => {
    const written = new Set([...later.join('').matchAll(/(?:>|-o) (\S+)/g)].map(([, name = '']) => name));
    assert.deepEqual([...written], ['request.json', 'reply.json']);
    const ignored = readFileSync(join(repository, '.gitignore'), 'utf8').split('\n');
    const { files } = JSON.parse(readFileSync(join(repository, 'biome.json'), 'utf8')) as {
      files: { includes: string[] };
    };
    for (const name of written) assert.ok(ignored.includes(name) && files.includes.includes(`!${name}`), name);
  });

  it('has a program of about as many lines as it says', () => {
    const said = Number(/\[(\d+) lines\]\(examples\/land\.ts\)/.exec(readme)?.[1]);
    const lines = readFileSync(join(repository, 'examples/land.ts'), 'utf8').split('\n').length;
    assert.ok(Math.abs(lines - said) <= 10, `${lines}`);
  });

  it('has a demo that lands all three older operations', async () => {
    const { status, stdout } = await runCommand('npm run demo', { PORT: port });
    assert.equal(status, 0, stdout);
    assert.ok(stdout.includes(`using the service on ${server.url}`));
    assert.equal(stdout.match(/confirmed {2}\w{80,}/g)?.length, 3);
  });

  it('has a command that makes a key', async () => {
    const command = /`(npm run keys -- create [^`]+)`/.exec(readme)?.[1] ?? '';
    const { stdout } = await runCommand(command, environment);
    assert.match(stdout, /swk_\w{32,}/);
  });

  it('has a start on a real network, where there is no sandbox', async () => {
    const command = /`(SOLANA_RPC_URLS=\S+ npm start)`/.exec(readme)?.[1] ?? '';
    const world = await fetch(`${server.url}/sandbox/world`).then((reply) => reply.json());
    const other = await startServer(command.replace(/https:\S+/, (world as { rpc_url: string }).rpc_url), environment);
    try {
      assert.equal((await fetch(`${other.url}/readyz`)).status, 200);
      assert.equal((await fetch(`${other.url}/sandbox/world`)).status, 404);
    } finally {
      await other.stop();
    }
  });

  it('says of five variables what docs/configuration.md says', () => {
    const rows = readme.match(/^\| `[A-Z_]+` \|.+$/gm) ?? [];
    assert.equal(rows.length, 5);
    for (const row of rows) assert.ok(configurationDocument().split('\n').includes(row), row);
  });
});
