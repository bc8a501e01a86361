import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as kit from '@solana/kit';
import papa from 'papaparse';
import {
  type BatchRequest,
  type Question,
  type RefusedTransfer,
  SplwrightClient,
  SplwrightError,
  sendOptions,
} from 'splwright-client';
import { readPayments, summarizePayments } from 'splwright-client/payments-file';
import { readWorld, service } from './sandbox.ts';

// The name and the file are all that this program must find again after a crash. Neither may change until it has ended.
const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
const [payroll = 'payroll-2026-11', file = 'examples/payroll.csv'] = positionals;
const { payments, lines } = readFile();
console.log(`${payroll}: ${summarizePayments(payments)}`);
for (const { to_address: wallet, amount_decimal: amount, memo } of payments) {
  // In quotes, so that nothing in a memo can pass for a line of its own.
  console.log(`  ${amount} to ${wallet}${memo === undefined ? '' : `, ${JSON.stringify(memo)}`}`);
}
if (values['dry-run']) process.exit();

// With KEYPAIR_FILE the payer's own key; otherwise a wallet of the sandbox.
const world = await readWorld();
const [alice] = world.wallets;
const [usdc] = world.mints;
const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const rpc = kit.createSolanaRpc(world.rpc_url);
const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
const maxTransfers = 1_000;
const maxQuestions = 100;

let landed = payments.length;
for (let start = 0; start < payments.length; start += maxTransfers) {
  const refused = await payAll(start, payments.slice(start, start + maxTransfers));
  landed -= refused.length;
  for (const { errors } of refused) {
    for (const { pointer, detail } of errors) console.error(`Not paid: ${placeOf(pointer, start)} ${detail}`);
  }
}
console.log(`${payroll}: ${landed === 1 ? '1 transfer has' : `${landed} transfers have`} landed`);
if (landed < payments.length) process.exitCode = 1;

/** Reads the file: wallets, amounts in whole tokens, memos. Ends the program where it cannot be read, naming each line and column. */
function readFile(): { payments: BatchRequest['transfers']; lines: readonly number[] } {
  const columns = { wallet: 'to_address', amount: 'amount_decimal', memo: 'memo' } as const;
  const read = readPayments(papa, readFileSync(file, 'utf8'), columns);
  if (read.faults.length === 0) return read;
  for (const { line, column, detail } of read.faults)
    console.error(`${file}: line ${line}, column ${column}: ${detail}`);
  console.error('Nothing was paid.');
  process.exit(1);
}

/** Pays once all transfers that can be paid, and returns the others. The service builds again what never landed, and only that. */
async function payAll(start: number, all: BatchRequest['transfers']): Promise<readonly RefusedTransfer[]> {
  const key = `${payroll}/${start}`;
  const batch = {
    from_address: alice.address,
    token_mint_address: usdc.address,
    transfers: all,
    // One frozen recipient holds back none of the others.
    skip_refused: true,
  };
  for (;;) {
    try {
      const built = await client.buildBatch(batch, { idempotencyKey: key });
      const { transactions, lifetime, pending_transactions: pending, refused = [] } = built;
      // The client has verified them: docs/verify.md says what that means.
      const signed = await Promise.all([
        // Those of before an interruption. Without bytes they are on their way, or cannot be sent any more.
        ...pending.flatMap((each) =>
          each.transaction ? sign({ ...each.lifetime, transaction: each.transaction }) : [],
        ),
        ...transactions.map(({ transaction }) => sign({ ...lifetime, transaction })),
      ]);
      if (transactions.length + pending.length === 0) return refused;
      const inTransactions = signed.length === 1 ? '1 transaction' : `${signed.length} transactions`;
      console.log(
        `${payroll}: transfers ${start + 1} to ${start + all.length} of ${payments.length}, in ${inTransactions}`,
      );
      const haveAllPaid = await settle(signed);
      const isWaiting = signed.length < transactions.length + pending.length;
      if (haveAllPaid && !isWaiting) return refused;
      if (isWaiting) await pause(1_000);
    } catch (error) {
      if (!(error instanceof SplwrightError)) throw error;
      const { problem, retryAfterMs = 1_000 } = error;
      if (problem.code === 'already_landed') return [];
      const isTemporary = problem.code === 'no_answer' || [409, 429].includes(problem.status) || problem.status >= 500;
      if (!isTemporary) refuse(error, start);
      // No answer, in progress, or it may still land. Under its key it is safe to ask again.
      await pause(retryAfterMs);
    }
  }
}

/** Sends transactions until the fate of each is final, and returns whether all of them have paid. */
async function settle(transactions: readonly Question[]): Promise<boolean> {
  let open = transactions;
  let hasPaid = true;
  let finalCount = 0;
  while (open.length > 0) {
    // Nodes drop transactions, so the same bytes are sent again; the chain takes them once. Only the outcome says what happened.
    await Promise.allSettled(open.map(send));
    const asked = open.slice(0, maxQuestions);
    const outcomes = await client.findOutcomes(asked);
    const decided = new Set(asked.filter((_, index) => outcomes[index]?.is_final));
    finalCount += decided.size;
    if (decided.size > 0) console.log(`  final: ${finalCount} of ${transactions.length}`);
    hasPaid &&= outcomes.every(({ is_final: isFinal, outcome }) => !isFinal || outcome === 'landed');
    const undecided = asked.filter((each) => !decided.has(each));
    open = [...open.slice(maxQuestions), ...undecided];
    if (decided.size === 0) await pause(1_000);
  }
  return hasPaid;
}

/** Signs the bytes as they are. The same bytes get the same signature, so signing a replay makes no second transaction. */
async function sign({ transaction, ...lifetime }: Question): Promise<Question> {
  const signed = await kit.signTransaction([keyPair], kit.getTransactionDecoder().decode(transaction));
  return { ...lifetime, transaction: Uint8Array.from(kit.getTransactionEncoder().encode(signed)) };
}

async function send({ transaction }: Question): Promise<void> {
  const encoded = kit.getBase64EncodedWireTransaction(kit.getTransactionDecoder().decode(transaction));
  await rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();
}

/** Ends the program for a refusal that no retry changes, naming every error of every line once. */
function refuse({ message, errors }: SplwrightError, start: number): never {
  if (errors.length === 0) console.error(`Refused: ${message}`);
  for (const { pointer, detail } of errors) console.error(`Refused: ${placeOf(pointer, start)} ${detail}`);
  process.exit(1);
}

/** The line of the file that a pointer into the request is about. */
function placeOf(pointer: string, start: number): string {
  const line = lines[start + Number(/^\/transfers\/(\d+)/.exec(pointer)?.[1])];
  return line === undefined ? pointer : `${file}: line ${line}:`;
}
