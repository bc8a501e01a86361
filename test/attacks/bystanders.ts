import { setTimeout as sleep } from 'node:timers/promises';
import { paths } from '../../packages/server/src/transfers/transfer-schema.ts';
import { alice, bob, linkBody, linksPath, memoBody, usdc } from '../../packages/server/test/app/sample-bodies.ts';
import { signWith } from '../setup/wallets.ts';
import type { Deployment } from './deployments.ts';

/** What the clients of other keys saw in some seconds. Times are in milliseconds. */
export interface Seen {
  singles: number;
  singleP50: number;
  singleP99: number;
  /** What came instead of 200, by status or error. */
  refused: Readonly<Record<string, number>>;
  /** The slowest batch of 300. */
  batch: number;
  /** From the landing of a payment to a reply that says `paid`; infinite when none did within 20 seconds. */
  paid: number;
  liveness: number;
  residentMegabytes: number;
}

/** Asks for single transfers, batches of 300, `/livez` and a link that is paid, for so many milliseconds. */
export async function watch(
  { urls, node, residentMegabytes }: Deployment,
  key: string,
  durationMs: number,
): Promise<Seen> {
  const until = performance.now() + durationMs;
  const times = { single: [] as number[], batch: [] as number[], liveness: [] as number[] };
  const refused: Record<string, number> = {};
  let resident = 0;
  const send = async (kind: keyof typeof times, url: string, body?: object): Promise<void> => {
    const startedAt = performance.now();
    try {
      const response = await request(url, key, body);
      await response.arrayBuffer();
      if (response.status !== 200)
        refused[`${kind} ${response.status}`] = (refused[`${kind} ${response.status}`] ?? 0) + 1;
    } catch (error) {
      refused[`${kind} ${String(error)}`] = (refused[`${kind} ${String(error)}`] ?? 0) + 1;
    }
    times[kind].push(performance.now() - startedAt);
  };
  /** Sends at a fixed rate, whether or not replies have come. */
  const every = async (pauseMs: number, act: (url: string, count: number) => Promise<void>): Promise<void> => {
    const under: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let count = 0; performance.now() < until; count += 1) {
      under.push(act(urls[count % urls.length] ?? '', count));
      await sleep(Math.max(0, startedAt + (count + 1) * pauseMs - performance.now()));
    }
    await Promise.all(under);
  };
  const [, , , , paid] = await Promise.all([
    every(50, (url, count) => send('single', url + paths.memoTransfer, { ...memoBody, memo: `bystander ${count}` })),
    every(1_000, (url, count) => send('batch', url + paths.batch, batchOf300(count))),
    every(100, (url) => send('liveness', `${url}/livez`)),
    every(100, async () => {
      resident = Math.max(resident, residentMegabytes());
    }),
    payLink(urls, key, node),
  ]);
  return {
    singles: times.single.length,
    singleP50: quantile(times.single, 0.5),
    singleP99: quantile(times.single, 0.99),
    refused,
    batch: Math.max(...times.batch),
    paid,
    liveness: Math.max(...times.liveness),
    residentMegabytes: resident,
  };
}

function request(url: string, key: string, body?: object): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'x-forwarded-for': '198.51.100.7',
  };
  return fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) });
}

const batchOf300 = (round: number) => ({
  from_address: alice,
  token_mint_address: usdc,
  transfers: Array.from({ length: 300 }, (_, index) => ({
    to_address: bob,
    amount: String(index + 1 + round * 1_000),
  })),
});

/** Makes a link, pays it as a wallet does, and reads it until it is paid; how long that took after the payment had landed. */
async function payLink(urls: readonly string[], key: string, node: Deployment['node']): Promise<number> {
  const url = urls[0] ?? '';
  const made: { data: { id: string } } = JSON.parse(await (await request(url + linksPath, key, linkBody)).text());
  const { id } = made.data;
  const asked = await request(`${url}/pay/${id}`, key, { account: alice });
  const reply: { transaction?: string } = JSON.parse(await asked.text());
  if (reply.transaction === undefined) return Number.POSITIVE_INFINITY;
  const signed = await signWith(Buffer.from(reply.transaction, 'base64'), [node.secretKey]);
  const params = [Buffer.from(signed).toString('base64'), { encoding: 'base64' }];
  const sent = await request(node.rpcUrl, key, { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
  const { error } = JSON.parse(await sent.text());
  if (error !== undefined) throw new Error(JSON.stringify(error));
  const landedAt = performance.now();
  while (performance.now() - landedAt < 20_000) {
    const shown = await request(`${urls.at(-1)}/pay/${id}/state`, key);
    if (/"state":"paid"/.test(await shown.text())) return performance.now() - landedAt;
    await sleep(200);
  }
  return Number.POSITIVE_INFINITY;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
