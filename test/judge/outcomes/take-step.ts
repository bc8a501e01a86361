import { advanceNonce, buildOf, passBlocks, passUntil, sign, submit } from './chain-steps.ts';
import type { Errands } from './errands.ts';
import { rightReplies } from './expected-reply.ts';
import { crash, stall } from './faulty-requests.ts';
import type { Instance, Purpose, Step } from './history-world.ts';
import { judgeReply } from './judge-reply.ts';
import { meddle } from './meddle.ts';
import { sendRequest, type Variation } from './send-request.ts';
import { leaseMs, nonceRetentionMs } from './services.ts';
import { sendTraffic } from './traffic.ts';
import type { Trial } from './trial.ts';

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
