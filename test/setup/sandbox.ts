import { type Sandbox, type SandboxOptions, startSandbox } from '../../packages/sandbox/src/index.ts';
import type { Cleanup } from './service.ts';

/** Starts a sandbox on a free port, and ends it with the test. With `slotMs: 0` its slots pass only when the test says so. */
export async function startTestSandbox(
  t: Cleanup,
  options: Pick<SandboxOptions, 'slotMs' | 'slotsToFinalize'> = {},
): Promise<Sandbox> {
  const sandbox = await startSandbox({ rpcPort: 0, ...options });
  t.after(() => sandbox.close());
  return sandbox;
}

/** The environment of a service whose embedded sandbox is final 32 slots later, as clusters before Alpenglow are. */
export const towerEnvironment = { SANDBOX_STRICT_PREFLIGHT: 'true' };
