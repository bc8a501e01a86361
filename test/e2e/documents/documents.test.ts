import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findAssociatedTokenAddress, toAddress } from '../../../packages/core/src/index.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { repository } from '../../setup/process.ts';
import { startTestService, type TestService } from '../../setup/service.ts';
import { tokensIn } from '../../setup/token-account-data.ts';
import { named, peopleOf } from '../../setup/wallets.ts';
import { slotsUntilDead } from '../idempotency/keyed-client.ts';
import { blocksOf, openShell, runDocument } from './document-shell.ts';

/** Those whose commands need more than a service, or time that passes by hand. */
const elsewhere = new Set([
  // Below.
  'docs/approvals.md',
  'docs/reconcile.md',
  // In other-servers.test.ts.
  'docs/keys.md',
  'docs/limits.md',
  'docs/operate/backup.md',
  'docs/operate/retention.md',
  'docs/operate/stores.md',
  // With containers: deploy/test and interop.
  'docs/operate/deploy.md',
  'docs/operate/kubernetes.md',
  // With a browser, a sponsor, and servers that are paid or told.
  'docs/take-payment.md',
  'docs/webhooks.md',
  'docs/sponsor-fees.md',
  'docs/x402.md',
  // It runs a test.
  'docs/token-support.md',
]);
const others = process.env.TEST_QUICK === undefined ? globSync('docs/**/*.md', { cwd: repository }).sort() : [];
const paths = ['README.md', ...others].filter((path) => blocksOf(path, 'sh').length > 0 && !elsewhere.has(path));

describe('the commands of', () => {
  let service: TestService;
  let stop = async (): Promise<void> => {};
  before(async () => {
    service = await startTestService({
      after: (close) => {
        stop = close;
      },
    });
  });
  after(() => stop());
  // A real node's preflight is strict.
  const environment = () => ({ SPLWRIGHT_URL: service.url, SANDBOX_STRICT_PREFLIGHT: 'true' });

  for (const path of paths) {
    it(`${path} do what it says`, async (t) => {
      const { rpcUrl } = service.sandbox;
      const shell = openShell(t, environment(), {
        'http://127.0.0.1:3000': service.url,
        'http://127.0.0.1:8899': rpcUrl,
        'https://first.example': rpcUrl,
        'https://second.example': rpcUrl,
      });
      const [request] = blocksOf(path, 'json');
      if (request !== undefined) writeFileSync(join(shell.folder, 'request.json'), request);
      const outputs = await runDocument(shell, path);
      if (path === 'README.md') assert.match(outputs.join(''), /^.*1\.5.*\nlanded: [1-9A-HJ-NP-Za-km-z]{80,90}\n/m);
    });
  }

  it('the demo land all three older operations', async (t) => {
    const printed = await openShell(t, environment()).run('npm run demo\n');
    assert.equal(printed.match(/confirmed {2}\w{80,}/g)?.length, 3);
  });

  it('docs/x402.md and docs/mpp.md are requests that are made of the question, and answered', async () => {
    const [{ payTo, asset, amount, extra }, x402] = blocksOf('docs/x402.md', 'json').map((text) => JSON.parse(text));
    const common = { to_address: payTo, token_mint_address: asset, fee_payer: extra.feePayer, memo: extra.memo };
    const { from_address: _, ...fields } = x402;
    assert.deepEqual(fields, { layout: 'x402', ...common, amount });
    const [challenge, mpp] = blocksOf('docs/mpp.md', 'json').map((text) => JSON.parse(text));
    const { feePayerKey, splits } = challenge.methodDetails;
    const ofSplits = splits.reduce((sum: bigint, split: Json) => sum + BigInt(split.amount), 0n);
    const { from_address: __, ...others } = mpp;
    assert.deepEqual(others, {
      layout: 'mpp',
      to_address: challenge.recipient,
      token_mint_address: challenge.currency,
      amount: String(BigInt(challenge.amount) - ofSplits),
      splits: splits.map((split: Json) => ({ to_address: split.recipient, amount: split.amount })),
      create_token_account: 'always',
      fee_payer: feePayerKey,
      memo: challenge.externalId,
    });
    for (const request of [x402, mpp]) {
      const reply = await service.post('/v1/transfers', request);
      assert.equal(reply.status, 200, await reply.clone().text());
      const { data } = Object(await reply.json());
      assert.deepEqual(data.signers, [request.fee_payer, request.from_address]);
    }
  });

  for (const [path, printed] of [
    ['packages/core/README.md', undefined],
    ['packages/sandbox/README.md', undefined],
    ['packages/client/README.md', /^landed\n$/],
    ['docs/verify.md', /sends 1\.5 to .*\n1500000 base units, \d+ bytes to sign\nwrong_account /],
  ] as const) {
    it(`${path} are a program that prints what the text says`, async (t) => {
      const [program = ''] = blocksOf(path, 'js');
      const [, said] = /That prints `([^`]+)`/.exec(readFileSync(join(repository, path), 'utf8')) ?? [];
      const shell = openShell(t, { EXAMPLE: program.replace('http://127.0.0.1:3000', service.url) });
      const stdout = await shell.run('node --input-type=module --eval "$EXAMPLE"\n');
      if (printed === undefined) assert.equal(stdout, `${said}\n`);
      else assert.match(stdout, printed);
    });
  }
});

describe('where time passes by hand', () => {
  it('docs/approvals.md pays once all have approved, long after a blockhash would have died', async (t) => {
    const service = await startTestService(t);
    const { ledger, world } = service.sandbox;
    const shell = openShell(t, { SPLWRIGHT_URL: service.url });
    const outputs: string[] = [];
    for (const command of (blocksOf('docs/approvals.md', 'sh')[0] ?? '').trim().split('\n')) {
      outputs.push((await shell.run(`${command}\n`)).trim());
      ledger.advanceSlots(slotsUntilDead);
    }
    assert.deepEqual(outputs.slice(0, 3), ['2 approvals are needed', '1 more', 'approved by all']);
    assert.match(outputs[3] ?? '', /^landed \w{80,}$/);
    const { address: mint, token_program: tokenProgram } = named(world.mints, 'USDC');
    const { address } = findAssociatedTokenAddress({
      owner: toAddress(peopleOf(world).carol.address),
      tokenProgram: toAddress(tokenProgram),
      mint: toAddress(mint),
    });
    assert.equal(tokensIn(ledger, address), 250_000_000n);
  });

  it('docs/reconcile.md says what became of each payment', async (t) => {
    // No blockhash may be from before.
    const service = await startTestService(t);
    const { ledger, world } = service.sandbox;
    const { alice, bob } = peopleOf(world);
    const build = async (memo: string) => {
      const reply = await service.post('/v1/transfers', {
        from_address: alice.address,
        to_address: bob.address,
        token_mint_address: named(world.mints, 'USDC').address,
        amount: '1500000',
        memo,
      });
      const { transaction, lifetime } = Object(await reply.json()).data;
      return { order: memo, transaction, last_valid_block_height: lifetime.last_valid_block_height };
    };
    const [paid, dead] = [await build('order-1'), await build('order-3')];
    await landInWorld(service.sandbox, paid.transaction);
    ledger.advanceSlots(2 * slotsUntilDead);
    const shell = openShell(t, { SPLWRIGHT_URL: service.url });
    const lines = [paid, await build('order-2'), dead].map((payment) => JSON.stringify(payment));
    writeFileSync(join(shell.folder, 'open-payments.jsonl'), `${lines.join('\n')}\n`);
    const [stdout = ''] = await runDocument(shell, 'docs/reconcile.md');
    const [heading, landed, ...rest] = stdout.trim().split('\n');
    assert.equal(heading, 'order,outcome,is_final,signature,received');
    assert.match(landed ?? '', /^order-1,landed,true,\w{80,},1500000$/);
    assert.deepEqual(rest, ['order-2,pending,false,,', 'order-3,expired,true,,']);
  });
});
