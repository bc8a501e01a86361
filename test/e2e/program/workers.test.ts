import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { freePort, takenPort } from '../../setup/free-port.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { sendLoad, startLimitedServers } from '../keys/limited-servers.ts';
import { assertEndsWell, type CliProcess, runCli, startServer } from './cli-process.ts';

/** The processes that have said that they listen, in the order in which they said so. */
function listenersOf(server: CliProcess): number[] {
  return [...server.stdout().matchAll(/^\{.*"pid":(\d+),.*"msg":"Server listening/gm)].map(([, pid]) => Number(pid));
}

const bothListen = /(?:"msg":"Server listening[\s\S]*){2}/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('Two workers on one port hold the limit of a key together, within 1 %, at ten times as much', async (t) => {
  const limit = 200;
  const metricsPort = await freePort();
  const environment = { WORKERS: '2', RATE_LIMIT_PER_MINUTE: String(limit), METRICS_PORT: String(metricsPort) };
  const { servers, urls, createKey } = await startLimitedServers(t, 1, environment);
  const total = 10 * limit;
  const { 400: passed = 0, 429: refused = 0 } = await sendLoad(urls, { key: await createKey(), total });
  t.diagnostic(`${passed} passed and ${refused} were refused, with a limit of ${limit}`);
  assert.equal(passed + refused, total);
  assert.ok(Math.abs(passed - limit) <= limit / 100, `${passed} passed, with a limit of ${limit}`);
  const [server] = servers;
  assert.ok(server);
  const pids = new Set(server.server.stdout().match(/"pid":\d+(?=.*"msg":"request")/g));
  assert.equal(pids.size, 2, 'both took requests');

  // One endpoint for all, on which they are added up.
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counted = metrics.match(/^splwright_http_request_duration_seconds_count\{.*status="4.*/gm) ?? [];
  assert.equal(
    counted.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0),
    total,
  );
});

// Every process writes its id before it loads anything, so that a worker can be killed as soon as it has started.
const announceStart = '--import=data:text/javascript,console.log(process.pid)';

/** The processes that have started, in the order in which they did. */
function startedOf(server: CliProcess): number[] {
  return [...server.stdout().matchAll(/^\d+$/gm)].map(([pid]) => Number(pid));
}

test('A killed worker is replaced at once, and one that dies again soon after a growing pause', async (t) => {
  const { server, url } = await startServer(t, { WORKERS: '2', NODE_OPTIONS: announceStart });
  await server.waitFor(bothListen);
  const pauses: number[] = [];
  let victim = listenersOf(server).at(-1);
  while (pauses.length < 4 && !pauses.includes(1000)) {
    assert.ok(victim !== undefined);
    const startedBefore = startedOf(server).length;
    process.kill(victim, 'SIGKILL');
    const died = new RegExp(`"worker_pid":${victim},"how":"SIGKILL","pause_milliseconds":(\\d+)`);
    pauses.push(Number((await server.waitFor(died))[1]));
    assert.equal((await fetch(`${url}/livez`, { headers: { connection: 'close' } })).status, 200, 'the other goes on');
    await server.waitFor(new RegExp(`(?:^\\d+$[\\s\\S]*){${startedBefore + 1}}`, 'm'));
    victim = startedOf(server).at(-1);
  }
  // On a slow machine the first worker has lived too long for its death to count as one at its start.
  const [first, ...others] = pauses;
  assert.equal(first, 0);
  assert.deepEqual(others, others.length === 1 ? [1000] : [0, 1000]);
  await server.waitFor(/(?:"msg":"Server listening[\s\S]*){3}/);
  assert.equal(listenersOf(server).at(-1), victim);
  await assertEndsWell(server, 'SIGINT');
  assert.deepEqual(startedOf(server).filter(isAlive), []);
});

test('Why a worker cannot take the place of one that ended is in the log', async (t) => {
  const path = `${temporaryFolder(t)}/keys.db`;
  const { server } = await startServer(t, { WORKERS: '2', DATABASE_URL: `sqlite:${path}` });
  await server.waitFor(bothListen);
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("insert into schema_steps values ('9999-future', 9999)");
  database.close();
  process.kill(Number(listenersOf(server).at(-1)), 'SIGKILL');
  await server.waitFor(/"reason":"DATABASE_URL: [^\n]*9999-future[^\n]*"msg":"a worker process cannot start"/);
  await assertEndsWell(server, 'SIGINT');
});

test('A start that fails with workers is reported once, with the exit status of its reason', async (t) => {
  const port = String(await takenPort(t));
  const environment = { WORKERS: '2', PORT: port, SANDBOX_RPC_PORT: '0', LOG_LEVEL: 'warn' };
  assert.deepEqual(await runCli(t, ['serve'], environment), {
    status: 1,
    stdout: '',
    stderr: `Port ${port} is in use: set PORT to another one, or to 0 for any free one.\n`,
  });
  const noStore = { ...environment, PORT: '0', DATABASE_URL: 'sqlite:/dev/null/keys.db' };
  const { status, stdout, stderr } = await runCli(t, ['serve'], noStore);
  assert.deepEqual([status, stdout], [78, '']);
  assert.match(stderr, /^DATABASE_URL: [^\n]+\n$/);
});
