import { Agent, request } from 'node:http';
import type { TestContext } from 'node:test';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';

/** Clients that send one request after the other on kept-alive connections, until the service takes no connection. */
export interface KeptAliveLoad {
  /** Resolves once so many requests are answered. */
  answered(count: number): Promise<void>;
  /** What came of the load, once all clients are refused: how many replies, and how each lost request was lost. */
  ended: Promise<{ answered: number; lost: readonly string[] }>;
}

/** Starts so many clients; they make connections again when they are told to close theirs. */
export function startKeptAliveLoad(t: TestContext, url: string, clients: number): KeptAliveLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  t.after(() => agent.destroy());
  const lost: string[] = [];
  let answered = 0;
  const waiting: { count: number; resolve: () => void }[] = [];

  const send = async (): Promise<void> => {
    for (;;) {
      const outcome = await post(agent, url);
      if (outcome === 'ECONNREFUSED') return;
      if (outcome === '200') answered += 1;
      else lost.push(outcome);
      for (const { count, resolve } of waiting) if (answered >= count) resolve();
      // One that is lost may be lost for ever: a few say enough.
      if (lost.length >= clients) return;
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, send)).then(() => ({ answered, lost }));
  return {
    answered: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    ended,
  };
}

/** Resolves with the status of the reply, or with the code of the error. */
function post(agent: Agent, url: string): Promise<string> {
  const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request(url + createPath, { agent, method: 'POST', headers }, (reply) => {
      reply.resume().on('end', () => resolve(String(reply.statusCode)));
      reply.on('error', (error) => resolve(`reply cut off: ${error.message}`));
    });
    sent.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    sent.end(JSON.stringify(createBody));
  });
}
