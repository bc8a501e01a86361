import { type Cleanup, startTestService } from './service.ts';

/** The OpenAPI document of a service on its sandbox, or on a real network that does not answer. */
export async function readApiDocument(hasSandbox = true): Promise<unknown> {
  const finishers: (() => Promise<void>)[] = [];
  const cleanup: Cleanup = { after: (finish) => void finishers.push(finish) };
  const { url } = await startTestService(cleanup, hasSandbox ? {} : { SOLANA_RPC_URLS: 'http://127.0.0.1:1' });
  try {
    return await (await fetch(`${url}/openapi.json`)).json();
  } finally {
    for (const finish of finishers) await finish();
  }
}
