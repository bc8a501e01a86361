import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import type { Cleanup } from './service.ts';

/** Starts a sandbox on a free port, and ends it with the test. With `slotMs: 0` its slots pass only when the test says so. */
export async function startTestSandbox(t: Cleanup, options: { slotMs?: number } = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ rpcPort: 0, ...options });
  t.after(() => sandbox.close());
  return sandbox;
}
