import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Diagnosis } from '../../../packages/server/src/cli/doctor/diagnosis.ts';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import { runCaptured } from '../../../packages/server/test/cli/run-captured.ts';

/** A folder of the test file's own. */
export const folder = mkdtempSync(join(tmpdir(), 'splwright-doctor-'));
after(() => rmSync(folder, { recursive: true }));

/** A database that nothing is wrong with, as it is not there yet. */
export const healthyDatabaseUrl = `sqlite:${join(folder, 'none.db')}`;

/** Runs the command on these variables, with the time of the machine unless another is given. */
export async function examine(environment: Environment, now = () => Date.now()) {
  const { status, stdout, stderr } = await runCaptured(['doctor', '--json'], {
    environment: { DATABASE_URL: healthyDatabaseUrl, ...environment },
    now: () => new Date(now()),
  });
  const { diagnoses }: { diagnoses: readonly Diagnosis[] } = JSON.parse(stdout || '{"diagnoses":[]}');
  const complaints = diagnoses.filter(({ level }) => level !== 'ok');
  return { status, diagnoses, complaints, text: stdout + stderr };
}

/** What is not as it should be, a line for each. */
export const said = ({ complaints }: { complaints: readonly Diagnosis[] }): string[] =>
  complaints.map(({ subject, level, finding }) => `${level} ${subject} ${finding}`);
