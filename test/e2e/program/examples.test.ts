import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findAssociatedTokenAddress, toAddress } from '../../../packages/core/src/index.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { slotsUntilDead, tokensOf } from '../idempotency/keyed-client.ts';

const commandsOf = (document: string): string[] =>
  [...readFileSync(join(repository, document), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, body = '']) =>
    body.trim().split('\n'),
  );

describe('each example', { concurrency: 4 }, () => {
  const programs = readdirSync(join(repository, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') && readFileSync(join(repository, 'examples', file), 'utf8').includes(' readWorld();'),
  );
  it('is one of eight that use the service', () => assert.equal(programs.length, 8));

  const sentence = (url: string) =>
    `No service answers at ${url}. Start it by npm start, or set SPLWRIGHT_URL to where it runs.\n`;
  for (const program of programs) {
    it(`says in one sentence that no service answers at PORT: ${program}`, async () => {
      const environment = { PORT: '9', SPLWRIGHT_URL: '' };
      const { status, stderr } = await runCommand(`npx node examples/${program}`, environment);
      assert.deepEqual([status, stderr], [1, sentence('http://127.0.0.1:9')]);
    });
  }

  it('says so of SPLWRIGHT_URL, and so does the demo', async () => {
    const environment = { PORT: '3000', SPLWRIGHT_URL: 'http://localhost:9' };
    const landed = await runCommand('npm run --silent land', environment);
    assert.deepEqual([landed.status, landed.stderr], [1, sentence('http://localhost:9')]);
    const demo = await runCommand('npm run --silent demo', environment);
    const ofDemo = 'No service with a sandbox answers at http://localhost:9. Start it, or leave SPLWRIGHT_URL out.\n';
    assert.deepEqual([demo.status, demo.stderr], [1, ofDemo]);
  });
});

describe('docs/approvals.md', () => {
  it('has commands that pay once all have approved, long after a blockhash would have died', async (t) => {
    const service = await startTestService(t, { BLOCKHASH_MAX_AGE_MS: '0' });
    const { ledger, world } = service.sandbox;
    const { address: mint, token_program: tokenProgram } = named(world.mints, 'USDC');
    const carol = toAddress(named(world.wallets, 'carol').address);
    const file = join(temporaryFolder(t), 'approval.txt');
    const outputs: string[] = [];
    for (const command of commandsOf('docs/approvals.md')) {
      const { status, stdout, stderr } = await runCommand(command.replace('approval.txt', file), {
        SPLWRIGHT_URL: service.url,
      });
      assert.equal(status, 0, stderr);
      outputs.push(stdout.trim());
      ledger.advanceSlots(slotsUntilDead);
    }
    assert.deepEqual(outputs.slice(0, 3), ['2 approvals are needed', '1 more', 'approved by all']);
    assert.match(outputs[3] ?? '', /^landed \w{80,}$/);
    const tokenAccount = findAssociatedTokenAddress({
      owner: carol,
      tokenProgram: toAddress(tokenProgram),
      mint: toAddress(mint),
    }).address;
    assert.equal(tokensOf(service.sandbox, tokenAccount), 250_000_000n);
  });
});

describe('docs/reconcile.md', () => {
  it('has a command that says what became of each payment', async (t) => {
    // Time passes by hand here, and no blockhash may be from before.
    const service = await startTestService(t, { BLOCKHASH_MAX_AGE_MS: '0' });
    const { ledger, world } = service.sandbox;
    const [alice, bob] = [named(world.wallets, 'alice'), named(world.wallets, 'bob')];
    const build = async (memo: string) => {
      const reply = await service.post('/v1/transfers', {
        from_address: alice.address,
        to_address: bob.address,
        token_mint_address: named(world.mints, 'USDC').address,
        amount: '1500000',
        memo,
      });
      const { data } = (await reply.json()) as {
        data: { transaction: string; lifetime: { last_valid_block_height: string } };
      };
      return {
        order: memo,
        transaction: data.transaction,
        last_valid_block_height: data.lifetime.last_valid_block_height,
      };
    };
    const [paid, dead] = [await build('order-1'), await build('order-3')];
    const signed = await signWith(Buffer.from(paid.transaction, 'base64'), [alice.secret_key]);
    assert.equal(ledger.sendTransaction(signed).error, null);
    ledger.advanceSlots(2 * slotsUntilDead);
    const file = join(temporaryFolder(t), 'open-payments.jsonl');
    const lines = [paid, await build('order-2'), dead].map((payment) => JSON.stringify(payment));
    writeFileSync(file, `${lines.join('\n')}\n`);
    const [command = ''] = commandsOf('docs/reconcile.md');
    const { status, stdout, stderr } = await runCommand(command.replace('open-payments.jsonl', file), {
      SPLWRIGHT_URL: service.url,
    });
    assert.equal(status, 0, stderr);
    const [heading, ...rows] = stdout.trim().split('\n');
    assert.equal(heading, 'order,outcome,is_final,signature,received');
    assert.match(rows[0] ?? '', /^order-1,landed,true,\w{80,},1500000$/);
    assert.deepEqual(rows.slice(1), ['order-2,pending,false,,', 'order-3,expired,true,,']);
  });
});
