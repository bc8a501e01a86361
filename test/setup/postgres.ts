import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { openKeyStore } from '../../packages/server/src/serve/store/open-key-store.ts';
import type { Certificates, KeyPair } from './certificates.ts';
import { freePort } from './free-port.ts';
import { notInstalled } from './not-installed.ts';
import type { Cleanup } from './service.ts';

/** A PostgreSQL server on which a test makes databases of its own. */
export interface DatabaseServer {
  port: number;
  /** Makes an empty database and returns its `DATABASE_URL`, with `postgresPassword` in it. */
  createDatabase(): Promise<string>;
  /** Makes a database with the newest schema and without rows, by copying: a fifth of the work of all migrations. */
  createStore(): Promise<string>;
}

/** A PostgreSQL server of the test's own, on a free port, with its data in a temporary folder. */
export interface PostgresServer extends DatabaseServer {
  /** Where everything is that it has ever written. */
  dataFolder: string;
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

/** The user of every database. */
export const postgresUser = 'tester';

/** How a server differs from the usual one, which listens on 127.0.0.1 without TLS and takes passwords. */
export interface PostgresOptions {
  /** With them it offers TLS, and knows clients of their authority. */
  certificates?: Certificates;
  /** The lines of `pg_hba.conf`, instead of those that take passwords. */
  access?: readonly string[];
  /** Where it listens. */
  addresses?: string;
  /** Further settings of its command line. */
  settings?: readonly string[];
}

/** Starts PostgreSQL and ends it with the test. Throws when it is not installed. */
export async function startPostgres(t: Cleanup, options: PostgresOptions = {}): Promise<PostgresServer> {
  const binaries = postgresBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'splwright-postgres-'));
  const data = join(folder, 'data');
  const account = ordinaryAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, postgresPassword);
  execFileSync(
    join(binaries, 'initdb'),
    [
      '-D',
      data,
      '-U',
      postgresUser,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--no-locale',
      '-N',
    ],
    { ...account, stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  );
  const port = await freePort();
  const { certificates, access, addresses = '127.0.0.1' } = options;
  if (access) writeFileSync(join(data, 'pg_hba.conf'), `${access.join('\n')}\n`);
  const settings = [
    ...['fsync=off', 'full_page_writes=off', `listen_addresses=${addresses}`, 'unix_socket_directories='],
    ...(certificates ? tlsSettings(certificates, folder, account) : []),
    ...(options.settings ?? []),
  ];
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
    for (const pid of processesIn(folder)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended since it was listed.
      }
    }
  };
  const kill = async (): Promise<void> => {
    // The server may start another one while they are killed, which would hold its memory against the next server.
    while (processesIn(folder).length > 0) {
      signalAll('SIGKILL');
      await setImmediate();
    }
    if (server && server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  t.after(async () => {
    signalAll('SIGCONT');
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();

  let count = 0;
  const createDatabase = async (): Promise<string> => {
    const database = `keys_${++count}`;
    // A certificate says who it is, where it is asked for.
    const ssl = certificates && { ca: readFileSync(certificates.ca), ...readPair(certificates.client) };
    await query(port, [`create database ${database}`], ssl);
    return urlOf(port, database);
  };
  let template: Promise<void> | undefined;
  return {
    port,
    dataFolder: data,
    kill,
    start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    createDatabase,
    async createStore() {
      template ??= createTemplate(port);
      await template;
      const database = `keys_${++count}`;
      await query(port, [copyOfTemplate(database)]);
      return urlOf(port, database);
    },
  };
}

/** The database from which those of `createStore` are copied. */
const templateDatabase = 'store_template';

async function createTemplate(port: number): Promise<void> {
  await query(port, [`create database ${templateDatabase}`]);
  const store = await openKeyStore(urlOf(port, templateDatabase));
  await store.close();
}

const copyOfTemplate = (database: string): string => `create database ${database} template ${templateDatabase}`;

/** The variable with the port of the server that all test files of a run share. */
const sharedPortVariable = 'TEST_POSTGRES_PORT';

/** Starts the server that all test files of a run share. */
export async function startSharedPostgres(t: Cleanup): Promise<void> {
  const { port } = await startPostgres(t, { settings: ['max_connections=500'] });
  await createTemplate(port);
  process.env[sharedPortVariable] = String(port);
}

/**
 * The server that all test files of a run share; one of its own where a file runs alone.
 *
 * What is made on it is dropped at the end. It is never stopped: for that there is `startPostgres`.
 */
export async function sharedPostgres(t: Cleanup): Promise<DatabaseServer> {
  const port = Number(process.env[sharedPortVariable]);
  if (!port) return startPostgres(t);
  const databases: string[] = [];
  t.after(async () => {
    if (databases.length === 0) return;
    await query(
      port,
      databases.map((database) => `drop database if exists ${database} with (force)`),
    );
  });
  const create = async (statementOf: (database: string) => string): Promise<string> => {
    const database = `keys_${process.pid}_${databases.length}`;
    databases.push(database);
    await query(port, [statementOf(database)]);
    return urlOf(port, database);
  };
  return {
    port,
    createDatabase: () => create((database) => `create database ${database}`),
    createStore: () => create(copyOfTemplate),
  };
}

function urlOf(port: number, database: string): string {
  return `postgres://${postgresUser}:${encodeURIComponent(postgresPassword)}@127.0.0.1:${port}/${database}`;
}

async function query(port: number, statements: readonly string[], ssl?: ClientConfig['ssl']): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, 'postgres'), ...(ssl && { ssl }) });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** It takes only a key that no other user can read. */
function tlsSettings({ ca, server }: Certificates, folder: string, account: Account | undefined): string[] {
  const key = join(folder, 'server.key');
  copyFileSync(server.key, key);
  chmodSync(key, 0o600);
  if (account) chownSync(key, account.uid, account.gid);
  return ['ssl=on', `ssl_ca_file=${ca}`, `ssl_cert_file=${server.cert}`, `ssl_key_file=${key}`];
}

function readPair({ cert, key }: KeyPair): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** The folder of the programs of PostgreSQL. Throws when it is not installed. */
export function postgresBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (found === undefined) throw notInstalled('PostgreSQL', 'postgresql');
  return found;
}

/** A user of the machine, by number. */
interface Account {
  uid: number;
  gid: number;
}

/** PostgreSQL and PgBouncer refuse to run as root: there they run as the user that Debian makes for them, or as nobody. */
export function ordinaryAccount(): Account | undefined {
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

/** The processes that run in a folder or below it, as Linux lists them: all of a server, also those whose parent has ended. */
function processesIn(folder: string): number[] {
  const isInside = (pid: number): boolean => {
    try {
      return readlinkSync(join('/proc', String(pid), 'cwd')).startsWith(folder);
    } catch {
      // It has ended, or is of another user.
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(isInside);
}
