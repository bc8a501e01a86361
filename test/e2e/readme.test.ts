import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { traceVariables, variables } from '../../packages/server/src/config/variables.ts';
import { repository, runCommand, startServer } from '../setup/process.ts';

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

/** The commands of all shell blocks, continued lines joined. */
const commands = blocks('sh').flatMap((body) => body.replaceAll('\\\n', ' ').trim().split('\n'));

/** How each command of the README is run here; one that is not listed fails the test. */
const runs: readonly [pattern: RegExp, run: (command: string) => Promise<void>][] = [
  [/^npm (?:ci|test)$/, async (command) => assert.match(ciScript, new RegExp(`^part \\w+ ${command}$`, 'm'))],
  [/^npm start$/, async () => assert.match(server.output, /sandbox/)],
  [
    /^npm run demo$/,
    async (command) => {
      const { status, stdout } = await runCommand(command, { PORT: port });
      assert.equal(status, 0, stdout);
      assert.ok(stdout.includes(`using the service on ${server.url}`));
      assert.equal(stdout.match(/confirmed {2}\w{80,}/g)?.length, 3);
    },
  ],
  [
    /^curl /,
    async (command) => {
      const { stdout } = await runCommand(`${here(command)} --silent --write-out '\\n%{http_code}'`);
      const [body = '', status] = stdout.split('\n');
      assert.equal(status, '200', stdout);
      assert.deepEqual(Object.keys(JSON.parse(body)), ['data', 'status']);
    },
  ],
  [
    /^npm run keys -- /,
    async (command) => {
      const { status, stdout, stderr } = await runCommand(command, environment);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /acme|swk_/);
    },
  ],
  [
    /^npm run config$/,
    async (command) => {
      const { status, stdout, stderr } = await runCommand(command, environment);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^PORT +0 +environment +the port it listens on/m);
    },
  ],
  [
    /^SOLANA_RPC_URLS=\S+ npm start$/,
    async (command) => {
      const world = await fetch(`${server.url}/sandbox/world`).then((reply) => reply.json());
      const { rpc_url } = world as { rpc_url: string };
      const local = command.replace(/https:\S+/, rpc_url);
      const other = await startServer(local, environment);
      try {
        assert.equal((await fetch(`${other.url}/readyz`)).status, 200);
        assert.equal((await fetch(`${other.url}/sandbox/world`)).status, 404, 'no sandbox on a real network');
      } finally {
        await other.stop();
      }
    },
  ],
];

describe('the README', () => {
  it('is at most 150 lines long', () => assert.ok(readme.split('\n').length <= 150));

  for (const command of commands) {
    it(`runs: ${command.slice(0, 70)}`, async () => {
      const run = runs.find(([pattern]) => pattern.test(command))?.[1];
      assert.ok(run, `no way is known here to run: ${command}`);
      await run(command);
    });
  }

  for (const program of blocks('js')) {
    it('has a program that signs and submits', async () => {
      const { status, stdout, stderr } = await runCommand('node --input-type=module -e "$PROGRAM"', {
        PROGRAM: here(program),
      });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^[1-9A-HJ-NP-Za-km-z]{80,90}\n$/);
    });
  }

  it('has the --json form print JSON alone', async () => {
    const command = /`(npm run --silent keys [^`]+)`/.exec(readme)?.[1];
    assert.ok(command);
    const { stdout } = await runCommand(command, environment);
    assert.deepEqual(Object.keys(JSON.parse(stdout)).slice(0, 3), ['id', 'name', 'key']);
  });

  it('says of every variable of the configuration, but those of traces, what the code says, and names no other', () => {
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm)].map(([, ...cells]) => cells);
    const ofTraces: readonly { name: string }[] = traceVariables;
    const others = variables.filter(({ name }) => !ofTraces.some((variable) => variable.name === name));
    const known = others.map((variable) => {
      const fallback = variable.default ?? `none: ${variable.none}`;
      return [variable.name, /[/:]/.test(variable.default ?? '') ? `\`${fallback}\`` : fallback, variable.meaning];
    });
    assert.deepEqual(rows, known);
  });
});
