import { setTimeout as pause } from 'node:timers/promises';
import * as kit from '@solana/kit';

interface World {
  api_key: string;
  rpc_url: string;
  wallets: [alice: { address: string; secret_key: string }, bob: { address: string }];
  mints: [{ address: string }];
}

/** The members of a reply, a refusal included, that this program reads. */
interface Reply {
  code?: string;
  detail?: string;
  landed?: { signature: string };
  data?: Partial<{
    transaction: string;
    lifetime: { last_valid_block_height: string };
    is_final: boolean;
    outcome: 'landed' | 'failed' | 'pending' | 'expired' | 'unknown';
    reason: string;
    signature: string;
  }>;
}

interface Answer {
  status: number;
  /** How long to wait before the next request, if there is one. */
  retryAfterMs: number;
  reply: Reply;
}

// The sandbox names its wallets, an API key and a Solana node; on a real network they come from your configuration.
const service = process.env.SPLWRIGHT_URL ?? 'http://127.0.0.1:3000';
const world = (await (await fetch(`${service}/sandbox/world`)).json()) as World;
const [alice, bob] = world.wallets;
const [usdc] = world.mints;
const rpc = kit.createSolanaRpc(world.rpc_url);

// The order is in your database before anything is asked for. It is all that this program must find again after a crash.
const order = process.argv[2] ?? 'order-1001';
const payment = {
  from_address: alice.address,
  to_address: bob.address,
  token_mint_address: usdc.address,
  amount: '1500000',
  memo: order,
};
console.log(await payOnce());

/** Returns the signature of the payment, once it is final. */
async function payOnce(): Promise<string> {
  for (;;) {
    const { status, retryAfterMs, reply } = await post('/v1/transfers', payment, { 'idempotency-key': order });
    if (status === 200 && reply.data?.transaction !== undefined) {
      // Check the transaction here: SECURITY.md says how.
      const signed = await sign(reply.data.transaction);
      const signature = await settle(signed, reply.data.lifetime?.last_valid_block_height);
      if (signature !== undefined) return signature;
    } else if (reply.landed !== undefined && (await isFinal(reply.landed.signature))) {
      return reply.landed.signature;
    } else {
      // In progress, may still land, or landed and not final yet.
      await pause(retryAfterMs);
    }
  }
}

/** Returns the signature once the transaction has paid and is final, and undefined once it never can. */
async function settle(
  transaction: kit.Base64EncodedWireTransaction,
  lastValidBlockHeight: string | undefined,
): Promise<string | undefined> {
  const question = { transaction, last_valid_block_height: lastValidBlockHeight };
  for (;;) {
    // Nodes drop transactions, so the same bytes are sent again; the chain takes them once. Only the outcome says what happened.
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
    await rpc
      .sendTransaction(transaction, config)
      .send()
      .catch(() => undefined);
    const { retryAfterMs, reply } = await post('/v1/transfers/outcome', question);
    const { is_final: isDecided, outcome, reason, signature } = reply.data ?? {};
    if (isDecided && outcome === 'failed') throw new Error(`${order} failed: ${reason}`);
    if (isDecided) return signature;
    await pause(retryAfterMs);
  }
}

/** Posts a body until there is an answer to act on. Throws a refusal that no retry changes. */
async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  for (;;) {
    const answer = await attempt(path, body, headers).catch(() => undefined);
    if (answer === undefined) {
      // The answer was lost; the request may have arrived. Under its key it is safe to send it again.
      await pause(1_000);
    } else if (answer.status === 200 || answer.status === 409 || answer.status === 429 || answer.status >= 500) {
      return answer;
    } else {
      throw new Error(`${order} was refused, ${answer.reply.code}: ${answer.reply.detail}`);
    }
  }
}

async function attempt(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(service + path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${world.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const retryAfterMs = 1_000 * Number(response.headers.get('retry-after') ?? 1);
  return { status: response.status, retryAfterMs, reply: (await response.json()) as Reply };
}

/** Signs the bytes as they are. The same bytes get the same signature, so signing a replay makes no second transaction. */
async function sign(transaction: string): Promise<kit.Base64EncodedWireTransaction> {
  const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
  const decoded = kit.getTransactionDecoder().decode(kit.getBase64Encoder().encode(transaction));
  return kit.getBase64EncodedWireTransaction(await kit.signTransaction([keyPair], decoded));
}

async function isFinal(signature: string): Promise<boolean> {
  const config = { searchTransactionHistory: true } as const;
  const statuses = await rpc
    .getSignatureStatuses([kit.signature(signature)], config)
    .send()
    .catch(() => undefined);
  return statuses?.value[0]?.confirmationStatus === 'finalized';
}
