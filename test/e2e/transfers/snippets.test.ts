import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it, test } from 'node:test';
import { summarizeTransaction } from '../../../packages/core/src/index.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import {
  batchBody,
  createBody,
  linkBody,
  memoBody,
  yidBody,
} from '../../../packages/server/test/http/sample-bodies.ts';
import { type Language, type SnippetRequest, snippet } from '../../../packages/server/test/pages/snippet-module.ts';
import { assertInstalled } from '../../setup/not-installed.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const service = await startTestService(test);
const folder = temporaryFolder(test);

// In all four languages each of these would end, escape or interpolate something.
const memo = `it's "quoted" \\ \`tick\` $HOME $(id) #{x} %41 \\u0041 """ ''' 😀 é\u200d\u2028\nJSON\n</script>`;

const post = (path: string, body: object): SnippetRequest => ({
  method: 'POST',
  path,
  body,
  origin: service.url,
  hasKey: true,
});
const readWorld: SnippetRequest = { method: 'GET', path: '/sandbox/world', origin: service.url, hasKey: false };
const listLinks: SnippetRequest = { method: 'GET', path: '/v1/payment-links', origin: service.url, hasKey: true };

const commands: Readonly<Partial<Record<Language, { file: string; run: readonly string[]; package?: string }>>> = {
  curl: { file: 'command.sh', run: ['bash'] },
  typescript: { file: 'program.mts', run: [process.execPath] },
  python: { file: 'program.py', run: ['python3'], package: 'python3' },
  go: { file: 'program.go', run: ['go', 'run'], package: 'golang-go' },
};

let count = 0;

/** Runs a snippet as its reader would, with the API key in the environment. */
async function run(
  language: Language,
  request: SnippetRequest,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const {
    file,
    run: [command = '', ...options],
    package: packageName,
  } = commands[language] ?? assert.fail(language);
  if (packageName !== undefined) assertInstalled(command, packageName);
  count += 1;
  const path = join(folder, `${count}-${file}`);
  writeFileSync(path, snippet(language, request));
  const child = spawn(command, [...options, path], { env: { ...process.env, SPLWRIGHT_API_KEY: sandboxApiKey } });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [status] = await once(child, 'close');
  return { status, ...output };
}

/** Runs a snippet that must succeed; what it prints. */
async function printed(language: Language, request: SnippetRequest): Promise<string> {
  const { status, stdout, stderr } = await run(language, request);
  assert.equal(status, 0, `${language} ${request.path}: ${stdout}${stderr}`);
  return stdout;
}

async function buildTransfer(body: object): Promise<{ transaction: string; last_valid_block_height: string }> {
  const reply = await service.post('/v1/transfers', body);
  const { data } = (await reply.json()) as {
    data: { transaction: string; lifetime: { last_valid_block_height: string } };
  };
  return { transaction: data.transaction, last_valid_block_height: data.lifetime.last_valid_block_height };
}

function memoOf(reply: string): string | undefined {
  const { data } = JSON.parse(reply) as { data: { transaction: string } };
  const { instructions } = summarizeTransaction(Buffer.from(data.transaction, 'base64'));
  return instructions.find((each) => each.kind === 'memo')?.text;
}

before(() => {
  // Where the snippets find the package by its name.
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(repository, 'packages/client'), join(folder, 'node_modules/splwright-client'));
  symlinkSync(join(repository, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
});

describe('the snippets of curl, Python and Go', () => {
  for (const language of ['curl', 'python', 'go'] as const) {
    it(`make the request in ${language}, whatever its texts hold, and print the reply`, async () => {
      const reply = await printed(language, post('/v1/transfers', { ...createBody, memo, transaction_version: 0 }));
      assert.equal(memoOf(reply), memo);
      const { wallets } = JSON.parse(await printed(language, readWorld)) as { wallets: readonly unknown[] };
      assert.ok(wallets.length > 0);
      assert.ok('data' in JSON.parse(await printed(language, listLinks)));
    });

    it(`say in ${language} why the service refuses, and fail`, async () => {
      const { status, stdout, stderr } = await run(language, post('/v1/transfers', { ...createBody, amount: '0' }));
      assert.notEqual(status, 0);
      assert.match(stdout + stderr, /"code":"invalid_amount"/);
    });
  }

  it('make every request of the console', async () => {
    for (const request of [
      post('/v1/token-transfer-memo-hash', { ...memoBody, encoding: 'base58' }),
      post('/v1/token-transfer-memo-hash', yidBody),
      post('/v1/create-token-account-transfer', { ...createBody, memo }),
      post('/v1/transfers/batch', batchBody),
      post('/v1/transfers/outcome', await buildTransfer(createBody)),
      post('/v1/payment-links', linkBody),
    ]) {
      for (const language of ['curl', 'python'] as const) {
        const reply: unknown = JSON.parse(await printed(language, request));
        assert.ok(typeof reply === 'object' && reply !== null && 'data' in reply, request.path);
      }
    }
  });
});

describe('the snippets of TypeScript', () => {
  it('make every request of the console by the client, print what it returns, and have its types', async () => {
    const link = (await (await service.post('/v1/payment-links', linkBody)).json()) as { data: { id: string } };
    const built = await buildTransfer({ ...createBody, memo });
    const transfer = post('/v1/transfers', {
      ...createBody,
      memo,
      splits: [{ to_address: linkBody.to_address, amount: '1' }],
    });
    for (const [request, expected] of [
      [transfer, /transaction: Uint8Array[\s\S]*isReplay: false/],
      [post('/v1/token-transfer-memo-hash', { ...memoBody, encoding: 'base58' }), /transaction: Uint8Array/],
      [post('/v1/create-token-account-transfer', { ...createBody, summary: true }), /summary: \{/],
      [post('/v1/transfers/batch', batchBody), /transactions: \[/],
      [post('/v1/transfers/outcome', built), /outcome: 'pending'/],
      [post('/v1/payment-links', { ...linkBody, expires_in: 3600, single_use: false }), /state: 'open'/],
      [{ ...listLinks, path: `/v1/payment-links/${link.data.id}` }, /state: 'open'/],
      [post(`/v1/payment-links/${link.data.id}/cancel`, {}), /state: 'cancelled'/],
    ] as const) {
      assert.match(snippet('typescript', request), /from "splwright-client"/);
      assert.match(await printed('typescript', request), expected);
    }
    assert.match(await printed('typescript', readWorld), /"wallets":/);
    assert.match(await printed('typescript', listLinks), /"data":/);
    assert.match(await printed('typescript', post('/v1/transfers/outcome', { transactions: [built] })), /"pending"/);
    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const options =
      '--noEmit --strict --module nodenext --target esnext --allowImportingTsExtensions --types node'.split(' ');
    const child = spawn(process.execPath, [compiler, ...options, ...programs()], { cwd: folder });
    let faults = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      faults += text;
    });
    await once(child, 'close');
    assert.equal(faults, '');
  });

  it('fail with what the service refuses', async () => {
    const { status, stderr } = await run('typescript', post('/v1/transfers', { ...createBody, amount: '0' }));
    assert.notEqual(status, 0);
    assert.match(stderr, /invalid_amount/);
  });
});

/** The TypeScript programs that were written so far. */
function programs(): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.mts'));
}
