import type { TestContext } from 'node:test';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { type Behaviour, type FakeUpstream, startFakeUpstream } from './fake-upstream.ts';
import { startTestSandbox } from './sandbox.ts';

/** A sandbox whose slots pass only by hand, and a node before it that answers for it. */
export interface ProxiedSandbox {
  sandbox: Sandbox;
  /** What the service is pointed to; its behaviour may be changed for some calls, and `forward` serves the rest. */
  upstream: FakeUpstream;
  /** Passes a call on to the sandbox, and its answer back, to the byte. */
  forward: Behaviour;
}

/** Starts a sandbox and a node before it, and ends both with the test. */
export async function startProxiedSandbox(t: TestContext): Promise<ProxiedSandbox> {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const forward: Behaviour = async (call, response) => {
    const answer = await fetch(sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    response.writeHead(answer.status).end(await answer.text());
  };
  const upstream = await startFakeUpstream(t, forward);
  return { sandbox, upstream, forward };
}
