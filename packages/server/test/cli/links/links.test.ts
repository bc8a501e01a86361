import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import decodeQR from 'qr/decode.js';
import { runLinks } from '../../../src/cli/links/links.ts';
import { sandboxApiKey } from '../../../src/keys/authenticated-key.ts';
import { runCaptured } from '../run-captured.ts';

const id = 'CmV1sF5xJ7dGkP3q';
const link = {
  id,
  url: `https://pay.example/pay/${id}`,
  solana_pay_url: `solana:https://pay.example/pay/${id}`,
  state: 'open',
  to_address: 'BobAddress',
  token_mint_address: 'MintAddress',
  amount: '10000000',
  decimals: 6,
  token_symbol: 'USDC',
  label: 'Coffee',
  message: null,
  memo: null,
  redirect: null,
  created_at: '2026-11-22T12:00:00.000Z',
  expires_at: '2026-11-29T12:00:00.000Z',
  payments: [],
};
const create = ['create', '--to', 'BobAddress', '--mint', 'MintAddress', '--amount', '10000000', '--label', 'Coffee'];

interface Asked {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A service that answers everything with one reply, and the command line on it. */
async function linksOn(t: TestContext, status: number, reply: unknown) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' });
    response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const run = (...args: string[]) => runWith({ SPLWRIGHT_URL: url }, ...args);
  return { asked, run, url };
}

function runWith(environment: Record<string, string>, ...args: string[]) {
  return runCaptured((context) => runLinks({ ...context, arguments: args, environment, isTerminal: true }));
}

/** Reads the QR code in a terminal's output. */
function readCode(output: string): string {
  const lines = [...output.matchAll(/38;5;16;48;5;231m([ ▀▄█]+)/g)].map(([, line = '']) => line);
  const rows = lines.flatMap((line) => [
    [...line].map((character) => '▀█'.includes(character)),
    [...line].map((character) => '▄█'.includes(character)),
  ]);
  const scale = 4;
  const width = (rows[0]?.length ?? 0) * scale;
  const height = rows.length * scale;
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (rows[Math.floor(y / scale)]?.[Math.floor(x / scale)])
        data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return decodeQR({ width, height, data });
}

describe('links create', () => {
  it('sends what is given and nothing else, with the key of the sandbox where there is no other', async (t) => {
    const { asked, run } = await linksOn(t, 201, { data: link, status: 'made' });
    assert.equal((await run(...create)).status, 0);
    const [first] = asked;
    assert.equal(first?.line, 'POST /v1/payment-links');
    assert.equal(first?.headers.authorization, `Bearer ${sandboxApiKey}`);
    assert.equal(first?.headers['idempotency-key'], undefined);
    assert.deepEqual(JSON.parse(first?.body ?? ''), {
      to_address: 'BobAddress',
      token_mint_address: 'MintAddress',
      amount: '10000000',
      label: 'Coffee',
    });
  });

  it('shows the amount in tokens, the URL, and a QR code that wallets read', async (t) => {
    const { run } = await linksOn(t, 201, { data: link, status: 'made' });
    const { stdout, stderr } = await run(...create);
    assert.match(stdout, /^amount +10 USDC$/m);
    assert.match(stdout, new RegExp(`^URL +${link.url}$`, 'm'));
    assert.equal(readCode(stdout), link.solana_pay_url);
    assert.equal(stderr, '');
    assert.doesNotMatch((await run(...create, '--no-qr')).stdout, /█/);
  });
});

describe('the output of links', () => {
  it('has no text that could disturb a terminal, forge a line or turn one around', async (t) => {
    const hostile = 'a\u202eb\u001b[31m\nstate  paid\u0000\u2028';
    const data = { ...link, label: hostile, message: hostile, memo: hostile, token_symbol: hostile, payer: hostile };
    const { run } = await linksOn(t, 200, { data, next_cursor: hostile, status: hostile });
    const { run: runList } = await linksOn(t, 200, { data: [data], next_cursor: hostile, status: hostile });
    const { run: runRefused } = await linksOn(t, 400, {
      detail: hostile,
      errors: [{ detail: hostile }, { detail: 'b' }],
    });
    for (const { stdout, stderr } of [
      await run('show', id, '--no-qr'),
      await run('show', id, '--json'),
      await runList('list'),
      await runRefused('list'),
      await run(hostile),
      await run('show', hostile),
    ]) {
      const output = stdout + stderr;
      assert.ok(output.length > 0);
      assert.doesNotMatch(output, /[^\P{C}\n]|\u2028/u);
      assert.doesNotMatch(output, /^state +paid/m);
    }
    const { stdout } = await run('show', id, '--json');
    assert.deepEqual(JSON.parse(stdout), data, 'and JSON is the same value');
  });

  it('needs a key for another machine, and never repeats one', async () => {
    const url = { SPLWRIGHT_URL: 'https://pay.example' };
    const missing = await runWith(url, 'list');
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /SPLWRIGHT_API_KEY is missing/);
    for (const environment of [
      { ...url, SPLWRIGHT_API_KEY: 'swk_SECRET\nx' },
      { ...url, SPLWRIGHT_API_KEY: 'swk_SECRETä' },
      { SPLWRIGHT_URL: 'https://user:SECRET@pay.example' },
      { SPLWRIGHT_URL: 'SECRET' },
    ]) {
      const { status, stderr } = await runWith(environment, 'list');
      assert.equal(status, 2);
      assert.doesNotMatch(stderr, /SECRET/);
    }
  });
});
