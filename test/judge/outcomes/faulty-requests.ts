import type { NewReply } from '../../../packages/server/src/idempotency/idempotent-request.ts';
import { passBlocks } from './chain-steps.ts';
import { newReplies, rightReplies } from './expected-reply.ts';
import type { Instance, Step } from './history-world.ts';
import { judgeReply, keptMs, noteNew } from './judge-reply.ts';
import { readPayments } from './payment-reading.ts';
import { type Answer, sendRequest } from './send-request.ts';
import { leaseMs } from './services.ts';
import type { Built, Errand, Trial } from './trial.ts';

const other = (instance: Instance): Instance => (instance === 0 ? 1 : 0);

/** A service dies while it stores its reply: nobody gets that reply, whether it is stored or not. */
export async function crash(
  trial: Trial,
  errand: Errand,
  { instance, when }: Extract<Step, { kind: 'crash' }>,
): Promise<void> {
  const right = rightReplies(trial, errand);
  const { mortality } = trial.services.services[instance];
  const { now } = trial.services.clock;
  mortality.dies = when;
  mortality.last = undefined;
  const answer = await sendRequest(trial, errand, instance);
  const hasDied = mortality.dies === undefined;
  mortality.dies = undefined;
  if (!hasDied) {
    judgeReply(trial, errand, answer, right);
    return;
  }
  if (!right.some(({ kind }) => kind === 'new') && !trial.world.isStormy) {
    trial.disagreements.push(`something was built for ${errand.purpose}, and nothing should be`);
  }
  if (answer.status === 200) trial.disagreements.push('a dead service handed out a transaction');
  trial.log.push(`a service died ${when}`);
  const built = storedBuild(mortality.last);
  if (when === 'after_storing' && built) {
    noteUnseen(trial, errand, built, now);
    return;
  }
  giveUp(errand);
  errand.record = { kind: 'building', until: now + leaseMs };
}

function storedBuild(last: NewReply | undefined): Built | undefined {
  const [first] = last?.transactions ?? [];
  if (!last?.whole || !first) return undefined;
  const { bytes, lastValidBlockHeight } = first;
  return { bytes, reading: readPayments(bytes), lastValidBlockHeight, text: last.whole.reply };
}

// Nobody has it before it is replayed.
function noteUnseen(trial: Trial, errand: Errand, built: Built, now: number): void {
  noteNew(trial, errand, built, (text) => trial.disagreements.push(text));
  errand.builds.pop();
  errand.sinceForgotten.pop();
  errand.record = { kind: 'built', built, until: now + keptMs(built) };
}

function giveUp(errand: Errand): void {
  for (const built of errand.sinceForgotten) built.deadBecause ??= 'another was begun in its place';
}

/** A service takes long to build, while the other one is asked for the same. */
export async function stall(
  trial: Trial,
  errand: Errand,
  { instance, outlastsLease }: Extract<Step, { kind: 'stall' }>,
): Promise<void> {
  const right = rightReplies(trial, errand);
  const { reading } = trial.services.services[instance];
  const { clock } = trial.services;
  const released = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<'waits'>();
  reading.wait = { for: released.promise, onWait: () => waiting.resolve('waits') };
  const slow = sendRequest(trial, errand, instance);
  const first = await Promise.race([waiting.promise, slow]);
  if (first !== 'waits') {
    reading.wait = undefined;
    judgeReply(trial, errand, first, right);
    return;
  }
  trial.log.push(`a service takes long to build${outlastsLease ? ', longer than its lease' : ''}`);
  giveUp(errand);
  errand.record = { kind: 'building', until: clock.now + leaseMs };
  await askOther(trial, errand, instance);
  passBlocks(trial, 3);
  if (outlastsLease) {
    clock.now += leaseMs + 1;
    await askOther(trial, errand, instance);
  }
  reading.wait = undefined;
  released.resolve();
  const late: Answer = await slow;
  if (outlastsLease) {
    judgeReply(trial, errand, late, [{ kind: 'refused', code: 'idempotency_in_progress' }]);
    return;
  }
  judgeReply(trial, errand, late, newReplies(trial, errand));
}

async function askOther(trial: Trial, errand: Errand, instance: Instance): Promise<void> {
  const right = rightReplies(trial, errand);
  judgeReply(trial, errand, await sendRequest(trial, errand, other(instance)), right);
}
