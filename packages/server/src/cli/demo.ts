import { createPrivateKey, sign } from 'node:crypto';
import { decodeBase58, summarizeTransaction } from 'splwright-core';
import { sandboxWorldPath } from '../app/schema-parts.ts';
import { parseConfig } from '../config.ts';
import { SandboxMissingError } from '../serve/start-sandbox.ts';
import { startService } from '../serve/start-service.ts';
import { paths } from '../transfers/transfer-schema.ts';
import { describeTransaction } from '../transfers/words/describe-transaction.ts';
import { type CommandContext, configurationFault } from './command.ts';
import { hostToAsk } from './ping.ts';

interface World {
  api_key: string;
  rpc_url: string;
  wallets: readonly { name: string; address: string; secret_key: string }[];
  mints: readonly { name: string; address: string }[];
}

/**
 * Builds, reads, signs, submits and confirms one transfer of each of the three operations on the sandbox.
 *
 * Uses the service at `SPLWRIGHT_URL`, or the one that runs on `HOST` and `PORT` when it has a sandbox, and starts one otherwise. Resolves with 0 only
 * when every transfer was confirmed, and with 78 when there is no sandbox to run on.
 */
export async function runDemo(context: CommandContext): Promise<number> {
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

async function demonstrate(context: CommandContext): Promise<number> {
  const found = await findOrStartService(context);
  if (found === undefined) return 1;
  const { service, close } = found;
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

/** Returns `undefined` where `SPLWRIGHT_URL` names a service that is not there, which it then says. */
async function findOrStartService(
  context: CommandContext,
): Promise<{ service: DemoService; close: () => Promise<void> } | undefined> {
  const parsed = parseConfig({ HOST: context.environment.HOST, PORT: context.environment.PORT });
  const host = 'config' in parsed ? parsed.config.host : '127.0.0.1';
  const port = 'config' in parsed ? parsed.config.port : 0;
  const named = context.environment.SPLWRIGHT_URL?.trim();
  const url = named || `http://${hostToAsk(host)}:${port}`;
  const running = await fetch(url + sandboxWorldPath).catch(() => undefined);
  if (running?.ok) return { service: { url, world: await readWorld(url) }, close: async () => undefined };
  if (named) {
    context.stderr(`No service with a sandbox answers at ${named}. Start it, or leave SPLWRIGHT_URL out.\n`);
    return undefined;
  }

  const own = parseConfig({ PORT: '0', SANDBOX_RPC_PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' });
  if ('faults' in own) throw new Error(own.faults.join(' '));
  const started = await startService(own.config, context.version, context.stderr);
  return { service: { url: started.url, world: await readWorld(started.url) }, close: () => started.close() };
}

async function readWorld(url: string): Promise<World> {
  const response = await fetch(url + sandboxWorldPath);
  // The service is our own, of this version.
  return (await response.json()) as World;
}

async function show(
  context: CommandContext,
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

  const encoded = Buffer.from(signAlone(bytes, sender.secret_key)).toString('base64');
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const signature = await callNode<string>(world.rpc_url, 'sendTransaction', [encoded, config]);
  await confirm(world.rpc_url, signature);
  context.stdout(`  confirmed  ${signature}\n`);
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

const confirmationPollMs = 100;
const confirmationTimeoutMs = 20_000;

const signatureBytes = 64;

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

async function confirm(rpcUrl: string, signature: string): Promise<void> {
  const giveUpAt = performance.now() + confirmationTimeoutMs;
  while (performance.now() < giveUpAt) {
    const { value } = await callNode<{ value: (SignatureStatus | null)[] }>(rpcUrl, 'getSignatureStatuses', [
      [signature],
    ]);
    const status = value[0];
    if (status?.err) throw new Error(`the transaction ${signature} failed: ${JSON.stringify(status.err)}`);
    if (status && status.confirmationStatus !== 'processed') return;
    await new Promise((resolve) => setTimeout(resolve, confirmationPollMs));
  }
  throw new Error(`the transaction ${signature} was not confirmed in ${confirmationTimeoutMs / 1000} seconds`);
}

async function callNode<Result>(rpcUrl: string, method: string, params: readonly unknown[]): Promise<Result> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  // The node is the sandbox, whose replies are standard.
  const reply = (await response.json()) as { result: Result } | { error: { message: string } };
  if ('error' in reply) throw new Error(`${method}: ${reply.error.message}`);
  return reply.result;
}

interface SignatureStatus {
  err: unknown;
  confirmationStatus: 'processed' | 'confirmed' | 'finalized';
}

/**
 * Signs a transaction whose only signer is this wallet, as any wallet does: a transaction is the number of its signatures,
 * 64 bytes for each, and the message that is signed. The secret key is base58 of 64 bytes: the seed, then the public key.
 */
function signAlone(transaction: Uint8Array, secretKey: string): Uint8Array {
  if (transaction[0] !== 1) throw new Error(`the transaction asks for ${transaction[0]} signatures, not for one`);
  const decoded = decodeBase58(secretKey);
  if (!('bytes' in decoded)) throw new Error('the secret key is not base58');
  const seed = decoded.bytes.subarray(0, 32);
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const signed = Uint8Array.from(transaction);
  signed.set(sign(null, signed.subarray(1 + signatureBytes), privateKey), 1);
  return signed;
}
