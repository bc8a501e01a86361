import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, test } from 'node:test';
import { startSandbox } from '../../packages/sandbox/src/index.ts';
import type { Diagnosis } from '../../packages/server/src/cli/doctor/diagnosis.ts';
import { runDoctor } from '../../packages/server/src/cli/doctor/doctor.ts';
import type { Environment } from '../../packages/server/src/config/variables.ts';
import { openKeyStore } from '../../packages/server/src/keys/store/open-key-store.ts';
import { postgresOfThisFile } from '../../packages/server/test/keys/databases.ts';
import { makeCertificates } from '../setup/certificates.ts';
import { type Exchange, type Fault, type FaultProxy, startFaultProxy } from '../setup/fault-proxy.ts';
import { editedResult, nodeError, onlyFor, otherLedger, tooManyRequests } from '../setup/faults.ts';
import { runCommand } from '../setup/process.ts';
import { startRedis } from '../setup/redis.ts';
import type { Cleanup } from '../setup/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'splwright-doctor-'));
after(() => rmSync(folder, { recursive: true }));
const sandbox = await startSandbox({ rpcPort: 0 });
after(() => sandbox.close());

const healthyEnvironment = { DATABASE_URL: `sqlite:${join(folder, 'none.db')}` };

/** Runs the command on these variables, with the time of the machine unless another is given. */
async function examine(environment: Environment, now = () => Date.now()) {
  const output = { stdout: '', stderr: '' };
  const status = await runDoctor({
    arguments: ['--json'],
    environment: { ...healthyEnvironment, ...environment },
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
    now,
  });
  const { diagnoses }: { diagnoses: readonly Diagnosis[] } = JSON.parse(output.stdout || '{"diagnoses":[]}');
  const complaints = diagnoses.filter(({ level }) => level !== 'ok');
  return { status, diagnoses, complaints, text: output.stdout + output.stderr };
}

// The sandbox has no more history than its own age.
const withAllHistory: Fault = onlyFor(
  'getFirstAvailableBlock',
  editedResult(() => 0),
);

/** Starts a node that is healthy, and does what the fault does to the calls of one method. */
async function startNode(t: Cleanup, name: string, method?: string, fault?: Fault): Promise<FaultProxy> {
  const node = await startFaultProxy(t, { ledger: sandbox.ledger, name });
  const isIt = ({ calls }: Exchange): boolean => calls.some((call) => call.method === method);
  node.fault = (exchange) => (fault && isIt(exchange) ? fault : withAllHistory)(exchange);
  return node;
}

const said = ({ complaints }: { complaints: readonly Diagnosis[] }): string[] =>
  complaints.map(({ subject, level, finding }) => `${level} ${subject} ${finding}`);

describe('the doctor, of upstreams', () => {
  it('finds nothing wrong with two healthy nodes', async (t) => {
    const nodes = [await startNode(t, 'a'), await startNode(t, 'b')];
    const result = await examine({ SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(',') });
    assert.deepEqual(said(result), []);
    assert.equal(result.status, 0);
    assert.match(result.text, /It answers in \d+ ms, at slot \d+\./);
  });

  it('says of one node alone that it is trusted alone', async (t) => {
    const { url } = await startNode(t, 'a');
    const { status, complaints } = await examine({ SOLANA_RPC_URLS: url });
    assert.equal(status, 0);
    assert.deepEqual(
      complaints.map(({ level, remedy }) => [level, remedy]),
      [['warning', 'Name a second one of another provider in SOLANA_RPC_URLS.']],
    );
  });

  it('says which methods a node refuses, and what is then missing', async (t) => {
    const refuse = nodeError(-32601, 'Method not found');
    const first = await startNode(t, 'a', 'getSignaturesForAddress', refuse);
    const second = await startNode(t, 'b', 'getRecentPrioritizationFees', refuse);
    const { status, complaints } = await examine({ SOLANA_RPC_URLS: `${first.url},${second.url}` });
    assert.equal(status, 0);
    assert.deepEqual(
      complaints.map(({ subject, remedy }) => `${subject}: ${remedy}`),
      [
        'upstream_1: It is needed for outcomes of transfers and payment links, which are then unknown.',
        'upstream_2: It is needed for priority fees by level.',
      ],
    );
  });

  it('fails when too few nodes can be used, and never shows a URL', async (t) => {
    const node = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'a' });
    await node.kill();
    const result = await examine({ SOLANA_RPC_URLS: node.url });
    assert.equal(result.status, 1);
    assert.ok(
      said(result).includes('failure upstreams 0 of 1 can be used, and 1 must agree.'),
      said(result).join('\n'),
    );
    for (const secret of node.secrets) assert.ok(!result.text.includes(secret));
    assert.ok(!result.text.includes('127.0.0.1'));
  });

  it('fails when the nodes are of different clusters', async (t) => {
    const other = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'a' });
    other.fault = otherLedger(sandbox.ledger);
    const result = await examine({ SOLANA_RPC_URLS: `${sandbox.rpcUrl},${other.url}` });
    assert.equal(result.status, 1);
    assert.ok(
      said(result).some((line) => /^failure upstreams They are of different clusters: .*devnet/.test(line)),
      said(result).join('\n'),
    );
  });

  it('says that a node limits the rate', async (t) => {
    const [first, second] = [await startNode(t, 'a'), await startNode(t, 'b')];
    let calls = 0;
    first.fault = (exchange) => (++calls > 5 ? tooManyRequests('1') : withAllHistory)(exchange);
    const result = await examine({ SOLANA_RPC_URLS: `${first.url},${second.url}` });
    assert.equal(said(result).length, 1);
    assert.match(said(result)[0] ?? '', /^warning upstream_1 It refused \d+ of some 13 calls because of their rate\.$/);
  });

  it('says how much history a node keeps, when that is too little', async (t) => {
    const twoHours = editedResult(() => Number(sandbox.ledger.slot()) - 18_000);
    const [first, second] = [await startNode(t, 'a', 'getFirstAvailableBlock', twoHours), await startNode(t, 'b')];
    assert.deepEqual(said(await examine({ SOLANA_RPC_URLS: `${first.url},${second.url}` })), [
      'warning upstream_1 It keeps about 2.0 hours of history; outcomes are asked for up to 24 hours later.',
    ]);
  });

  it('compares the clock of the machine with the cluster, in both directions', async () => {
    for (const [skewMs, words] of [
      [90_000, 'ahead of'],
      [-90_000, 'behind'],
    ] as const) {
      const result = await examine({ SOLANA_RPC_URLS: sandbox.rpcUrl }, () => Date.now() + skewMs);
      const line = said(result).find((each) => each.includes('clock')) ?? '';
      assert.match(
        line,
        new RegExp(`^warning upstream_1 This machine's clock is (?:8|9)\\d s ${words} the cluster's\\.$`),
      );
    }
  });

  it('names the sandbox where no node is configured, and every wrong value where there are some', async () => {
    const { status, diagnoses } = await examine({});
    assert.equal(status, 0);
    assert.ok(diagnoses.some(({ finding }) => finding.includes('runs on its sandbox')));
    const wrong = await examine({ PORT: 'x', WORKERS: 'y' });
    assert.equal(wrong.status, 78);
    assert.match(wrong.text, /PORT.*\n.*WORKERS/);
  });
});

describe('the doctor, of the database', () => {
  it('finds nothing wrong with a file that has a key, and changes nothing in one that has none', async () => {
    const path = join(folder, 'keys.db');
    const store = await openKeyStore(`sqlite:${path}`);
    const without = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.deepEqual(said(without), ['warning database It has no API key that works.']);
    await store.create({ name: 'acme', expiresAt: null });
    assert.deepEqual(said(await examine({ DATABASE_URL: `sqlite:${path}` })), []);
    await store.close();
    assert.deepEqual(said(await examine({ DATABASE_URL: `sqlite:${path}` })), []);
  });

  it('says who else may read the file, and what to do', async () => {
    const path = join(folder, 'open.db');
    const store = await openKeyStore(`sqlite:${path}`);
    await store.create({ name: 'acme', expiresAt: null });
    await store.close();
    chmodSync(path, 0o644);
    const { complaints } = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.deepEqual(
      complaints.map(({ remedy }) => remedy),
      [`chmod 600 ${path}`],
    );
  });

  it('names migrations that are missing, and fails on those of a newer version', async () => {
    const path = join(folder, 'other.db');
    await (await openKeyStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path);
    database.exec("delete from kysely_migration where name >= '0004'");
    const older = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.equal(older.status, 0);
    assert.ok(older.diagnoses.some(({ finding }) => finding.includes('will add 0004-idempotent-requests')));
    database.exec("insert into kysely_migration values ('9999-future', '2030-01-01')");
    database.close();
    const newer = await examine({ DATABASE_URL: `sqlite:${path}` });
    assert.equal(newer.status, 1);
    assert.deepEqual(said(newer), ['failure database A newer version has changed it: 9999-future.']);
  });

  it('fails on a file that is damaged or is something else, and on a path that is a folder', async () => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'these are the notes of somebody else, and no database at all\n'.repeat(100));
    for (const path of [text, folder]) {
      const { status, complaints } = await examine({ DATABASE_URL: `sqlite:${path}` });
      assert.deepEqual([status, complaints.map(({ level }) => level)], [1, ['failure']], path);
    }
  });

  it('looks into PostgreSQL, and fails where there is none', async () => {
    const server = await postgresOfThisFile();
    const databaseUrl = await server.createDatabase();
    const fresh = await examine({ DATABASE_URL: databaseUrl });
    assert.equal(fresh.status, 0);
    assert.ok(fresh.diagnoses.some(({ finding }) => finding.includes('will add 0001-create-api-keys')));
    const store = await openKeyStore(databaseUrl);
    await store.create({ name: 'acme', expiresAt: null });
    await store.close();
    assert.deepEqual(said(await examine({ DATABASE_URL: databaseUrl })), []);
    const away = await examine({ DATABASE_URL: 'postgres://user:SECRET@127.0.0.1:1/keys' });
    assert.equal(away.status, 1);
    assert.ok(!away.text.includes('SECRET'));
  });
});

describe('the doctor, of Redis', () => {
  it('finds nothing wrong with one that answers, and warns of one that does not', async (t) => {
    const redis = await startRedis(t);
    assert.deepEqual(said(await examine({ REDIS_URL: redis.url })), []);
    const away = await examine({ REDIS_URL: 'redis://user:SECRET@127.0.0.1:1' });
    assert.equal(away.status, 0);
    assert.deepEqual(said(away), ['warning redis It cannot be used: ECONNREFUSED.']);
    assert.ok(!away.text.includes('SECRET'));
  });

  it('says which authority, name or password is wrong, and what to write in REDIS_URL', async (t) => {
    const certificates = makeCertificates(t);
    const redis = await startRedis(t, [], certificates);
    const trusted = `ssl_ca_certs=${certificates.ca}`;
    const right = await examine({ REDIS_URL: `${redis.url}?${trusted}` });
    assert.deepEqual(said(right), []);
    assert.ok(right.diagnoses.some(({ finding }) => finding === 'It answers by TLS, and counts for the rate limits.'));
    const expectations: [url: string, reason: string, remedy: RegExp][] = [
      [redis.url, 'SELF_SIGNED_CERT_IN_CHAIN', /ssl_ca_certs of REDIS_URL/],
      [redis.url.replace('rediss:', 'redis:'), 'ECONNRESET', /try rediss:\/\/ in REDIS_URL/],
      [`${redis.url.replace(redis.password, 'wrong')}?${trusted}`, 'WRONGPASS', /user and the password/],
      [
        `${redis.url.replace('rediss:', 'rediss+sentinel:')}/name?${trusted}&sentinel_password=${redis.password}`,
        'ERR',
        /is no Sentinel/,
      ],
    ];
    for (const [url, reason, remedy] of expectations) {
      const result = await examine({ REDIS_URL: url });
      assert.deepEqual(said(result), [`warning redis It cannot be used: ${reason}.`], url);
      assert.match(result.complaints[0]?.remedy ?? '', remedy);
      assert.ok(!result.text.includes(redis.password));
    }
  });
});

test('The command prints a line for each finding, with the remedy below it', async () => {
  const { status, stdout } = await runCommand('npm run --silent doctor', {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: healthyEnvironment.DATABASE_URL,
    REDIS_URL: '',
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ok {7}configuration {2}Every value can be used\.$/m);
  assert.match(stdout, /^warning {2}upstreams {6}There is one node[^\n]*\n {24}Name a second one/m);
  const help = await runCommand('npm run --silent doctor -- --help');
  assert.match(help.stdout, /^Examines what the service needs/);
  assert.equal((await runCommand('npm run --silent doctor -- --wrong')).status, 2);
});
