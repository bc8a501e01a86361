import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { generateApiKey } from '../../../packages/server/src/app/api-key.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { exchangeRaw } from '../../../packages/server/test/app/raw-http.ts';
import { createPath, memoBody, memoPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { freePort } from '../../setup/free-port.ts';
import { startPostgres } from '../../setup/postgres.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { runCli, startServer } from '../program/cli-process.ts';

/** The keys of a test: one that works, one that did, one that never was, and one that was mistyped. */
interface Keys {
  valid: string;
  revoked: string;
  unknown: string;
  mistyped: string;
}

const adminKey = hash('sha256', 'the admin key of this test');

/** Everything that a process, a reply or a file said, by where it was said. */
type Said = Map<string, string | Buffer>;

function assertSecret(keys: Readonly<Record<string, string>>, said: Said): void {
  for (const [output, text] of said) {
    for (const [which, key] of Object.entries(keys)) {
      // What people may see of a key is its first ten characters: of the rest, no part is anywhere.
      for (let start = 10; start + 12 <= key.length; start += 6) {
        assert.ok(!text.includes(key.slice(start, start + 12)), `the ${which} key is in ${output}`);
      }
    }
  }
}

/** Requests with a key in every part of a request, right or wrong. */
async function sendEverywhere(url: string, keys: Keys, said: Said): Promise<Set<number>> {
  const statuses = new Set<number>();
  const record = async (name: string, response: Response): Promise<void> => {
    statuses.add(response.status);
    said.set(`the reply to ${name}`, JSON.stringify([[...response.headers], await response.text()]));
  };
  const json = { 'content-type': 'application/json' };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(url + path, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${keys.valid}`, ...headers },
      body: text,
    });
  };
  for (const [which, key] of Object.entries(keys)) {
    const authorizations = [
      `Bearer ${key}`,
      `bearer  ${key} `,
      `Basic ${key}`,
      key,
      `Bearer ${key} ${key}`,
      `Bearer x${key}`,
    ];
    for (const authorization of authorizations) {
      await record(`${which} ${authorization.length}`, await post(memoPath, memoBody, { authorization }));
    }
    const headers = ['x-api-key', 'x-request-id', 'user-agent', 'cookie', 'traceparent', 'origin', 'referer', 'expect'];
    for (const header of headers) {
      const request =
        `POST ${memoPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.valid}\r\n${header}: ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
      await record(`${which} in ${header}`, await exchangeRaw(url, request));
    }
    for (const type of [key, `application/${key}`, `application/json; charset=${key}`]) {
      await record(`${which} in ${type.length} of content-type`, await post(memoPath, '{}', { 'content-type': type }));
    }
    const paths = [`?api_key=${key}`, `/${key}`, `%2F${key}`, `;${key}`, `#${key}`];
    for (const path of paths) {
      await record(`${which} in the path ${path.length}`, await post(memoPath + path, memoBody));
      await record(`${which} in GET ${path.length}`, await fetch(url + memoPath + path));
    }
    for (const path of [`/problems/${key}`, `/${key}`, `/livez?${key}`, `/readyz/${key}`]) {
      await record(`${which} in ${path.length}`, await fetch(url + path));
    }
    const bodies: unknown[] = [
      ...Object.keys(memoBody).map((name) => ({ ...memoBody, [name]: key })),
      ...['yid', 'fee_payer', 'nonce_account', 'priority_fee', 'encoding', 'checks', 'summary', 'references'].map(
        (name) => ({ ...memoBody, [name]: key }),
      ),
      { ...memoBody, references: [key] },
      { ...memoBody, [key]: key },
      { ...memoBody, [`${'x'.repeat(40)}${key}`]: 1 },
      { ...memoBody, api_key: key },
      { ...memoBody, memo: key, summary: true },
      { ...memoBody, memo: key, simulate: true, checks: 'none', amount: '18446744073709551615' },
      { ...memoBody, memo: key.slice(0, 10), amount: '18446744073709551615' },
      `{"${key}":1,"${key}":2}`,
      `{"amount": ${key}}`,
      JSON.stringify(key),
      key,
      `[${JSON.stringify(key)}]`,
    ];
    for (const [index, body] of bodies.entries()) {
      for (const path of [memoPath, createPath]) {
        await record(`${which} in body ${index} to ${path}`, await post(path, body));
      }
    }
    for (const raw of [
      `${key} / HTTP/1.1\r\n\r\n`,
      `POST ${key} HTTP/1.1\r\n\r\n`,
      `GET / HTTP/1.1\r\n${key}\r\n\r\n`,
    ]) {
      await record(`${which} in bad HTTP`, await exchangeRaw(url, raw));
    }
  }
  return statuses;
}

/** Requests with the admin key, right and wrong, where it belongs and where an API key does. */
async function sendAsAdmin(url: string, said: Said): Promise<void> {
  const send = async (path: string, status: number, headers: Record<string, string>, body?: string): Promise<void> => {
    const json = { 'content-type': 'application/json' };
    const request = body === undefined ? { headers } : { method: 'POST', headers: { ...json, ...headers }, body };
    const response = await fetch(url + path, request);
    assert.equal(response.status, status, path);
    said.set(`${path} with ${body} as admin`, JSON.stringify([[...response.headers], await response.text()]));
  };
  const admin = { 'x-api-key': adminKey };
  await send('/v1/admin/keys', 200, admin);
  await send('/v1/admin/keys', 201, admin, '{"name":"made over HTTP"}');
  await send('/v1/admin/keys', 400, admin, '{"name":"","expires":7}');
  await send('/v1/admin/keys/key_0/revoke', 404, admin, '{}');
  await send('/v1/admin/keys?', 401, { 'x-api-key': `${adminKey}x` });
  await send('/v1/admin/keys?bearer', 401, { authorization: `Bearer ${adminKey}` });
  await send(memoPath, 401, { authorization: `Bearer ${adminKey}` }, JSON.stringify(memoBody));
}

/** Each kind of database, with the folder of all that it has ever put on the disk. */
const databases: Readonly<Record<string, (t: TestContext) => Promise<{ databaseUrl: string; folder: string }>>> = {
  'an SQLite file': async (t) => {
    const folder = temporaryFolder(t);
    return { databaseUrl: `sqlite:${folder}/keys.db`, folder };
  },
  PostgreSQL: async (t) => {
    const { createDatabase, dataFolder } = await startPostgres(t);
    return { databaseUrl: await createDatabase(), folder: dataFolder };
  },
};

function filesIn(folder: string): Said {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  return new Map(files.map((path) => [path, readFileSync(path)]));
}

async function makeKeys(databaseUrl: string): Promise<Keys> {
  const store = await openKeyStore(databaseUrl);
  const { key: valid } = await store.create({ name: 'valid', expiresAt: null });
  const { key: revoked, record } = await store.create({ name: 'revoked', expiresAt: null });
  await store.revoke(record.id);
  await store.close();
  const unknown = generateApiKey();
  const mistyped = `${unknown.slice(4, 5) === 'a' ? 'b' : 'a'}`;
  return { valid, revoked, unknown, mistyped: `swk_${mistyped}${generateApiKey().slice(5)}` };
}

for (const [name, newDatabase] of Object.entries(databases)) {
  test(`No key is in anything that is said or written, with keys in ${name}`, async (t: TestContext) => {
    const { databaseUrl, folder } = await newDatabase(t);
    const keys = await makeKeys(databaseUrl);
    const reports = temporaryFolder(t);
    const metricsPort = await freePort();
    const { server, url } = await startServer(t, {
      DATABASE_URL: databaseUrl,
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'trace',
      RATE_LIMIT_PER_MINUTE: '0',
      ADMIN_KEY: adminKey,
      // What Node writes when it crashes, written here when it is asked to.
      NODE_OPTIONS: `--report-on-signal --report-signal=SIGUSR2 --report-directory=${reports}`,
    });
    const said: Said = new Map();
    await sendAsAdmin(url, said);
    const statuses = await sendEverywhere(url, keys, said);
    for (const status of [200, 400, 401, 404, 405, 415, 422]) assert.ok(statuses.has(status), `no reply of ${status}`);
    assert.ok(![...statuses].some((status) => status >= 500));

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    assert.match(metrics, /splwright_builds_total/);
    said.set('the metrics', metrics);
    server.kill('SIGUSR2');
    await waitUntil(() => readdirSync(reports).length > 0);
    server.kill('SIGTERM');
    const { stdout, stderr } = await server.ended;
    assert.ok(stdout.split('\n').length > 200);
    said.set('standard output', stdout).set('standard error', stderr);
    for (const name of readdirSync(reports)) said.set('the crash report', readFileSync(join(reports, name)));
    for (const args of [
      ['list', '--json'],
      ['usage', '--json'],
    ]) {
      const ended = await runCli(t, ['keys', ...args], { DATABASE_URL: databaseUrl });
      assert.equal(ended.status, 0, ended.stderr);
      said.set(`keys ${args.join(' ')}`, ended.stdout + ended.stderr);
    }
    for (const [path, bytes] of filesIn(folder)) said.set(path, bytes);
    assertSecret({ ...keys, admin: adminKey }, said);
  });
}
