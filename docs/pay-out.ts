import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import * as kit from '@solana/kit';

interface World {
  api_key: string;
  rpc_url: string;
  wallets: [alice: { address: string; secret_key: string }];
  mints: [{ address: string }];
}

interface Transfer {
  to_address: string;
  amount_decimal: string;
  memo?: string;
}

/** The members of a reply, a refusal included, that this program reads. */
interface Reply {
  code?: string;
  detail?: string;
  errors?: { pointer: string; detail: string }[];
  landed?: object;
  data?: { transactions: { transaction: string }[]; lifetime: { last_valid_block_height: string } };
}

interface Outcomes {
  data: { is_final: boolean; outcome: string }[];
}

// The sandbox names its wallets, an API key and a Solana node; on a real network they come from your configuration.
const service = process.env.SPLWRIGHT_URL ?? 'http://127.0.0.1:3000';
const world = (await (await fetch(`${service}/sandbox/world`)).json()) as World;
const [alice] = world.wallets;
const [usdc] = world.mints;
const rpc = kit.createSolanaRpc(world.rpc_url);
const maxTransfers = 1_000;
const maxQuestions = 100;

// The name and the file are all that this program must find again after a crash. Neither may change until it has ended.
const [, , payroll = 'payroll-2026-11', file = 'docs/payroll.csv'] = process.argv;
const transfers = readTransfers(readFileSync(file, 'utf8'));
for (let start = 0; start < transfers.length; start += maxTransfers) {
  await payAll(`${payroll}/${start}`, transfers.slice(start, start + maxTransfers));
}
console.log(`${payroll}: ${transfers.length} transfers have landed`);

/** Reads lines of wallet, amount in whole tokens, and a memo that may be empty or have commas. */
function readTransfers(text: string): Transfer[] {
  const [, ...lines] = text.trim().split(/\r?\n/);
  return lines.map((line) => {
    const [to = '', amount = '', ...memo] = line.split(',');
    const transfer = { to_address: to.trim(), amount_decimal: amount.trim() };
    return memo.length > 0 && memo.join(',') !== '' ? { ...transfer, memo: memo.join(',') } : transfer;
  });
}

/** Pays all transfers once. The service builds those again that never landed, and only those, until all have. */
async function payAll(key: string, all: readonly Transfer[]): Promise<void> {
  const batch = { from_address: alice.address, token_mint_address: usdc.address, transfers: all };
  for (;;) {
    const { status, retryAfterMs, reply } = await post<Reply>('/v1/transfers/batch', batch, { 'idempotency-key': key });
    if (status === 200 && reply.data) {
      // Check the transactions here: SECURITY.md says how.
      const signed = await Promise.all(reply.data.transactions.map(({ transaction }) => sign(transaction)));
      if (await settle(signed, reply.data.lifetime.last_valid_block_height)) return;
    } else if (reply.landed) {
      return;
    } else {
      // In progress, or it may still land.
      await pause(retryAfterMs);
    }
  }
}

/** Sends transactions until the fate of each is final, and returns whether all of them have paid. */
async function settle(
  transactions: readonly kit.Base64EncodedWireTransaction[],
  lastValidBlockHeight: string,
): Promise<boolean> {
  let open = transactions;
  let hasPaid = true;
  while (open.length > 0) {
    // Nodes drop transactions, so the same bytes are sent again; the chain takes them once. Only the outcome says what happened.
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
    await Promise.allSettled(open.map((transaction) => rpc.sendTransaction(transaction, config).send()));
    const asked = open.slice(0, maxQuestions);
    const questions = asked.map((transaction) => ({ transaction, last_valid_block_height: lastValidBlockHeight }));
    const { status, retryAfterMs, reply } = await post<Outcomes>('/v1/transfers/outcome', { transactions: questions });
    const isFinal = (index: number): boolean => status === 200 && reply.data[index]?.is_final === true;
    hasPaid &&= asked.every((_, index) => !isFinal(index) || reply.data[index]?.outcome === 'landed');
    const decided = new Set(asked.filter((_, index) => isFinal(index)));
    open = [
      ...open.filter((each) => !decided.has(each) && !asked.includes(each)),
      ...asked.filter((each) => !decided.has(each)),
    ];
    if (decided.size === 0) await pause(retryAfterMs);
  }
  return hasPaid;
}

/** Posts a body until there is an answer to act on. Throws a refusal that no retry changes, with every error. */
async function post<Body>(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; retryAfterMs: number; reply: Body }> {
  for (;;) {
    const answer = await attempt(path, body, headers).catch(() => undefined);
    if (answer === undefined) {
      // The answer was lost; the request may have arrived. Under its key it is safe to send it again.
      await pause(1_000);
    } else if ([200, 409, 429].includes(answer.status) || answer.status >= 500) {
      return { ...answer, reply: answer.reply as Body };
    } else {
      const { code, detail, errors = [] } = answer.reply as Reply;
      throw new Error(
        [`refused, ${code}: ${detail}`, ...errors.map((each) => `${each.pointer} ${each.detail}`)].join('\n'),
      );
    }
  }
}

async function attempt(path: string, body: object, headers: Record<string, string>) {
  const response = await fetch(service + path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${world.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const retryAfterMs = 1_000 * Number(response.headers.get('retry-after') ?? 1);
  return { status: response.status, retryAfterMs, reply: (await response.json()) as unknown };
}

/** Signs the bytes as they are. The same bytes get the same signature, so signing a replay makes no second transaction. */
async function sign(transaction: string): Promise<kit.Base64EncodedWireTransaction> {
  const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
  const decoded = kit.getTransactionDecoder().decode(kit.getBase64Encoder().encode(transaction));
  return kit.getBase64EncodedWireTransaction(await kit.signTransaction([keyPair], decoded));
}
