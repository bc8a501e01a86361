import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownCommand } from '../../app/own-command.ts';
import { inspectStore, type StoreCondition } from '../../serve/store/inspect-store.ts';
import { storeFaultOf } from '../../store/store-faults.ts';
import type { Diagnosis } from './diagnosis.ts';

const subject = 'database';
const othersMayRead = 0o077;

/** Looks at the database of `DATABASE_URL` without changing it: whether it opens, its migrations, its keys, and its file. */
export async function examineDatabase(databaseUrl: string, now: Date): Promise<readonly Diagnosis[]> {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  if (path === ':memory:') {
    const finding = 'It is in memory, and lost when the service stops.';
    return [{ subject, level: 'warning', finding, remedy: 'Set DATABASE_URL to a file or to PostgreSQL.' }];
  }
  const file = path === undefined ? undefined : resolve(path);
  if (file !== undefined && !existsSync(file)) {
    return [{ subject, level: 'ok', finding: `There is no ${file} yet: the service makes it.` }];
  }
  try {
    const condition = await inspectStore(databaseUrl, now);
    return [...ofCondition(condition), ...(file === undefined ? await ofConnection(databaseUrl) : ofFile(file))];
  } catch (error) {
    const finding = `It cannot be opened: ${storeFaultOf(error)}.`;
    return [{ subject, level: 'failure', finding, remedy: 'Look it up in docs/operate/stores.md.' }];
  }
}

const timeouts = { connectTimeoutMs: 5_000, queryTimeoutMs: 10_000 };
const thisMachine = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]|)$/;

/** What the way to PostgreSQL lacks: TLS, notifications. */
async function ofConnection(databaseUrl: string): Promise<readonly Diagnosis[]> {
  const [{ readPostgresUrl }, { hearsNotifications }] = await Promise.all([
    import('../../store/postgres-connection.ts'),
    import('../../store/postgres-notifications.ts'),
  ]);
  const diagnoses: Diagnosis[] = [];
  if (!thisMachine.test(new URL(databaseUrl).hostname) && readPostgresUrl(databaseUrl).ssl === false) {
    const finding = 'DATABASE_URL does not use TLS: anyone on the network between can read what is stored.';
    const remedy = 'Add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE for an authority of your own.';
    diagnoses.push({ subject, level: 'warning', finding, remedy });
  }
  if (!(await hearsNotifications(databaseUrl, timeouts))) {
    const finding =
      'Notifications do not arrive, as behind a pooler in transaction mode: changes to keys take up to 5 seconds.';
    const byOneSession = 'Nothing needs to be done; with a pool in session mode services learn of them at once.';
    diagnoses.push({ subject, level: 'warning', finding, remedy: byOneSession });
  }
  return diagnoses;
}

function ofCondition({
  missing,
  compatible,
  incompatible,
  hasActiveKey,
  damage,
}: StoreCondition): readonly Diagnosis[] {
  if (damage !== undefined) {
    const remedy = 'Restore the last backup; the service does not repair it.';
    return [{ subject, level: 'failure', finding: `The file is damaged: ${damage}.`, remedy }];
  }
  if (incompatible.length > 0) {
    const finding = `A newer version has changed it: ${incompatible.join(', ')}.`;
    return [{ subject, level: 'failure', finding, remedy: 'Run that version, or restore a backup from before it.' }];
  }
  const migrations: Diagnosis = { subject, level: 'ok', finding: `It opens${describeSteps(missing, compatible)}.` };
  if (hasActiveKey) return [migrations];
  const finding = 'It has no API key that works.';
  return [
    migrations,
    { subject, level: 'warning', finding, remedy: `Make one: ${ownCommand('keys', 'create --name NAME')}.` },
  ];
}

function describeSteps(missing: readonly string[], compatible: readonly string[]): string {
  if (missing.length > 0) return `; the service will add ${missing.join(', ')} when it starts`;
  if (compatible.length === 0) return ', and has every migration';
  return `; a newer version has added ${compatible.join(', ')}, which this version does without`;
}

// It has hashes of keys, and replies with memos.
function ofFile(file: string): readonly Diagnosis[] {
  const mode = statSync(file).mode & 0o777;
  if ((mode & othersMayRead) === 0) return [];
  const finding = `Other users of this machine may read or write ${file} (mode ${mode.toString(8)}).`;
  return [{ subject, level: 'warning', finding, remedy: `chmod 600 ${file}` }];
}
