import { summarizeTransaction } from 'splwright-core';
import { parseConfig } from '../../config/config.ts';
import type { Environment } from '../../config/variables.ts';
import { configurationFault } from '../../serve/serve.ts';
import { SandboxMissingError } from '../../serve/start-sandbox.ts';
import { startService } from '../../serve/start-service.ts';
import { paths, routes } from '../../wire/routes/route-table.ts';
import { describeTransaction } from '../inspect/describe-transaction.ts';
import { DemoLedger } from './demo-ledger.ts';

/** The input and output of the command. */
export interface DemoContext {
  environment: Environment;
  version: string;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

interface World {
  api_key: string;
  rpc_url: string;
  wallets: readonly { name: string; address: string; secret_key: string }[];
  mints: readonly { name: string; address: string }[];
}

/**
 * Builds, reads, signs, submits and confirms one transfer of each of the three operations on the sandbox.
 *
 * Uses the service that runs on `HOST` and `PORT` when it has a sandbox, and starts one otherwise. Resolves with 0 only
 * when every transfer was confirmed, and with 78 when there is no sandbox to run on.
 */
export async function runDemo(context: DemoContext): Promise<number> {
  try {
    return await demonstrate(context);
  } catch (error) {
    if (!(error instanceof SandboxMissingError)) throw error;
    context.stderr(
      'The demo runs on the sandbox, which is not installed: install the package splwright-sandbox, ' +
        'as npm ci does without --omit=optional.\n',
    );
    return configurationFault;
  }
}

async function demonstrate(context: DemoContext): Promise<number> {
  const { service, close } = await findOrStartService(context);
  try {
    context.stdout(`using the service on ${service.url}\n`);
    await show(context, service, 'a transfer with a memo', paths.memoTransfer, 'bob', 'USDC', { memo: 'invoice 1001' });
    await show(context, service, 'a transfer with an identifier', paths.memoTransfer, 'bob', 'PYUSD', {
      yid: 'yid-1001',
    });
    await show(context, service, 'a transfer to a new token account', paths.createTransfer, 'carol', 'USDC', {});
    context.stdout(`\nAll three were confirmed.\n`);
    return 0;
  } catch (error) {
    context.stderr(`the demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await close();
  }
}

interface DemoService {
  url: string;
  world: World;
}

async function findOrStartService(context: DemoContext): Promise<{ service: DemoService; close: () => Promise<void> }> {
  const parsed = parseConfig({ HOST: context.environment.HOST, PORT: context.environment.PORT });
  const host = 'config' in parsed ? parsed.config.host : '127.0.0.1';
  const port = 'config' in parsed ? parsed.config.port : 0;
  const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  const running = await fetch(url + routes.showSandboxWorld.path).catch(() => undefined);
  if (running?.ok) return { service: { url, world: await readWorld(url) }, close: async () => undefined };

  const own = parseConfig({ PORT: '0', SANDBOX_RPC_PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' });
  if ('faults' in own) throw new Error(own.faults.join(' '));
  const started = await startService(own.config, context.version, context.stderr);
  return { service: { url: started.url, world: await readWorld(started.url) }, close: () => started.close() };
}

async function readWorld(url: string): Promise<World> {
  const response = await fetch(url + routes.showSandboxWorld.path);
  // The service is our own, of this version.
  return (await response.json()) as World;
}

async function show(
  context: DemoContext,
  { url, world }: DemoService,
  title: string,
  path: string,
  recipientName: string,
  mintName: string,
  more: Record<string, string>,
): Promise<void> {
  const sender = pick(world.wallets, 'alice');
  const recipient = pick(world.wallets, recipientName);
  const mint = pick(world.mints, mintName);
  const body = {
    from_address: sender.address,
    to_address: recipient.address,
    token_mint_address: mint.address,
    amount: '1500000',
    ...more,
  };
  context.stdout(
    `\n== ${title}: alice pays ${recipientName} 1.5 ${mintName} ==\nPOST ${path} ${JSON.stringify(body)}\n`,
  );
  const bytes = await build(url + path, world.api_key, body);
  const names = new Map([...world.wallets, ...world.mints].map((entry) => [entry.address, entry.name]));
  for (const line of describeTransaction(summarizeTransaction(bytes), names)) context.stdout(`  ${line}\n`);

  const ledger = new DemoLedger(world.rpc_url);
  const balances = async (): Promise<string> =>
    `alice ${await ledger.tokenBalance(sender.address, mint.address)}, ` +
    `${recipientName} ${await ledger.tokenBalance(recipient.address, mint.address)}`;
  const before = await balances();
  const signature = await ledger.signAndSubmit(bytes, sender.secret_key);
  context.stdout(`  confirmed  ${signature}\n  before     ${before}\n  after      ${await balances()}\n`);
}

async function build(url: string, apiKey: string, body: object): Promise<Uint8Array> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const reply = (await response.json()) as { data?: number[] | { transaction: number[] }; detail?: string };
  if (response.status !== 200 || reply.data === undefined) {
    throw new Error(`the service refused: ${reply.detail ?? response.status}`);
  }
  return Uint8Array.from(Array.isArray(reply.data) ? reply.data : reply.data.transaction);
}

function pick<T extends { name: string }>(entries: readonly T[], name: string): T {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw new Error(`the sandbox's world has no ${name}`);
  return found;
}
