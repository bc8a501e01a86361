import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { runCaptured } from '../../../packages/server/test/cli/run-captured.ts';
import { stolenReply } from '../../setup/stolen-reply.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { startLinkService } from '../links/link-service.ts';

const { service, client, alice, bob, usdc, body } = await startLinkService(test);
const folder = temporaryFolder(test);
const payment = { from_address: alice.address, to_address: bob.address, token_mint_address: usdc, amount: '1500000' };

/** A request and its reply, as files have them. */
interface Exchange {
  request: object;
  reply: unknown;
}

async function ask(path: string, more: object): Promise<Exchange> {
  const request = { ...payment, ...more };
  return { request, reply: await (await service.post(path, request)).json() };
}

async function askForBatch(): Promise<Exchange> {
  const { to_address: _, amount, ...shared } = payment;
  const transfers = [freshWallet(), freshWallet()].map((address) => ({ to_address: address, amount }));
  const request = { ...shared, transfers };
  return { request, reply: await (await service.post('/v1/transfers/batch', request)).json() };
}

async function askForLink(): Promise<Exchange> {
  const { id, reference } = await client.create({ ...body, memo: 'table 7' });
  const { to_address, token_mint_address, amount } = body;
  const request = { account: alice.address, to_address, token_mint_address, amount, memo: 'table 7', reference };
  return { request, reply: await (await client.askToPay(id, alice.address)).json() };
}

const exchanges: Readonly<Record<string, Exchange>> = {
  'a transfer': await ask('/v1/transfers', { memo: 'order 7' }),
  'a transfer with a memo': await ask('/v1/token-transfer-memo-hash', { memo: 'order 8' }),
  'a transfer with an identifier': await ask('/v1/token-transfer-memo-hash', { yid: 'order 9' }),
  'a transfer that creates the account': await ask('/v1/create-token-account-transfer', { to_address: freshWallet() }),
  'a batch': await askForBatch(),
  'a payment of a link': await askForLink(),
};
const { 'a transfer': transfer } = exchanges as { 'a transfer': Exchange };

/** Writes JSON into a file, and returns its path. */
function fileOf(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

function run(args: readonly string[], input = '') {
  return runCaptured(['verify', ...args], { input: { isTerminal: false, read: async () => input } });
}

function verify({ request, reply }: Exchange, ...options: readonly string[]) {
  return run(['--request', fileOf('request.json', request), '--reply', fileOf('reply.json', reply), ...options]);
}

describe('splwright verify', () => {
  for (const [name, exchange] of Object.entries(exchanges)) {
    it(`says in one sentence what ${name} does, and refuses one that does another thing`, async () => {
      const { status, stdout, stderr } = await verify(exchange);
      assert.equal(status, 0, stderr);
      const hashes = '(hardware wallets show the message hash \\w{32,44}\\n)+';
      assert.match(stdout, new RegExp(`^${alice.address} sends .*${usdc}.*\\n${hashes}$`));
      assert.equal(stderr, 'not compared, since no option says it: decimals, token_program\n');
      for (const theft of ['takes ten times the amount', "pays the thief's token account"]) {
        const stolen = { request: exchange.request, reply: stolenReply(exchange.reply, theft) };
        const refused = await verify(stolen);
        assert.deepEqual([refused.status, refused.stdout], [1, ''], theft);
        assert.match(refused.stderr, /^splwright verify: do not sign this/);
      }
    });
  }

  it('names the code, the first difference, what was expected and what was found', async () => {
    const reply = stolenReply(transfer.reply, 'takes ten times the amount');
    const { stderr } = await verify({ ...transfer, reply });
    const where = `transfer to ${bob.address}, amount`;
    assert.equal(
      stderr.slice(stderr.indexOf('\n\n') + 2),
      `code      wrong_amount\nwhere     ${where}\nexpected  1500000\nfound     15000000\n`,
    );
    const { status, stdout } = await verify({ ...transfer, reply }, '--json');
    assert.equal(status, 1);
    const expected = { verified: false, code: 'wrong_amount', part: where, expected: '1500000', actual: '15000000' };
    assert.deepEqual(JSON.parse(stdout), expected);
  });

  it('prints JSON with the transactions to sign, and compares what the caller knows', async () => {
    const known = ['--decimals', '6', '--operation', '/v1/transfers', '--json'];
    const { status, stdout, stderr } = await verify(transfer, ...known);
    assert.deepEqual([status, stderr], [0, '']);
    const { sentence, ...others } = JSON.parse(stdout);
    const { transaction, summary } = Object(transfer.reply).data;
    const signed = { transactions: [transaction], message_hashes: [summary.message_hash] };
    assert.deepEqual(others, { verified: true, ...signed, unknown: ['token_program'] });
    assert.match(sentence, /sends 1\.5 to /);
    for (const wrong of [
      ['--decimals', '9'],
      ['--token-program', alice.address],
      ['--lifetime-token', alice.address],
      ['--operation', '/v1/token-transfer-memo-hash'],
    ]) {
      assert.equal((await verify(transfer, ...wrong)).status, 1, wrong.join(' '));
    }
  });

  it('reads the reply from standard input, and shows no character that a terminal would follow', async () => {
    const request = { ...payment, memo: 'order \u202e7' };
    const reply = await (await service.post('/v1/transfers', request)).text();
    const { status, stdout } = await run(['--request', fileOf('request.json', request)], reply);
    assert.equal(status, 0);
    assert.match(stdout, /"order ⟨U\+202E⟩7"/);
  });

  it('explains itself with --help, and exits with 2 for wrong usage', async () => {
    const { status, stdout } = await run(['--help']);
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run verify -- \[options\]/);
    const request = fileOf('request.json', transfer.request);
    const cases: readonly [args: readonly string[], error: string][] = [
      [[], "required option '--request <file>' not specified"],
      [['--request', join(folder, 'absent.json')], 'cannot be read'],
      [['--request', request], 'standard input has no JSON'],
      [['--request', fileOf('text.json', 'text')], 'has no JSON object'],
      [['--request', request, '--operation', '/v1/transfers/batch'], '--operation must be one of'],
      [['--request', request, '--decimals', 'six'], '--decimals must be a whole number and is "six"'],
      [['--request', request, '--what'], '--what'],
    ];
    for (const [args, error] of cases) {
      const refused = await run(args, args.includes('--operation') || args.includes('--decimals') ? '{}' : '');
      assert.equal(refused.status, 2, args.join(' '));
      assert.ok(refused.stderr.includes(error), refused.stderr);
    }
  });
});
