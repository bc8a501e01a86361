import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import type { Cleanup } from './service.ts';

/** A PostgreSQL server of the test's own, on a free port, with its data in a temporary folder. */
export interface PostgresServer {
  /** Where everything is that it has ever written. */
  dataFolder: string;
  /** Makes an empty database and returns its `DATABASE_URL`, with `postgresPassword` in it. */
  createDatabase(): Promise<string>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Stops all its processes where they are, connections open, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/** The password of every database; in a URL it must be percent-encoded. */
export const postgresPassword = 'SECRET/p@ss:7f3b';

const user = 'tester';

/** Starts PostgreSQL and ends it with the test. Throws when it is not installed. */
export async function startPostgres(t: Cleanup): Promise<PostgresServer> {
  const binaries = postgresBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'splwright-postgres-'));
  const data = join(folder, 'data');
  const account = ordinaryAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, postgresPassword);
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-locale', '-N'],
    { ...account, stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  );
  const port = await freePort();
  const settings = ['fsync=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const serverArguments = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];

  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(join(binaries, 'postgres'), serverArguments, {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await untilReady(server);
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of server?.pid ? familyOf(server.pid) : []) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended since it was listed.
      }
    }
  };
  const kill = async (): Promise<void> => {
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    signalAll('SIGKILL');
    await ended;
  };
  t.after(async () => {
    signalAll('SIGCONT');
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();

  const urlOf = (database: string): string =>
    `postgres://${user}:${encodeURIComponent(postgresPassword)}@127.0.0.1:${port}/${database}`;
  let count = 0;
  return {
    dataFolder: data,
    kill,
    start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async createDatabase() {
      const database = `keys_${++count}`;
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${database}`);
      await client.end();
      return urlOf(database);
    },
  };
}

/** The folder of the newest PostgreSQL that is installed, where Debian puts it or on the path. */
/** The folder of the programs of PostgreSQL. Throws when it is not installed. */
export function postgresBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (found === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return found;
}

/** PostgreSQL refuses to run as root: there it runs as the user that Debian makes for it, or as nobody. */
function ordinaryAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string): number => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // The next one then.
    }
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a user postgres nor nobody');
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (status) => reject(new Error(`PostgreSQL ended with ${status}:\n${output}`)));
  });
}

/** The process and those that it started, as Linux lists them. */
function familyOf(parent: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    try {
      // "pid (name) state parent …"; the name may hold anything.
      const stat = readFileSync(join('/proc', name, 'stat'), 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
  return [parent, ...children.map(Number)];
}
