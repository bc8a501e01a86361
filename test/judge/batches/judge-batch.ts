import { summarizeBatch } from '../../../packages/core/src/batch/batch-summary.ts';
import type { DecidedBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import type { Finding } from '../../../packages/core/src/findings/finding.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { ProblemCode } from '../../../packages/server/src/problems.ts';
import { MintHints } from '../../../packages/server/src/transfers/decide-from-chain.ts';
import { feeOf } from '../budget.ts';
import { type Court, openCourt, passTime } from '../court.ts';
import { inOneLine, type Subject } from '../judge.ts';
import { judgeWarnings } from '../judge-answer.ts';
import { Random } from '../random.ts';
import { creationRentOf } from '../token-account.ts';
import { readTransaction } from '../transaction.ts';
import { at, type BatchStage, firstOfEach, stageBatch, writeBatch } from './batch-stage.ts';
import { type BatchWorld, batchLamports, describeBatch } from './batch-world.ts';
import { type BatchVerdict, decideOn } from './decide-batch.ts';
import { drawBatch } from './draw-batch.ts';
import { expectedFindings } from './expected-findings.ts';
import { fieldText, isHooked, isOfTooMuchComputation, isTooLarge, judgeBatchRefusal } from './judge-batch-refusal.ts';
import { judgePacking } from './judge-packing.ts';
import { bytesOf, landBatch, type PaidBatch, sendFor, shuffled } from './land-batch.ts';

// "Within one transaction of the bound" is said of batches up to this size.
const smallSize = 60;

/** Worlds of batches: each is decided on by the service, and its transactions are executed by the programs in a random order. */
export const batches: Subject<Court> = {
  name: 'batches',
  open: openCourt,
  worldsAtAPlace: 100,
  async judge(court, seed, number) {
    const batch = drawBatch(seed, number);
    const { codes, packing, disagreements } = await judgeBatch(court, batch);
    const { length } = batch.transfers;
    const size = length <= smallSize ? `of up to ${smallSize} transfers` : 'of more';
    const bound = packing && `batches ${size} with ${packing.aboveBound} transactions more than the lower bound`;
    return {
      lines: [describeBatch(batch), `  decision: ${packing ? `${packing.count} transactions` : codes.join(', ')}`],
      codes,
      disagreements,
      happened: bound
        ? [
            [bound, 1],
            ...(new Set(batch.transfers.map(({ token }) => token)).size > 1 ? [['of several tokens', 1] as const] : []),
            ['transfers', length],
            ['transactions', packing.count],
          ]
        : [],
    };
  },
};

/** What the service decided on a batch, and where the ledger disagrees. */
interface JudgedBatch {
  /** The codes of a refusal; none for an answer. */
  codes: readonly ProblemCode[];
  /** How many transactions, and how many more than the lower bound; undefined for a refusal. */
  packing: { count: number; aboveBound: number } | undefined;
  disagreements: readonly string[];
}

// Orders of a refused batch, each with another transaction last, of which one must fail.
const maxOrders = 8;
const maxReads = 3;

/** Judges one batch: lets the service decide, and the ledger run what it answers, or what it refuses. */
async function judgeBatch(court: Court, batch: BatchWorld): Promise<JudgedBatch> {
  const { ledger } = court;
  const stage = await stageBatch(batch);
  passTime(court, 1);
  await writeBatch(ledger, stage, batchLamports.plenty());
  const hints = new MintHints();
  const verdict = await decideOn(ledger, stage, hints);
  const again = await decideOn(ledger, stage, hints);
  const faults = judgeReads(stage, verdict, again);
  if ('findings' in verdict) {
    const { findings } = verdict;
    faults.push(...(await judgeBatchRefusal(court, stage, findings)), ...(await judgePoor(court, stage, findings)));
    return { codes: findings.map(({ code }) => code), packing: undefined, disagreements: faults };
  }
  const { decided } = verdict;
  const packing = { count: decided.transactions.length, aboveBound: decided.transactions.length - decided.lowerBound };
  faults.push(...(await judgeUnrefused(court, stage)), ...(await judgePacking(ledger, stage, decided)));
  faults.push(...judgeSummary(court, stage, decided));
  const { codes, faults: further } = await judgeLamports(court, stage, decided);
  return { codes, packing: codes.length === 0 ? packing : undefined, disagreements: [...faults, ...further] };
}

// One round trip for all accounts, but for those that only a transfer hook's accounts name; no more for a mint that is known.
function judgeReads(stage: BatchStage, first: BatchVerdict, again: BatchVerdict): string[] {
  const faults: string[] = [];
  const mostReads = isHooked(stage) ? maxReads : 1;
  if (first.reads > maxReads) faults.push(`accounts and prices were read ${first.reads} times`);
  if (first.accountReads > mostReads)
    faults.push(`accounts were read ${first.accountReads} times, and not ${mostReads}`);
  if (again.accountReads > first.accountReads) faults.push('accounts of a known mint were read more often');
  return faults;
}

// What had to be refused, and was not.
async function judgeUnrefused({ ledger }: Court, stage: BatchStage): Promise<string[]> {
  const { ofRequest, ofChain } = expectedFindings(stage);
  const faults = [...ofRequest, ...ofChain].map(({ codes, field }) => `answered in spite of ${codes[0]} of ${field}`);
  for (const [index, { memo }] of stage.batch.transfers.entries()) {
    const isLong = memo !== undefined && memo.length > 400;
    if (isLong && (await isTooLarge(ledger, stage, index))) faults.push(`answered, and transfer ${index} is too large`);
  }
  return faults;
}

// Without a lamport there is one reason more.
async function judgePoor(court: Court, stage: BatchStage, findings: readonly Finding[]): Promise<string[]> {
  await writeBatch(court.ledger, stage, 0n);
  const poor = await decideOn(court.ledger, stage);
  if ('decided' in poor) return ['refused, and answered without a lamport'];
  // Of the request itself, or of what no transaction holds, the cost is not known.
  const unknown = new Set(findings.filter(isOfNoTransaction).map(({ field }) => tokenOf(stage, field)));
  const isKnown = poor.reads > 0 && unknown.size < new Set(stage.situations).size;
  const wanted = findings.map(({ code, field }) => `${code} ${fieldText(field)}`);
  const found = poor.findings
    .filter(({ code }) => code !== 'insufficient_sol')
    .map(({ code, field }) => `${code} ${fieldText(field)}`);
  const faults =
    wanted.join() === found.join() ? [] : [`without a lamport it is refused for ${found}, otherwise for ${wanted}`];
  const isNamed = poor.findings.length > found.length;
  return isNamed === isKnown
    ? faults
    : [...faults, `insufficient_sol is ${isNamed ? '' : 'not '}named without a lamport`];
}

function isOfNoTransaction(finding: Finding): boolean {
  const { code } = finding;
  return code === 'transaction_too_large' || code === 'transaction_too_costly' || isOfTooMuchComputation(finding);
}

function tokenOf({ situations }: BatchStage, field: Finding['field']) {
  return typeof field === 'object' && 'transfer' in field ? situations[field.transfer] : undefined;
}

// The totals, from how the batch was drawn.
function judgeSummary({ ledger }: Court, stage: BatchStage, decided: DecidedBatch): string[] {
  const bytes = decided.transactions.map((_, index) => bytesOf(ledger, decided, index));
  const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash();
  const summary = summarizeBatch({ ...decided, bytes, lifetime: { blockhash, lastValidBlockHeight } });
  const rents = rentsOf(ledger, stage);
  const tokens = [...new Set(stage.situations)].map((own) => {
    const planned = decided.transactions.filter(({ transfers }) => at(stage.situations, transfers[0] ?? 0) === own);
    const fees = planned.flatMap(({ plan }) => plan.payments.map((each) => each.transferFee));
    const { payments, mint, tokenProgram, senderTokenAccount } = own;
    const [amount, transferFee] = [sum(payments.map(({ payee }) => payee.amount)), sum(fees)];
    return { payments, mint, tokenProgram, senderTokenAccount, amount, transferFee };
  });
  const count = decided.transactions.length;
  const expected = {
    transactionCount: count,
    transferCount: stage.batch.transfers.length,
    fewestTransactions: decided.lowerBound,
    signers: Object.keys(readTransaction(at(bytes, 0)).signatures).join(),
    tokens: inOneLine(
      tokens.map(({ payments: _, ...each }) => ({ ...each, receivedAmount: each.amount - each.transferFee })),
    ),
    networkFee: BigInt(count) * feeOf(stage.situation, { priorityFee: 0n }),
    priorityFee: sum(decided.transactions.map(({ plan }) => plan.priorityFee)),
    rent: sum(rents),
    createdTokenAccounts: rents.length,
  };
  const found: Record<string, unknown> = {
    ...summary,
    signers: summary.signers.join(),
    tokens: inOneLine(
      summary.tokens.map(({ mint, tokenProgram, senderTokenAccount, amount, transferFee, receivedAmount }) => {
        return { mint, tokenProgram, senderTokenAccount, amount, transferFee, receivedAmount };
      }),
    ),
  };
  return [
    ...Object.entries(expected).flatMap(([name, value]) =>
      found[name] === value ? [] : [`the summary's ${name} should be ${value} and is ${found[name]}`],
    ),
    ...judgeWarnings(ledger, summary.warnings, tokens),
  ];
}

// The batch again, with the lamports that were drawn.
async function judgeLamports(
  court: Court,
  stage: BatchStage,
  rich: DecidedBatch,
): Promise<{ codes: readonly ProblemCode[]; faults: string[] }> {
  const { ledger } = court;
  const { batch } = stage;
  const random = new Random(`splwright judge seed ${batch.seed} batch ${batch.number} order`);
  const cost = costOf(ledger, stage, rich);
  const minimum = ledger.minimumBalanceForRentExemption(0n);
  const lamports = batchLamports[batch.lamports]({ cost, minimum });
  const faults: string[] = [];
  // Where the margin is small, several orders.
  const rounds = batch.lamports === 'plenty' ? 1 : 2;
  for (let round = 0; round < rounds; round += 1) {
    passTime(court, 1);
    await writeBatch(ledger, stage, lamports);
    const verdict = await decideOn(ledger, stage);
    if ('findings' in verdict) {
      const codes = verdict.findings.map(({ code }) => code);
      if (codes.join() !== 'insufficient_sol') faults.push(`with fewer lamports it is refused for ${codes}`);
      // Less than the minimum from the start: this ledger lets it pay until it is empty, as validators long did.
      const isExcused = lamports < minimum || (await failsWithLast(court, stage, rich, lamports, random));
      if (!isExcused) faults.push(`refused for its ${lamports} lamports, and it lands in every order that was tried`);
      return { codes, faults };
    }
    faults.push(...landBatch(ledger, stage, verdict.decided, random));
  }
  return { codes: [], faults };
}

/** What all transactions of a batch cost: fees, and the rent that is missing of each token account that is created, once. */
export function costOf(ledger: Ledger, stage: BatchStage, { transactions }: PaidBatch): bigint {
  const fees = transactions.map(({ plan }) => feeOf(stage.situation, plan));
  return sum([...fees, ...rentsOf(ledger, stage)]);
}

// The rent that is missing of each token account that is created.
function rentsOf(ledger: Ledger, stage: BatchStage): readonly bigint[] {
  return firstOfEach(stage).flatMap(({ payment: { payee, tokenAccount }, own }) => {
    const found = ledger.getAccount(tokenAccount);
    if (!payee.creates || found?.programAddress === own.tokenProgram) return [];
    const missing = creationRentOf(ledger, own.world.mint, own.tokenProgram) - (found?.lamports ?? 0n);
    return [missing > 0n ? missing : 0n];
  });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n);
}

async function failsWithLast(
  court: Court,
  stage: BatchStage,
  batch: DecidedBatch,
  lamports: bigint,
  random: Random,
): Promise<boolean> {
  const { ledger } = court;
  const feeAndRent = ({ plan }: DecidedBatch['transactions'][number]): bigint =>
    plan.payments.reduce((sum, each) => sum + each.rent, plan.priorityFee);
  const costs = batch.transactions.map(feeAndRent);
  const lasts = costs.map((_, index) => index).sort((a, b) => Number((costs[a] ?? 0n) - (costs[b] ?? 0n)));
  for (const last of [...lasts.slice(0, maxOrders), ...lasts.slice(-2)]) {
    passTime(court, 1);
    await writeBatch(ledger, stage, lamports);
    const order = [...shuffled(random, costs.length).filter((index) => index !== last), last];
    const isLanded = order.every(
      (index) => sendFor(ledger, stage, readTransaction(bytesOf(ledger, batch, index))).kind === 'landed',
    );
    if (!isLanded) return true;
  }
  return false;
}
