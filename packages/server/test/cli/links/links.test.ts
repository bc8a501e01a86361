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

  it('sends every option by its field', async (t) => {
    const { asked, url } = await linksOn(t, 201, { data: link, status: 'made' });
    const options =
      '--to B --mint M --amount-min 1 --amount-max 2 --label L --memo O --message S --icon I --redirect R';
    const flags = '--expires-in 90s --many --allow-off-curve-recipient --idempotency-key order-7 --json';
    const args = ['create', ...options.split(' '), ...flags.split(' ')];
    const { status } = await runWith({ SPLWRIGHT_URL: `${url}/`, SPLWRIGHT_API_KEY: ' swk_own ' }, ...args);
    assert.equal(status, 0);
    assert.equal(asked[0]?.headers.authorization, 'Bearer swk_own');
    assert.equal(asked[0]?.headers['idempotency-key'], 'order-7');
    assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), {
      to_address: 'B',
      token_mint_address: 'M',
      amount_min: '1',
      amount_max: '2',
      label: 'L',
      memo: 'O',
      message: 'S',
      icon: 'I',
      redirect: 'R',
      expires_in: 90,
      single_use: false,
      allow_off_curve_recipient: true,
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

  it('writes plain lines where no terminal shows a code, or no color is wanted', async (t) => {
    const { url } = await linksOn(t, 201, { data: link, status: 'made' });
    for (const [isTerminal, more] of [
      [false, {}],
      [true, { NO_COLOR: '1' }],
    ] as const) {
      const environment = { SPLWRIGHT_URL: url, ...more };
      const { status, stdout } = await runCaptured((context) =>
        runLinks({ ...context, arguments: create, environment, isTerminal }),
      );
      assert.equal(status, 0);
      assert.doesNotMatch(stdout, /[█▀▄]/);
      assert.match(stdout, /^URL /m);
    }
  });

  it('sends whole tokens as they are written', async (t) => {
    const { asked, run } = await linksOn(t, 201, { data: link, status: 'made' });
    const args = create.map((each) => (each === '--amount' ? '--amount-decimal' : each === '10000000' ? '1.5' : each));
    assert.equal((await run(...args)).status, 0);
    assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), {
      to_address: 'BobAddress',
      token_mint_address: 'MintAddress',
      amount_decimal: '1.5',
      label: 'Coffee',
    });
  });

  it('shows the page as the code where the payer chooses the amount', async (t) => {
    const { amount, ...rest } = link;
    const data = { ...rest, amount_min: '1', amount_max: amount };
    const { run } = await linksOn(t, 201, { data, status: 'made' });
    const { stdout } = await run(...create);
    assert.match(stdout, /^amount +0\.000001 to 10 USDC$/m);
    assert.equal(readCode(stdout), link.url);
  });

  it('is a wrong command line without a recipient, a mint, a label or an amount, or with a strange time', async (t) => {
    const { asked, run } = await linksOn(t, 201, { data: link, status: 'made' });
    const without = (name: string) => create.toSpliced(create.indexOf(name), 2);
    for (const args of [
      ...['--to', '--mint', '--label', '--amount'].map(without),
      [...without('--amount'), '--amount-min', '1'],
      [...without('--amount'), '--amount', '1.5'],
      [...create, '--expires-in', '7'],
      [...create, '--expires-in', '1w'],
      [...create, '--idempotency-key', 'ä'],
      [...create, '--strange'],
      [...create, 'strange'],
    ]) {
      const { status, stdout, stderr } = await run(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, /^links create: .+[.?]\nUsage: npm run links -- create /);
    }
    assert.deepEqual(asked, []);
  });
});

describe('links show and cancel', () => {
  it('take an id or the URL of a link', async (t) => {
    const { asked, run } = await linksOn(t, 200, { data: link, status: 'found' });
    for (const given of [id, link.url, link.solana_pay_url]) assert.equal((await run('show', given)).status, 0);
    assert.equal((await run('cancel', id)).status, 0);
    const show = `GET /v1/payment-links/${id}`;
    assert.deepEqual(
      asked.map(({ line }) => line),
      [show, show, show, `POST /v1/payment-links/${id}/cancel`],
    );
    for (const given of ['x', `${id}1`, `${id}/../x`, `${id}?a`, '0OIl000000000000']) {
      assert.equal((await run('show', given)).status, 2, given);
    }
    assert.equal((await run('show')).status, 2);
    assert.equal((await run('cancel', id, id)).status, 2);
    assert.equal(asked.length, 4);
  });

  it('show who paid, what does not count and why, and no QR code of a link that is closed', async (t) => {
    const payment = {
      signature: 'S1',
      payer: 'Alice',
      amount: '10000000',
      received_amount: '9900000',
      commitment: 'finalized',
    };
    const payments = [
      { ...payment, signature: 'S0', amount: '1', counts: false, flaw: 'too_little' },
      { ...payment, counts: true },
    ];
    const data = { ...link, state: 'paid', payer: 'Alice', signature: 'S1', payments };
    const { run } = await linksOn(t, 200, { data, status: 'found' });
    const { stdout } = await run('show', id);
    assert.match(stdout, /^state +paid$/m);
    assert.match(stdout, /^payment +0\.000001 from Alice, finalized, does not count: too little, S0$/m);
    assert.match(stdout, /^payment +10 from Alice, finalized, S1$/m);
    assert.doesNotMatch(stdout, /█/);
  });
});

describe('links list', () => {
  it('is a table, with the command of the next page', async (t) => {
    const reply = { data: [link, { ...link, payer: 'Alice', state: 'paid' }], next_cursor: 'abc', status: 'found' };
    const { asked, run } = await linksOn(t, 200, reply);
    const { status, stdout } = await run('list', '--limit', '2', '--cursor', 'a b');
    assert.equal(status, 0);
    assert.equal(asked[0]?.line, 'GET /v1/payment-links?limit=2&cursor=a+b');
    const lines = stdout.split('\n');
    assert.match(lines[1] ?? '', new RegExp(`^${id}  open +10 USDC `));
    assert.match(lines[2] ?? '', /paid .*Alice$/);
    assert.equal(lines[3], 'More: npm run links -- list --cursor abc');
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

  it('is one line of JSON with --json, and nothing on an error', async (t) => {
    const list = { data: [link], status: 'found' };
    const { run } = await linksOn(t, 200, list);
    const { status, stdout } = await run('list', '--json');
    assert.deepEqual([status, stdout], [0, `${JSON.stringify(list)}\n`]);
    const { run: runRefused } = await linksOn(t, 404, { detail: 'There is no such payment link.' });
    const refused = await runRefused('show', id, '--json');
    assert.deepEqual(refused, { status: 1, stdout: '', stderr: 'There is no such payment link.\n' });
  });

  it('says every error of a refusal once', async (t) => {
    for (const errors of [[{ detail: 'First.' }, { detail: 'Second.' }], [{ detail: 'First.' }]]) {
      const { run } = await linksOn(t, 400, { detail: 'The request has faults, the first: First.', errors });
      const stderr = errors.map(({ detail }) => `${detail}\n`).join('');
      assert.deepEqual(await run(...create), { status: 1, stdout: '', stderr });
    }
  });

  it('names the service that cannot be reached, redirects, or is another one', async (t) => {
    const environment = { SPLWRIGHT_URL: 'http://127.0.0.1:1' };
    const gone = await runWith(environment, 'list');
    assert.equal(gone.status, 1);
    assert.match(
      gone.stderr,
      /^http:\/\/127\.0\.0\.1:1 cannot be reached: .+ Start the service, or set SPLWRIGHT_URL\.\n$/,
    );
    for (const [status, reply] of [
      [302, {}],
      [200, 'no JSON'],
      [200, 'null'],
      [200, {}],
      [200, { data: 7 }],
      [200, { data: [{ ...link, amount: 'x' }] }],
      [200, { data: [{ ...link, id: 7 }] }],
      [500, '<html>'],
    ] as const) {
      const { asked, run } = await linksOn(t, status, reply);
      const { status: exit, stdout, stderr } = await run('list');
      assert.deepEqual([exit, stdout], [1, ''], JSON.stringify(reply));
      assert.match(stderr, /SPLWRIGHT_URL|not with JSON as this service does/);
      assert.equal(asked.length, 1, 'the key is not sent anywhere else');
    }
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

  it('is help for links and for each of its commands', async () => {
    const { stdout, status } = await runWith({}, '--help');
    assert.equal(status, 0);
    for (const command of ['create', 'list', 'show', 'cancel']) {
      assert.match(stdout, new RegExp(`^ {2}npm run links -- ${command} `, 'm'));
      const help = await runWith({}, command, '--help');
      assert.equal(help.status, 0);
      assert.match(help.stdout, new RegExp(`Usage: npm run links -- ${command} `));
    }
    for (const args of [[], ['make']]) {
      const { status: exit, stderr } = await runWith({}, ...args);
      assert.equal(exit, 2);
      assert.match(stderr, /Usage:/);
    }
  });
});
