import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { address, getAddressEncoder } from '@solana/kit';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { bob } from '../../../packages/server/test/app/sample-bodies.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { slotsUntilDead, tokensOf } from '../idempotency/keyed-client.ts';
import { type ProgramFate, startForProgram } from '../idempotency/killed-program.ts';
import type { PassingRequest } from '../outcomes/unreliable-network.ts';

const program = join(repository, 'examples/pay-out.ts');
const outcome = '/v1/transfers/outcome';
const recipients = Array.from({ length: 60 }, () => freshWallet());

/** A payroll on a ledger whose time passes only by hand, and how to run the program until it ends by itself. */
async function start(t: TestContext) {
  const { sandbox, run: runProgram } = await startForProgram(t);
  const file = join(temporaryFolder(t), 'payroll.csv');
  writeFileSync(
    file,
    ['wallet,amount,memo', ...recipients.map((to, index) => `${to},0.0000${10 + index},pay ${index}`)].join('\n'),
  );

  const run = async (decide: (request: PassingRequest) => ProgramFate): Promise<number> => {
    const { output, starts } = await runProgram([program, 'payroll-11', file], decide);
    const [sum, ...rest] = output.split('\n');
    assert.equal(sum, 'payroll-11: 60 payments to 60 wallets, 0.00237 tokens in all, 60 memos');
    assert.equal(rest.at(-1), 'payroll-11: 60 transfers have landed');
    return starts;
  };
  const assertPaidOnce = (): void => {
    const mint = toAddress(sandbox.world.mints[0]?.address ?? '');
    for (const [index, owner] of recipients.entries()) {
      const { address } = findAssociatedTokenAddress({ owner, mint, tokenProgram });
      assert.equal(tokensOf(sandbox, address), BigInt(10 + index), String(index));
    }
  };
  return { ledger: sandbox.ledger, run, assertPaidOnce };
}

describe('examples/pay-out.ts', () => {
  it('pays nobody of a file that is not clear, and says where it is not', async (t) => {
    const file = join(temporaryFolder(t), 'payroll.csv');
    const [first = '', second = ''] = recipients;
    for (const [text, fault] of [
      [`${first},1,a\n${second},2,b`, 'line 1, column 1: this is a payment.'],
      [`wallet,amount,memo\n${first},1,x\n\n${second},1,234.50,x`, 'line 4, column 4: the line has 4 cells'],
      [`wallet;amount\r\n${first};1.234,50`, 'line 2, column 2: "1.234,50" is not an amount.'],
      [`wallet,amount,memo\n${first},1,"x`, 'line 2, column 3: a quote is not closed'],
    ] as const) {
      writeFileSync(file, text);
      const { status, stdout, stderr } = await runCommand(`npx node ${program} payroll-11 ${file}`, {
        SPLWRIGHT_URL: 'http://127.0.0.1:9',
      });
      assert.deepEqual([status, stdout], [1, '']);
      assert.ok(stderr.startsWith(`${file}: ${fault}`), stderr);
      assert.match(stderr, /^Nothing was paid\.$/m);
    }
  });

  it('lands the memos of a quoted file without its quotes', async (t) => {
    const service = await startTestService(t);
    const file = join(temporaryFolder(t), 'payroll.csv');
    const [to = ''] = recipients;
    const row = (...cells: string[]): string => cells.map((cell) => `"${cell}"`).join(';');
    writeFileSync(
      file,
      ['\ufeff', row('wallet', 'amount', 'memo'), '', row(to, '1.5', 'salary, ""part""'), ''].join('\r\n'),
    );
    const { status, stdout, stderr } = await runCommand(`npx node ${program} payroll-11 ${file}`, {
      SPLWRIGHT_URL: service.url,
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^payroll-11: 1 transfer has landed$/m);
    const { world, rpcUrl } = service.sandbox;
    const mint = toAddress(world.mints[0]?.address ?? '');
    const { address } = findAssociatedTokenAddress({ owner: toAddress(to), mint, tokenProgram });
    assert.equal(tokensOf(service.sandbox, address), 1_500_000n);
    const body = { jsonrpc: '2.0', id: 1, method: 'getSignaturesForAddress', params: [address] };
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
    const [{ memo }] = Object(await reply.json()).result;
    assert.equal(memo, '[14] salary, "part"');
  });

  it('pays each recipient once, though it is killed while it sends its transactions and started again', async (t) => {
    const { run, assertPaidOnce } = await start(t);
    const starts = await run(({ step, index }) => (step === 'sendTransaction' && index === 2 ? 'killed' : 'answered'));
    assert.equal(starts, 2);
    assertPaidOnce();
  });

  it('pays 24 of 25 whose accounts but one can be paid, names that one, and pays it once it can be', async (t) => {
    const service = await startTestService(t);
    const { sandbox } = service;
    const file = join(temporaryFolder(t), 'payroll.csv');
    const wallets = recipients.slice(0, 25);
    writeFileSync(file, ['wallet,amount', ...wallets.map((to) => `${to},0.5`)].join('\n'));
    const mint = toAddress(sandbox.world.mints[0]?.address ?? '');
    const accountOf = (owner: string) =>
      findAssociatedTokenAddress({ owner: toAddress(owner), mint, tokenProgram }).address;
    const [frozen = ''] = wallets.slice(7);
    const found = sandbox.ledger.getAccount(address(accountOf(bob)));
    if (!found) throw new Error('bob has no account');
    const data = Uint8Array.from(found.data);
    // Its owner, its amount and its state.
    data.set(getAddressEncoder().encode(address(frozen)), 32);
    data.fill(0, 64, 72);
    const setFrozen = (isFrozen: boolean): void => {
      const changed = Uint8Array.from(data);
      changed[108] = isFrozen ? 2 : 1;
      sandbox.ledger.setAccount({ ...found, address: address(accountOf(frozen)), data: changed });
    };
    setFrozen(true);
    const run = () => runCommand(`npx node ${program} payroll-11 ${file}`, { SPLWRIGHT_URL: service.url });
    const heldBy = () => wallets.map((each) => tokensOf(sandbox, accountOf(each)));
    const wanted = wallets.map((each) => (each === frozen ? 0n : 500_000n));
    for (let count = 0; count < 2; count += 1) {
      const { status, stdout, stderr } = await run();
      assert.equal(status, 1);
      assert.match(stdout, /^payroll-11: 24 transfers have landed$/m);
      assert.match(stderr, new RegExp(`^Not paid: ${file}: line 9: .* is frozen`, 'm'));
      assert.equal(stderr.trim().split('\n').length, 1);
      assert.deepEqual(heldBy(), wanted);
    }
    setFrozen(false);
    const { status, stdout } = await run();
    assert.equal(status, 0);
    assert.match(stdout, /^payroll-11: 25 transfers have landed$/m);
    assert.deepEqual(
      heldBy(),
      wallets.map(() => 500_000n),
    );
  });

  it('pays what is left of a batch when the others landed and it never can any more', async (t) => {
    const { ledger, run, assertPaidOnce } = await start(t);
    let batches = 0;
    await run(({ step, index }) => {
      if (step === '/v1/transfers/batch') batches += 1;
      if (step === outcome && index === 0) ledger.advanceSlots(slotsUntilDead);
      // The first two of the transactions land; the others are lost until they are dead.
      return step === 'sendTransaction' && batches === 1 && index > 1 ? 'request lost' : 'answered';
    });
    assert.ok(batches >= 2, String(batches));
    assertPaidOnce();
  });
});
