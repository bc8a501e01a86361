import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { ownCommand } from '../../app/own-command.ts';
import { hasActiveKey } from '../../keys/records/key-rows.ts';
import { ownerOf, sandboxCluster } from '../../store/cluster.ts';
import { readMadeSteps, schemaSteps } from '../../store/schema/migrate.ts';
import type { StoreTables } from '../../store/schema/tables.ts';
import { nodeSqliteDialect } from '../../store/sqlite.ts';
import { storeFaultOf } from '../../store/store-faults.ts';
import type { Diagnosis } from './diagnosis.ts';
import { clusterNameOf } from './examine-upstreams.ts';

const subject = 'database';
const othersMayRead = 0o077;

/**
 * Looks at the database of `DATABASE_URL` without changing it: whether it opens, its schema, its cluster, its keys, and its file.
 *
 * `cluster`: that of the service, as `ownerOf` names it; `undefined` where it is not known.
 */
export async function examineDatabase(
  databaseUrl: string,
  cluster: string | undefined,
  now: Date,
): Promise<readonly Diagnosis[]> {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  const examine = (db: Kysely<StoreTables>) => examineContents(db, cluster, now);
  try {
    return path === undefined ? await examinePostgres(databaseUrl, examine) : await examineFile(path, examine);
  } catch (error) {
    const finding = `It cannot be opened: ${storeFaultOf(error)}.`;
    return [{ subject, level: 'failure', finding, remedy: 'Look it up in docs/operate/stores.md.' }];
  }
}

type ExamineContents = (db: Kysely<StoreTables>) => Promise<readonly Diagnosis[]>;

async function examineFile(path: string, examine: ExamineContents): Promise<readonly Diagnosis[]> {
  if (path === ':memory:') {
    const finding = 'It is in memory, and lost when the service stops.';
    return [{ subject, level: 'warning', finding, remedy: 'Set DATABASE_URL to a file or to PostgreSQL.' }];
  }
  const file = resolve(path);
  if (!existsSync(file)) return [{ subject, level: 'ok', finding: `There is no ${file} yet: the service makes it.` }];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    if (row?.quick_check !== 'ok') {
      const finding = `The file is damaged: ${row?.quick_check}.`;
      return [
        { subject, level: 'failure', finding, remedy: 'Restore the last backup; the service does not repair it.' },
      ];
    }
    const diagnoses = await examine(new Kysely({ dialect: nodeSqliteDialect(database, (error) => error) }));
    const mode = statSync(file).mode & 0o777;
    if ((mode & othersMayRead) === 0) return diagnoses;
    // It has hashes of keys, and replies with memos.
    const finding = `Other users of this machine may read or write ${file} (mode ${mode.toString(8)}).`;
    return [...diagnoses, { subject, level: 'warning', finding, remedy: `chmod 600 ${file}` }];
  } finally {
    database.close();
  }
}

const timeouts = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000 };
const thisMachine = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]|)$/;

async function examinePostgres(databaseUrl: string, examine: ExamineContents): Promise<readonly Diagnosis[]> {
  const { postgresDialect, readPostgresUrl } = await import('../../store/postgres.ts');
  const db = new Kysely<StoreTables>({ dialect: postgresDialect(databaseUrl, timeouts, 1) });
  const diagnoses = await examineWritable(db, examine).finally(() => db.destroy());
  if (thisMachine.test(new URL(databaseUrl).hostname) || readPostgresUrl(databaseUrl).ssl !== false) return diagnoses;
  const finding = 'DATABASE_URL does not use TLS: anyone on the network between can read what is stored.';
  const remedy = 'Add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE for an authority of your own.';
  return [...diagnoses, { subject, level: 'warning', finding, remedy }];
}

async function examineWritable(db: Kysely<StoreTables>, examine: ExamineContents): Promise<readonly Diagnosis[]> {
  const { rows } = await sql<{ value: string }>`select current_setting('transaction_read_only') as value`.execute(db);
  if (rows[0]?.value !== 'on') return examine(db);
  const remedy = 'It is a replica, or set to read only: name the primary in DATABASE_URL.';
  return [{ subject, level: 'failure', finding: 'It takes no writes.', remedy }];
}

async function examineContents(
  db: Kysely<StoreTables>,
  cluster: string | undefined,
  now: Date,
): Promise<readonly Diagnosis[]> {
  const { missing, compatible, incompatible } = await readMadeSteps(db);
  if (incompatible.length > 0) {
    const finding = `A newer version has changed it: ${incompatible.join(', ')}.`;
    return [{ subject, level: 'failure', finding, remedy: 'Run that version, or restore a backup from before it.' }];
  }
  const schema =
    missing.length > 0
      ? `the service will add ${missing.join(', ')} when it starts`
      : `its schema is this version's${compatible.length > 0 ? `, and has ${compatible.join(', ')} of a newer one` : ''}`;
  const opens: Diagnosis = { subject, level: 'ok', finding: `It opens; ${schema}.` };
  if (missing.length === schemaSteps.length) return [opens];
  const owner = await ownerOf(db);
  // What a sandbox has used, a network takes over.
  if (cluster !== undefined && owner !== undefined && owner !== cluster && owner !== sandboxCluster) {
    const finding = `It belongs to the cluster ${clusterNameOf(owner)}, and this service would be on ${clusterNameOf(cluster)}.`;
    const remedy = 'Name another database in DATABASE_URL, or nodes of its cluster in SOLANA_RPC_URLS.';
    return [{ subject, level: 'failure', finding, remedy }];
  }
  if (await hasActiveKey(db, now)) return [opens];
  const remedy = `Make one: ${ownCommand('keys', 'create --name NAME')}.`;
  return [opens, { subject, level: 'warning', finding: 'It has no API key that works.', remedy }];
}
