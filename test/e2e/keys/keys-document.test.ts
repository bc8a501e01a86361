import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { changeByHand } from '../../../packages/server/test/store/change-by-hand.ts';
import { startPostgres } from '../../setup/postgres.ts';
import { repository, runCommand, startServer } from '../../setup/process.ts';

const document = readFileSync(join(repository, 'docs/keys.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'splwright-keys-document-'));
after(() => rmSync(folder, { recursive: true }));
const environment = {
  PORT: '0',
  SANDBOX_RPC_PORT: '0',
  SOLANA_RPC_URLS: '',
  DATABASE_URL: `sqlite:${join(folder, 'keys.db')}`,
};

function blocks(language: string): string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, body = '']) => body,
  );
}

const commands = blocks('sh').flatMap((body) => body.trim().split('\n'));

describe('docs/keys.md', () => {
  for (const command of commands.filter((line) => !line.startsWith('DATABASE_URL='))) {
    it(`runs: ${command.slice(0, 70)}`, async () => {
      const { status, stdout, stderr } = await runCommand(command, environment);
      assert.equal(status, 0, stderr);
      assert.notEqual(stdout, '');
      if (command.includes('--silent')) assert.match(stdout, /^[{[].*\n$/);
    });
  }

  it('runs what it says of PostgreSQL', async (t) => {
    const postgres = await startPostgres(t);
    const server = new URL(await postgres.createDatabase());
    const [statements = ''] = blocks('sql');
    for (const statement of statements.trim().split('\n')) await changeByHand(server.href, statement);
    const onPostgres = commands.filter((line) => line.startsWith('DATABASE_URL='));
    assert.equal(onPostgres.length, 2);
    const [create = '', start = ''] = onPostgres.map((line) => line.replace('127.0.0.1:5432', server.host));
    const { status, stdout, stderr } = await runCommand(create, environment);
    assert.equal(status, 0, stderr);
    const key = /^swk_\w+$/m.exec(stdout)?.[0];
    const service = await startServer(start, environment);
    try {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const reply = await fetch(`${service.url}/v1/token-transfer-memo-hash`, { method: 'POST', headers, body: '{}' });
      assert.equal(reply.status, 400, 'the key is taken, the body is not');
    } finally {
      await service.stop();
    }
  });
});
