import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** What came of a load: how many requests got the reply that they should, and of each other one what it got. */
export interface LoadResult {
  answered: number;
  lost: readonly string[];
}

/** Requests that go on until they are stopped. */
export interface SteadyLoad {
  /** How many were answered so far. */
  answered(): number;
  /** Ends it once every request that was sent has come to its end. */
  stop(): Promise<LoadResult>;
}

/** How the requests are sent. */
export interface LoadOptions {
  url: string;
  apiKey: string;
  body: object;
  clients: number;
}

const pauseMs = 10;

/**
 * Starts clients that each send one request after the other, on kept-alive connections, and never one again.
 *
 * A reply that is not a built transfer counts as lost, and so does a request without a reply.
 */
export function startSteadyLoad({ url, apiKey, body, clients }: LoadOptions): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const lost: string[] = [];
  let answered = 0;
  let isStopped = false;

  const post = (): Promise<string> =>
    new Promise((resolve) => {
      const sent = request(url, { agent, method: 'POST', headers }, (reply) => {
        let received = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        reply.on('end', () => resolve(`${reply.statusCode} ${received}`));
        reply.on('error', (error) => resolve(`reply cut off: ${error.message}`));
      });
      sent.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
      sent.end(text);
    });
  const work = async (): Promise<void> => {
    while (!isStopped) {
      const outcome = await post();
      if (/^200 .*"transaction":"/.test(outcome)) answered += 1;
      else lost.push(outcome.slice(0, 200));
      await setTimeout(pauseMs);
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, work));
  return {
    answered: () => answered,
    async stop() {
      isStopped = true;
      await ended;
      agent.destroy();
      return { answered, lost };
    },
  };
}
