import type { Finding, FindingField } from '../../../packages/core/src/findings/finding.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { ProblemCode } from '../../../packages/server/src/problems.ts';
import { callsHook } from '../asked.ts';
import type { Budget } from '../budget.ts';
import { type Court, passTime } from '../court.ts';
import { safetyRefusals } from '../judge-refusal.ts';
import type { Outcome } from '../outcome.ts';
import { sizeCodes } from '../reason-fits.ts';
import { maxSize, sizeOf } from '../transaction.ts';
import { at, type BatchStage, writeBatch } from './batch-stage.ts';
import { batchLamports, type TransferOfBatch } from './batch-world.ts';
import { type ExpectedFinding, expectedFindings } from './expected-findings.ts';
import { compileBatchTransaction } from './judge-packing.ts';
import { sendFor } from './land-batch.ts';

const maxProofs = 4;
const memoCodes: readonly ProblemCode[] = [...sizeCodes, 'memo_too_costly', 'transaction_too_costly'];

/** A finding's field in a word: of a transfer its index and the part. */
export function fieldText(field: FindingField): string {
  if (typeof field === 'string') return field;
  return 'transfer' in field ? `${field.transfer}.${field.part}` : JSON.stringify(field);
}

/** Says where a refusal is not what the batch was drawn for, or what the ledger would not refuse. */
export async function judgeBatchRefusal(
  court: Court,
  stage: BatchStage,
  findings: readonly Finding[],
): Promise<string[]> {
  const expectation = expectedFindings(stage);
  const isOfRequest = findings.some(
    ({ code }) => code === 'same_wallet' || code === 'memo_too_long' || code === 'memo_too_costly',
  );
  const expected = isOfRequest ? expectation.ofRequest : [...expectation.ofRequest, ...expectation.ofChain];
  const unnamed = expected.filter((each) => !findings.some((finding) => fits(finding, each)));
  const faults = unnamed.map(({ codes, field }) => `${codes.join(' or ')} of ${field} is not named`);
  const unexpected = findings.filter((finding) => !expected.some((each) => fits(finding, each)));
  for (const finding of unexpected) {
    const isExcused = await isJustified(court, stage, finding);
    if (!isExcused) faults.push(`refused for ${finding.code} of ${fieldText(finding.field)} without a reason`);
  }
  const named = findings.filter((finding) => expected.some((each) => fits(finding, each)) && !isSafety(finding));
  for (const finding of named.slice(0, maxProofs)) faults.push(...(await prove(court, stage, finding)));
  return faults;
}

function fits({ code, field }: Finding, expected: ExpectedFinding): boolean {
  return expected.codes.includes(code) && fieldText(field) === expected.field;
}

function isSafety({ code }: Finding): boolean {
  return safetyRefusals.has(code) || code === 'amount_not_representable';
}

// What does not follow from how the batch was drawn: sizes, costs and orders.
async function isJustified(court: Court, stage: BatchStage, finding: Finding): Promise<boolean> {
  const { code, field } = finding;
  const { batch } = stage;
  if (code === 'insufficient_token_balance') {
    const isDelegating = stage.situations.some(({ world }) => world.senderTokenAccount.startsWith('delegate_is_owner'));
    return isDelegating && (await failsInSomeOrder(court, stage));
  }
  const all = batch.transfers.map((_, index) => index);
  if (code === 'nonce_for_several_transactions') {
    if (new Set(stage.situations).size > 1) return true;
    // How many instructions a hook runs, and what some memos cost, is an upper bound.
    if (batch.transfers.some(isDear) || isHooked(stage)) return true;
    // With the limit and the price that wallets insert.
    const budget = { computeUnitLimit: 1_400_000, computeUnitPrice: 1n, priorityFee: 2n };
    return (await sendAlone(court, stage, all, budget)).kind !== 'landed';
  }
  if (code === 'priority_fee_too_high')
    return batch.priorityFee?.kind === 'price' && batch.priorityFee.price >= 400_000n;
  if (code === 'transfer_hook_unresolvable' && typeof field === 'object' && 'transfer' in field) {
    const transfer = batch.transfers[field.transfer];
    if (isOfTooMuchComputation(finding)) return isDear(transfer) || isNearlyTooDear(transfer);
    return (await sendAlone(court, stage, [field.transfer])).kind === 'hook_unresolvable';
  }
  if (code === 'transfer_hook_names_signer' && typeof field === 'object' && 'transfer' in field) {
    // Of the hooks drawn for batches none asks for a signer: it stands among the references.
    const { sender, feePayer } = stage.situation;
    return stage.references[field.transfer]?.some((each) => each === sender || each === feePayer) ?? false;
  }
  if (memoCodes.includes(code) && typeof field === 'object' && 'transfer' in field) {
    const { transfer } = field;
    if (isDear(batch.transfers[transfer])) return true;
    // With the compute limit that tells it from its twin.
    return isTooLarge(court.ledger, stage, transfer, hasTwinBefore(stage, transfer));
  }
  return false;
}

/** Whether a refusal is for what a transfer with a hook would compute. */
export function isOfTooMuchComputation(finding: Finding): boolean {
  return finding.code === 'transfer_hook_unresolvable' && finding.context.fault.kind === 'too_much_computation';
}

/** Whether a mint calls a program on each transfer. */
export function isHooked({ situations }: BatchStage): boolean {
  return [...new Set(situations)].some(({ world }) => callsHook(world));
}

// What such a memo costs is an upper bound, of any Memo program.
function isDear(transfer: TransferOfBatch | undefined): boolean {
  return /[^\n -~]/u.test(transfer?.memo ?? '');
}

// By a classic Memo program it takes nearly all that a transaction may spend, and what the accounts of a hook take is an upper bound.
function isNearlyTooDear(transfer: TransferOfBatch | undefined): boolean {
  return (transfer?.memo?.length ?? 0) > 3_000;
}

/** Says whether a transfer does not fit into a transaction of its own, by the libraries. `hasLimit`: with a compute limit. */
export async function isTooLarge(
  ledger: Ledger,
  stage: BatchStage,
  transfer: number,
  hasLimit = false,
): Promise<boolean> {
  const transaction = await compileBatchTransaction(ledger, stage, [transfer], budgetOf(stage, hasLimit));
  if (typeof transaction === 'string') return transaction !== 'program_would_be_written';
  return sizeOf(transaction) > maxSize(stage.situation);
}

function hasTwinBefore(stage: BatchStage, transfer: number): boolean {
  const contentOf = (index: number) => {
    const { recipient, amount, memo, token } = at(stage.batch.transfers, index);
    return JSON.stringify([recipient, `${amount}`, memo, token, stage.references[index]]);
  };
  const content = contentOf(transfer);
  return stage.batch.transfers.slice(0, transfer).some((_, index) => contentOf(index) === content);
}

function budgetOf({ batch }: BatchStage, isGenerous: boolean) {
  const isPriced = batch.priorityFee !== undefined;
  const computeUnitLimit = batch.version === 1 || isPriced || isGenerous ? 1_400_000 : undefined;
  const price = { computeUnitPrice: isPriced ? 1n : undefined, priorityFee: isPriced ? 2n : 0n };
  return { computeUnitLimit, ...price };
}

async function prove(court: Court, stage: BatchStage, { code, field }: Finding): Promise<string[]> {
  if (code === 'insufficient_token_balance') {
    return (await failsInSomeOrder(court, stage)) ? [] : ['refused for the balance, and all transfers land'];
  }
  const ofOne = typeof field === 'object' && 'transfer' in field ? [field.transfer] : undefined;
  const firsts = [...new Set(stage.situations)].map((own) => stage.situations.indexOf(own));
  for (const transfer of ofOne ?? firsts) {
    if ((await sendAlone(court, stage, [transfer])).kind !== 'landed') return [];
  }
  return [`refused for ${code}, and transfer ${ofOne ?? firsts} lands`];
}

async function sendAlone(
  court: Court,
  stage: BatchStage,
  transfers: readonly number[],
  budget?: Budget,
): Promise<Outcome> {
  passTime(court, 1);
  await writeBatch(court.ledger, stage, batchLamports.plenty());
  return sendSome(court.ledger, stage, transfers, budget);
}

async function sendSome(
  ledger: Ledger,
  stage: BatchStage,
  transfers: readonly number[],
  budget?: Budget,
): Promise<Outcome> {
  const isGenerous = transfers.some((index) => (stage.batch.transfers[index]?.memo?.length ?? 0) > 30);
  const transaction = await compileBatchTransaction(ledger, stage, transfers, budget ?? budgetOf(stage, isGenerous));
  if (transaction === 'program_would_be_written') return { kind: transaction };
  if (transaction === 'hook_unresolvable')
    return { kind: transaction, reason: 'the libraries do not find its accounts' };
  if (typeof transaction === 'string') return { kind: 'too_large' };
  return sendFor(ledger, stage, transaction);
}

// Each transfer by itself, or all in one transaction where the service knows that that is possible: then the order is that of
// the request. What a hook or some memos cost is an upper bound, which may part what could land together.
async function failsInSomeOrder(court: Court, stage: BatchStage): Promise<boolean> {
  const { transfers } = stage.batch;
  const inOrder = transfers.map((_, index) => index);
  const isBounded = transfers.some(isDear) || isHooked(stage);
  if (!isBounded && (await sendAlone(court, stage, inOrder)).kind === 'landed') return false;
  const ascending = inOrder.toSorted((a, b) => Number((transfers[a]?.amount ?? 0n) - (transfers[b]?.amount ?? 0n)));
  for (const order of [ascending, ascending.toReversed(), inOrder, inOrder.toReversed()]) {
    passTime(court, 1);
    await writeBatch(court.ledger, stage, batchLamports.plenty());
    for (const index of order) {
      // With a blockhash of its own, since two transfers may be the same.
      passTime(court, 1);
      const outcome = await sendSome(court.ledger, stage, [index]);
      if (outcome.kind !== 'landed') return true;
    }
  }
  return false;
}
