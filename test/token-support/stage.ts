import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { openKeyStore } from '../../packages/server/src/serve/store/open-key-store.ts';
import { installClassicMemoProgram } from '../setup/classic-memo-ledger.ts';
import { type Cleanup, startTestService } from '../setup/service.ts';
import type { TokenMintKind } from '../setup/token-mint-kinds.ts';
import type { Operation } from './situation.ts';

/** A service and the chain that it reads: its transactions run there. */
export interface Stage {
  sandbox: Sandbox;
  /** Posts a JSON body to the service with a valid key. */
  post(path: string, body: unknown): Promise<Response>;
}

/** Programs that a transfer can meet, and which transfers meet those that differ from the first set's. */
export interface ProgramSet {
  start(cleanup: Cleanup): Promise<Stage>;
  takesPart(kind: TokenMintKind, operation: Operation): boolean;
}

/** The sets of programs, all of which must treat a transfer alike. */
export const programSets = {
  'p-token and the newer Memo program': { start: startPlainStage, takesPart: () => true },
  'the classic Memo program': {
    async start(cleanup) {
      const stage = await startPlainStage(cleanup);
      installClassicMemoProgram(stage.sandbox.ledger);
      return stage;
    },
    takesPart: (_kind, operation) => operation !== 'create',
  },
  'the classic SPL Token program': {
    start: startClassicTokenStage,
    takesPart: ({ tokenProgram }) => tokenProgram === TOKEN_PROGRAM_ADDRESS,
  },
} as const satisfies Record<string, ProgramSet>;

async function startPlainStage(cleanup: Cleanup): Promise<Stage> {
  const { sandbox, post } = await startTestService(cleanup);
  return { sandbox, post };
}

/** The service's own sandbox has p-token, so this one is an upstream, as any Solana node would be. */
async function startClassicTokenStage(cleanup: Cleanup): Promise<Stage> {
  const sandbox = await startSandbox({ classicTokenProgram: true, rpcPort: 0 });
  cleanup.after(() => sandbox.close());
  const folder = mkdtempSync(join(tmpdir(), 'splwright-token-support-'));
  cleanup.after(async () => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = `sqlite:${folder}/keys.db`;
  const store = await openKeyStore(databaseUrl);
  const { key } = await store.create({ name: 'token support', expiresAt: null });
  await store.close();
  const service = await startTestService(cleanup, { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl });
  return { sandbox, post: (path, body) => service.post(path, body, { authorization: `Bearer ${key}` }) };
}
