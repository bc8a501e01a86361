import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { hashApiKey } from '../../../src/app/api-key.ts';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { type KeyDatabase, sqliteFile } from '../../store/databases.ts';
import { findActiveByHash } from '../../store/find-active.ts';
import { runCaptured } from '../run-captured.ts';

/** Who runs the commands. */
export const author = { user: 'root', sudoUser: 'ann', host: 'ops-1' };

/** The moment at which the clock of a command line stands at first. */
export const startTime = '2026-11-21T12:00:00.000Z';

interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

/** A command line on an own, empty database, at a clock that stands still until it is set. */
export function commandLine(test: TestContext, database: KeyDatabase = sqliteFile) {
  const databaseUrl = database.newUrl(test);
  const clock = { now: new Date(startTime) };
  /** What standard input holds; `undefined`: it is a terminal. */
  const input: { text: string | undefined } = { text: undefined };
  async function keys(...args: string[]): Promise<Outcome> {
    const url = await databaseUrl;
    const source = { isTerminal: input.text === undefined, read: async () => input.text ?? '' };
    const given = { environment: { DATABASE_URL: url }, author, input: source, now: () => clock.now };
    return runCaptured(['keys', ...args], given);
  }
  /** Whether a server on the same database would accept the key. */
  async function isAccepted(key: string): Promise<boolean> {
    const store = await openKeyStore(await databaseUrl);
    const record = await findActiveByHash(store, hashApiKey(key), clock.now);
    await store.close();
    return record !== undefined;
  }
  return { keys, isAccepted, clock, input, databaseUrl };
}

/** Reads an output that must be one line of JSON and nothing else. */
export function onlyJson(outcome: Outcome) {
  assert.equal(outcome.status, 0, outcome.stderr);
  assert.match(outcome.stdout, /^[^\n]+\n$/);
  return JSON.parse(outcome.stdout);
}
