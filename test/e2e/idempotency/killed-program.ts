import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import {
  type Fate,
  type PassedAnswer,
  type PassingRequest,
  startUnreliableNetwork,
} from '../outcomes/unreliable-network.ts';

/** What becomes of a request; `killed` ends the program before it is passed on, `killed after` when its answer is there. */
export type ProgramFate = Fate | 'killed' | 'killed after';

/** How a program ended that was started until it was no longer killed. */
interface EndedProgram {
  output: string;
  /** How often it was started. */
  starts: number;
  answers: readonly PassedAnswer[];
}

/** Starts a service on a ledger whose time passes only by hand, for programs whose requests and answers can be lost. */
export async function startForProgram(t: TestContext) {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const { databaseUrl, store } = await newKeyStore(t);
  const { key } = await store.create({ name: 'shop', expiresAt: null });
  const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl };
  const service = await startTestService(t, environment);
  const targets = {
    serviceUrl: service.url,
    rpcUrl: sandbox.rpcUrl,
    worldOf: (rpcUrl: string) => ({ ...sandbox.world, api_key: key, rpc_url: rpcUrl }),
  };

  /** Runs a program of Node again and again until it is not killed. `decide` may advance the ledger. */
  const run = async (
    args: readonly string[],
    decide: (request: PassingRequest) => ProgramFate,
  ): Promise<EndedProgram> => {
    let client: ChildProcess | undefined;
    const network = await startUnreliableNetwork(t, targets, (request) => {
      const fate = decide(request);
      if (fate !== 'killed' && fate !== 'killed after') return fate;
      // From here on it does nothing more; what it has sent goes its way.
      client?.kill('SIGKILL');
      return fate === 'killed' ? 'request lost' : 'answer lost';
    });
    for (let starts = 1; ; starts++) {
      const env = { ...process.env, SPLWRIGHT_URL: network.url };
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      client = child;
      const [closed, output, errors] = [once(child, 'close'), text(child.stdout), text(child.stderr)];
      const [exitCode, signal] = await closed;
      if (signal === 'SIGKILL') continue;
      assert.equal(exitCode, 0, await errors);
      return { output: (await output).trim(), starts, answers: network.answers };
    }
  };
  return { sandbox, run };
}
