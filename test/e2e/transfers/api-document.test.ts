import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { withOptionsTable } from '../../../docs/api-document.ts';
import { warningLevels } from '../../../packages/core/src/findings/warning.ts';
import { operations } from '../../../packages/server/src/operation.ts';
import { fieldNames, neededFields, optionNames } from '../../../packages/server/src/wire/fields.ts';
import { outcomeReplySchema, outcomeRequestSchema } from '../../../packages/server/src/wire/outcome/outcome-schema.ts';
import { summarySchema } from '../../../packages/server/src/wire/schemas/summary-schema.ts';
import { outcomeReasons } from '../../../packages/server/src/wire/words/outcome-words.ts';
import { warningMeanings } from '../../../packages/server/src/wire/words/warning-words.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';

const text = readFileSync(`${repository}docs/api.md`, 'utf8');
const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body = '']) => body);
const service = await startTestService({ after });

/** The default size of each operation, and its size with one more field. */
async function sizeOf(path: string, more: object): Promise<number> {
  const { world } = service.sandbox;
  const [alice, bob] = world.wallets;
  const response = await service.post(path, {
    from_address: alice?.address,
    to_address: bob?.address,
    token_mint_address: world.mints[0]?.address,
    amount: '1',
    ...more,
  });
  const reply = (await response.json()) as { data: number[] };
  assert.equal(response.status, 200, JSON.stringify(reply));
  return reply.data.length;
}

describe('docs/api.md', () => {
  it('describes every field', () => {
    for (const name of fieldNames) assert.ok(text.includes(`\`${name}\``), name);
  });

  it('describes every member that a summary says of the accounts, and every warning as the table of warnings does', () => {
    for (const name of Object.keys(summarySchema.properties).filter((each) => each.includes('token_account_'))) {
      assert.ok(text.includes(`\`${name}\``), name);
    }
    const levels: Readonly<Record<string, string>> = warningLevels;
    const rows = Object.entries(warningMeanings).map(
      ([code, meaning]) => `| \`${code}\` | ${levels[code]} | ${meaning} |`,
    );
    assert.ok(text.includes(`| code | level | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`), rows.join('\n'));
  });

  it('describes every field of a question about outcomes, every member of the answer, and every reason as their table does', () => {
    const [, section = ''] = text.split('## What became of a transfer');
    const schema = outcomeReplySchema.properties.data.anyOf[0];
    const names = [...Object.keys(outcomeRequestSchema('').properties), ...Object.keys(schema.properties)];
    for (const name of names) assert.ok(section.includes(`\`${name}\``), name);
    const rows = Object.entries(outcomeReasons).map(
      ([code, meaning]) => [`| \`${code}\` | `, ` | ${meaning} |`] as const,
    );
    const lines = section.split('\n').filter((line) => rows.some(([start]) => line.startsWith(start)));
    assert.equal(lines.length, rows.length);
    for (const [index, [start, end]] of rows.entries()) {
      assert.ok(lines[index]?.startsWith(start) && lines[index]?.endsWith(end), end);
    }
  });

  it('has the table of options that the table of fields makes', () => {
    assert.equal(text, withOptionsTable(text), 'run: npm run docs');
  });

  it('has a row for each field that an operation needs', () => {
    const [, section = ''] = text.split('## Required fields');
    const names = [...(section.split('## ')[0] ?? '').matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const needed = fieldNames.filter((name) => operations.some((each) => neededFields(each).includes(name)));
    assert.deepEqual(names, needed);
  });

  it('has an example of every option', () => {
    // No blockhash is valid for long enough to be written down: docs/x402.md says where they come from.
    const shortLived: readonly string[] = ['recent_blockhash', 'last_valid_block_height'];
    for (const name of optionNames) {
      if (shortLived.includes(name)) continue;
      const isShown = commands.some((command) => command.includes(`"${name}":`));
      assert.ok(isShown, name);
    }
  });

  for (const command of commands) {
    it(`runs: ${command.slice(0, 80).split('\n')[0]}`, async () => {
      const here = command.trim().replaceAll('http://127.0.0.1:3000', service.url);
      const { stdout } = await runCommand(`${here} --silent --write-out '\\n%{http_code}'`);
      assert.match(stdout.split('\n').at(-1) ?? '', /^20[01]$/, stdout);
    });
  }

  it('says truly how long a memo may be', async () => {
    const [alice, bob] = service.sandbox.world.wallets;
    const roomFor = async (character: string, more: object): Promise<number> => {
      const response = await service.post('/v1/token-transfer-memo-hash', {
        from_address: alice?.address,
        to_address: bob?.address,
        token_mint_address: service.sandbox.world.mints[0]?.address,
        amount: '1',
        memo: character.repeat(2500),
        ...more,
      });
      const reply = (await response.json()) as { detail: string };
      return Number(/this transaction has room for (\d+)\./.exec(reply.detail)?.[1]);
    };
    const rows: [pattern: RegExp, actual: number][] = [
      [/\((\d+) bytes of UTF-8 without options\)/, await roomFor('a', {})],
      [/adds a compute limit, which leaves\s+(\d+) bytes for the memo/, await roomFor('\u0301', {})],
      [/ bytes of UTF-8; ([\d,]+) in version 1\)/, await roomFor('ab', { transaction_version: 1 })],
    ];
    for (const [pattern, actual] of rows) {
      assert.equal(Number(pattern.exec(text)?.[1]?.replace(',', '')), actual, String(pattern));
    }
  });

  it('says truly what each option adds to a transaction', async () => {
    const { nonce_accounts, wallets } = service.sandbox.world;
    const create = '/v1/create-token-account-transfer';
    const memoTransfer = '/v1/token-transfer-memo-hash';
    const plain = { yid: 'x' };
    const base = await sizeOf(memoTransfer, plain);
    const added = async (more: object): Promise<number> => (await sizeOf(memoTransfer, { ...plain, ...more })) - base;
    const nonce = { nonce_account: nonce_accounts[0]?.address };
    const rows: [pattern: RegExp, actual: number][] = [
      [/\| `fee_payer` .*\| (\d+) \| 0 \|$/m, await added({ fee_payer: wallets[2]?.address })],
      [/\| `priority_fee` .*\| (\d+) \| 1 for/m, await added({ priority_fee: '1' })],
      [/\| `nonce_account` .*\| (\d+) \(\d+ on create\)/m, await added(nonce)],
      [/\| `nonce_account` .*\((\d+) on create\)/m, (await sizeOf(create, nonce)) - (await sizeOf(create, {}))],
      [/\| `transaction_version` .*\| (\d+) for 0;/m, await added({ transaction_version: 0 })],
      [/\| `transaction_version` .*; (\d+) for 1 \|/m, await added({ transaction_version: 1 })],
      [/\| `references` .*\| (\d+) each/m, await added({ references: [wallets[3]?.address] })],
      [/\| `memo` .*\| (\d+) and the text/m, (await sizeOf(create, { memo: 'x' })) - (await sizeOf(create, {})) - 1],
    ];
    for (const [pattern, actual] of rows) assert.equal(Number(pattern.exec(text)?.[1]), actual, String(pattern));
  });
});
