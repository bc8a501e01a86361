import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificates } from './certificates.ts';
import { freePort } from './free-port.ts';
import { assertInstalled } from './not-installed.ts';
import { type DatabaseServer, ordinaryAccount, postgresPassword, postgresUser } from './postgres.ts';
import type { Cleanup } from './service.ts';

/** How a PgBouncer pools. */
export interface PoolerOptions {
  mode: 'transaction' | 'session';
  /** How many connections to the server it shares out, for each database; 20 by default, as its own default. */
  poolSize?: number;
  /** With them it takes clients by TLS alone. */
  certificates?: Certificates;
}

/** A real PgBouncer in front of a PostgreSQL. */
export interface Pooler {
  /** Makes an empty database, and returns its URL here and that of the server itself. */
  createDatabase(): Promise<{ pooledUrl: string; directUrl: string }>;
}

const program = 'pgbouncer';

/** Starts PgBouncer, and ends it with the test. Throws when it is not installed; Debian: `apt-get install pgbouncer`. */
export async function startPgBouncer(t: Cleanup, postgres: DatabaseServer, options: PoolerOptions): Promise<Pooler> {
  assertInstalled(program, 'pgbouncer');
  const { mode, poolSize = 20, certificates } = options;
  const folder = mkdtempSync(join(tmpdir(), 'splwright-pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${postgresUser}" "${postgresPassword}"\n`);
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${postgres.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
    ...(certificates ? tlsSettings(certificates, folder) : []),
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  const account = ordinaryAccount();
  if (account) for (const path of [folder, users, file]) chownSync(path, account.uid, account.gid);
  if (account && certificates) chownSync(join(folder, 'server.key'), account.uid, account.gid);
  const child = spawn(program, [file], { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true });
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`${program} ended with ${status}:\n${output}`)));
  });
  return {
    async createDatabase() {
      const directUrl = await postgres.createDatabase();
      return { directUrl, pooledUrl: directUrl.replace(`:${postgres.port}/`, `:${port}/`) };
    },
  };
}

function tlsSettings({ ca, server }: Certificates, folder: string): string[] {
  const key = join(folder, 'server.key');
  copyFileSync(server.key, key);
  chmodSync(key, 0o600);
  return [
    'client_tls_sslmode = require',
    `client_tls_ca_file = ${ca}`,
    `client_tls_cert_file = ${server.cert}`,
    `client_tls_key_file = ${key}`,
  ];
}
