import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './services.ts';

type Request = { url: string; headers: Record<string, string>; payload: string };

const retryMs = 100;
const maxRetries = 600;

/**
 * Posts a request to a service, and again while it is overloaded, for a minute: on a busy machine the event loop of the test comes late.
 *
 * Such a request is refused before anything is done for it.
 */
export async function post({ app }: Service, request: Request) {
  for (let retries = 0; ; retries += 1) {
    const response = await app.inject({ method: 'POST', ...request });
    const { code }: { code?: unknown } = response.json();
    if (code !== 'overloaded' || retries === maxRetries) return response;
    await sleep(retryMs);
  }
}
