import {
  AccountRole,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  isSolanaError,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { fixedAddress, memoProgram } from '../addresses.ts';
import { readTransaction, signTransaction } from '../transaction.ts';
import { advanceNonce, buildOf, passBlocks, passUntil, sign, submit, whileFrozen } from './chain-steps.ts';
import type { Errands } from './errands.ts';
import { rightReplies } from './expected-reply.ts';
import { crash, stall } from './faulty-requests.ts';
import type { Instance, Purpose, Step, Traffic } from './history-world.ts';
import { judgeOne, questionOf } from './judge-outcomes.ts';
import { judgeReply } from './judge-reply.ts';
import { sendRequest, type Variation } from './send-request.ts';
import { leaseMs, nonceRetentionMs } from './services.ts';
import type { Built, Trial } from './trial.ts';
import { maxBytes } from './wallet.ts';

/** Takes one step of a history, and judges what the services answer in it. */
export async function takeStep(trial: Trial, errands: Errands, step: Step): Promise<void> {
  switch (step.kind) {
    case 'request':
      return request(trial, errands, step.purpose, step.instance, { rewritten: step.rewritten });
    case 'requests_at_once':
      return requestsAtOnce(trial, errands, step);
    case 'other_body':
      return otherBody(trial, errands, step);
    case 'stranger':
      return request(trial, errands, 'stranger', step.instance);
    case 'sign': {
      const built = buildOf(trial.errands.get(step.purpose), 0);
      if (built) sign(trial, built, step.changes);
      return;
    }
    case 'submit':
    case 'submit_failing': {
      const built = buildOf(trial.errands.get(step.purpose), step.earlier);
      if (built) submit(trial, built, step.kind === 'submit_failing');
      return;
    }
    case 'pass':
      return passUntil(trial, step);
    case 'advance_nonce':
      return advanceNonce(trial, step.livesBy);
    case 'traffic': {
      const built = buildOf(trial.errands.get(0), 0);
      if (built) sendTraffic(trial, built, step.payments);
      return;
    }
    case 'rotate_api_key':
      return errands.rotateApiKey();
    case 'crash':
      return crash(trial, await errands.of(step.purpose), step);
    case 'stall':
      return stall(trial, await errands.of(step.purpose), step);
    case 'pass_lease':
      trial.services.clock.now += leaseMs + 1;
      return;
    case 'forget':
      return forget(trial);
    case 'unreadable':
      return unreadable(trial, errands, step);
    case 'meddle':
      return meddle(trial, step);
  }
}

async function request(
  trial: Trial,
  errands: Errands,
  purpose: Purpose | 'stranger',
  instance: Instance,
  variation?: Variation,
): Promise<void> {
  const errand = await errands.of(purpose);
  const right = rightReplies(trial, errand);
  judgeReply(trial, errand, await sendRequest(trial, errand, instance, variation), right);
}

// One of them builds; the others come too early, or are told the same.
async function requestsAtOnce(
  trial: Trial,
  errands: Errands,
  { purpose, count }: Extract<Step, { kind: 'requests_at_once' }>,
): Promise<void> {
  const errand = await errands.of(purpose);
  const right = rightReplies(trial, errand);
  const instances = Array.from({ length: count }, (_, index): Instance => (index % 2 === 0 ? 0 : 1));
  const answers = await Promise.all(instances.map((instance) => sendRequest(trial, errand, instance)));
  const built = answers.filter((answer) => answer.status === 200 && !answer.isReplay);
  const [first] = built;
  if (!first) {
    for (const answer of answers) judgeReply(trial, errand, answer, right);
    return;
  }
  judgeReply(trial, errand, first, right);
  for (const answer of answers) {
    if (answer === first) continue;
    const after = [...rightReplies(trial, errand), { kind: 'refused', code: 'idempotency_in_progress' } as const];
    judgeReply(trial, errand, answer, after);
  }
}

async function otherBody(
  trial: Trial,
  errands: Errands,
  { purpose, instance }: Extract<Step, { kind: 'other_body' }>,
): Promise<void> {
  const errand = await errands.of(purpose);
  const { record, posted } = errand;
  if (record.kind === 'none' || trial.services.clock.now >= record.until) return;
  const [name, value] = Object.entries(posted.body).find(([each]) => each.startsWith('amount')) ?? [];
  if (name === undefined) throw new Error('a request without an amount');
  const body = { ...posted.body, [name]: `1${String(value)}` };
  const answer = await sendRequest(trial, errand, instance, { body });
  const codes =
    record.kind === 'built' ? ['idempotency_key_reused'] : ['idempotency_key_reused', 'idempotency_in_progress'];
  judgeReply(
    trial,
    errand,
    answer,
    codes.map((code) => ({ kind: 'refused', code })),
  );
}

// What was built before lives on only with a nonce, and then what is built next has the same one.
function forget(trial: Trial): void {
  passBlocks(trial, 400);
  trial.services.clock.now += nonceRetentionMs + 1;
  for (const errand of trial.errands.values()) errand.sinceForgotten = [];
}

async function unreadable(
  trial: Trial,
  errands: Errands,
  { purpose, instance }: Extract<Step, { kind: 'unreadable' }>,
): Promise<void> {
  const errand = await errands.of(purpose);
  const right = rightReplies(trial, errand);
  const { reading } = trial.services.services[instance];
  reading.fails = true;
  const answer = await sendRequest(trial, errand, instance).finally(() => {
    reading.fails = false;
  });
  const expected = right.map((each) => (each.kind === 'new' ? ({ kind: 'refused', code: 'upstream' } as const) : each));
  judgeReply(trial, errand, answer, expected);
  const isUnread = [502, 503, 504].includes(answer.status) && right.some(({ kind }) => kind === 'new');
  // It was to be built again, because what was built before is dead; then it was not.
  if (isUnread) errands.noteRefusedBuild(errand, right);
}

/** Asks for the outcome of the payment, while something happens between two answers of the nodes. */
async function meddle(trial: Trial, { at, what }: Extract<Step, { kind: 'meddle' }>): Promise<void> {
  const built = trial.errands.get(0)?.builds.at(-1);
  if (!built) return;
  let asked = 0;
  const meddler = (): void => {
    asked += 1;
    if (asked !== at + 1) return;
    trial.log.push(`while the outcome is asked for: ${what}`);
    if (what === 'submit') submit(trial, built, false);
    if (what === 'pass') passBlocks(trial, 190);
    if (what === 'advance_nonce') advanceNonce(trial, 'nonce');
  };
  const before = trial.nodes.map(({ meddle: own }) => own);
  for (const node of trial.nodes) node.meddle = meddler;
  await judgeOne(trial, questionOf(trial, built, 'unsigned', true), 'safety');
  for (const [index, node] of trial.nodes.entries()) node.meddle = before[index] ?? (() => undefined);
}

const transferChecked = 12;
const amountOffset = 1;

/** Sends payments between the accounts of what was built, none of which is the same payment. */
function sendTraffic(trial: Trial, built: Built, payments: readonly Traffic[]): void {
  for (const [index, traffic] of payments.entries()) {
    const bytes = trafficOf(trial, built, traffic, index);
    if (!bytes) continue;
    const send = (): unknown => trial.cluster.send(bytes);
    if (traffic.fails) whileFrozen(trial, send);
    else send();
  }
  trial.log.push(`${payments.length} other payments`);
}

function trafficOf(trial: Trial, built: Built, { differs }: Traffic, index: number): Uint8Array | undefined {
  const { situation, otherPayer, cluster } = trial;
  const compiled = getCompiledTransactionMessageDecoder().decode(readTransaction(built.bytes).messageBytes);
  const given = decompileTransactionMessage(compiled).instructions;
  const paying = given.filter(({ programAddress }) => programAddress === situation.tokenProgram);
  const memos = given.filter(({ programAddress }) => programAddress === memoProgram);
  const name = `${cluster.tip} ${index}`;
  const other = fixedAddress(`other reference ${name}`);
  const memo = getAddMemoInstruction(
    { memo: `other ${name}`, signers: [createNoopSigner(situation.sender)] },
    { programAddress: memoProgram },
  );
  const incoming = getTransferSolInstruction({
    source: createNoopSigner(otherPayer.address),
    destination: situation.senderTokenAccount,
    amount: 1n + BigInt(index),
  });
  const instructions: Record<Traffic['differs'], readonly Instruction[]> = {
    memo: [memo, ...paying],
    amount: [...memos, ...paying.map((each) => withAmount(each, BigInt(1 + index)))],
    references: [...memos, ...paying.map((each) => withReference(each, other))],
    incoming: [incoming],
  };
  // Two alike in one block would be one.
  const message = appendTransactionMessageInstructions(
    instructions[differs],
    setTransactionMessageLifetimeUsingBlockhash(
      cluster.ledger.latestBlockhash(),
      setTransactionMessageFeePayer(otherPayer.address, createTransactionMessage({ version: 0 })),
    ),
  );
  try {
    const transaction = compileTransaction(message);
    const bytes = signTransaction(transaction, [otherPayer, ...situation.signers]);
    return bytes.length <= maxBytes ? bytes : undefined;
  } catch (error) {
    if (isSolanaError(error)) return undefined;
    throw error;
  }
}

// Small amounts more: the sender has enough for many.
function withAmount(instruction: Instruction, more: bigint): Instruction {
  if (instruction.data?.[0] !== transferChecked) return instruction;
  const data = Uint8Array.from(instruction.data);
  const view = new DataView(data.buffer);
  view.setBigUint64(amountOffset, view.getBigUint64(amountOffset, true) + more, true);
  return { ...instruction, data };
}

function withReference(instruction: Instruction, reference: Parameters<typeof createNoopSigner>[0]): Instruction {
  const { accounts = [] } = instruction;
  return { ...instruction, accounts: [...accounts, { address: reference, role: AccountRole.READONLY }] };
}
